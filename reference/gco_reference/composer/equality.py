"""Which same-named parts of several services are one and the same, all that they refer to included.

The answer is a greatest fixpoint: all parts with the same name and the same JSON are equal at first, and
those that refer to unequal ones are separated until nothing changes. So two recursive definitions stay equal,
and a difference is found over any number of hops and through cycles.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from gco_reference.composer.parts import Part, PartKey

Edges = Mapping[PartKey, list[PartKey]]


def classes(parts: Iterable[Part], edges: Edges, unique: frozenset[PartKey] | set[PartKey]) -> dict[PartKey, int]:
    """A number for each part: the same number means equal.

    `edges` has what each part refers to, in an order that is the same for parts of the same JSON. Parts in
    `unique` (their meaning depends on their service's operations) equal no other.
    """
    parts = list(parts)
    named = Counter((part.key.kind, part.key.name) for part in parts)
    numbers: dict[Any, int] = {}
    found: dict[PartKey, int] = {}
    shared: list[PartKey] = []
    for part in parts:
        key = part.key
        if named[key.kind, key.name] == 1 or key in unique:
            label: Any = key
        else:
            label = (key.kind, key.name, canonical(part.value))
            shared.append(key)
        found[key] = numbers.setdefault(label, len(numbers))
    return _refined(found, shared, edges)


def _refined(found: dict[PartKey, int], shared: list[PartKey], edges: Edges) -> dict[PartKey, int]:
    count = 0
    while True:
        sizes = Counter(found[key] for key in shared)
        shared = [key for key in shared if sizes[found[key]] > 1]
        labels: dict[Any, int] = {}
        fresh = {}
        next_number = max(found.values(), default=0) + 1
        for key in shared:
            label = (found[key], tuple([found[target] for target in edges[key]]))
            fresh[key] = labels.setdefault(label, next_number + len(labels))
        separated = len(labels) - len({found[key] for key in shared})
        found.update(fresh)
        count += 1
        if not separated:
            return found


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
