"""Which same-named parts of several services are one and the same, all that they refer to included.

The answer is a greatest fixpoint: all parts with the same name and the same JSON are equal at first, and
those that refer to unequal ones are separated until nothing changes. So two recursive definitions stay equal,
and a difference is found over any number of hops and through cycles.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from gco_reference.composer.parts import Part, PartKey

Edges = Mapping[PartKey, list[PartKey]]


def classes(parts: Iterable[Part], edges: Edges, unique: set[PartKey]) -> dict[PartKey, int]:
    """A number for each part: the same number means equal.

    `edges` has what each part refers to, in an order that is the same for parts of the same JSON. Parts in
    `unique` (their meaning depends on their service's operations) equal no other.
    """
    parts = list(parts)
    named = Counter((part.key.kind, part.key.name) for part in parts)
    numbers: dict[Any, int] = {}
    found: dict[PartKey, int] = {}
    for part in parts:
        key = part.key
        is_alone = named[key.kind, key.name] == 1 or key in unique
        label = key if is_alone else (key.kind, key.name, canonical(part.value))
        found[key] = numbers.setdefault(label, len(numbers))
    _separate(found, edges)
    return found


def _separate(found: dict[PartKey, int], edges: Edges) -> None:
    """Separates parts of one class whose references lead to different classes, until there are none."""
    members: dict[int, list[PartKey]] = defaultdict(list)
    referrers: dict[PartKey, list[PartKey]] = defaultdict(list)
    for key, number in found.items():
        members[number].append(key)
        for target in edges[key]:
            referrers[target].append(key)
    pending = set(members)
    fresh = count(len(members))
    while pending:
        number = pending.pop()
        groups: dict[tuple[int, ...], list[PartKey]] = defaultdict(list)
        for key in members[number]:
            groups[tuple([found[target] for target in edges[key]])].append(key)
        members[number], *separated = groups.values()
        for group in separated:
            members[number := next(fresh)] = group
            found.update(dict.fromkeys(group, number))
        pending.update(found[referrer] for group in separated for key in group for referrer in referrers[key])


def canonical(value: Any) -> str:
    """A text that is the same for equal JSON: key order doesn't matter, `1` is `1.0`, `true` isn't `1`."""
    text = json.dumps(value, sort_keys=True)
    if ".0" in text or "e+" in text:  # as in all texts of floats that are integers
        text = json.dumps(_integral(value), sort_keys=True)
    return text


def _integral(value: Any) -> Any:
    if type(value) is dict:
        return {key: _integral(item) for key, item in value.items()}
    if type(value) is list:
        return [_integral(item) for item in value]
    if type(value) is float and value.is_integer():
        return int(value)
    return value
