"""What is left of long values when all that tells nothing is cut out, so that a person sees the difference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final

from gco_conformance.model.json_equality import equal

BOUND: Final = 1000
"""Characters that `bounded` leaves of a value."""

_WORTH: Final = 60
"""What is equal but shorter than this, such as the name of a region, says what the difference is of."""
_REGION: Final = re.compile(r"\b[a-z]{2,}(?:-[a-z]+)+-[0-9]+\b")


def differing(expected: str, actual: str) -> tuple[str, str]:
    """Both values without what is equal in them, if they are objects or lists in JSON that differ."""
    try:
        left, right = _tree(expected), _tree(actual)
        if type(left) is not type(right) or left is None or equal(left, right):
            return expected, actual
        shown = _without_equal(left, right)
        return _text(shown[0]), _text(shown[1])
    except RecursionError:
        return expected, actual


def bounded(expected: str, actual: str) -> tuple[str, str]:
    """Both values in `BOUND` characters each, those that differ if they are longer."""
    if max(len(expected), len(actual)) > BOUND:
        expected, actual = differing(expected, actual)
    return _cut(expected), _cut(actual)


def regions(text: str) -> Set[str]:
    """The AWS regions that a text names."""
    return set(_REGION.findall(text))


def about_regions(lines: Sequence[str], names: Set[str], indent: str = "") -> list[str]:
    """The lines that name one of these regions or aren't indented like this; how many others there were."""
    found: list[str] = []
    for is_kept, some in groupby(lines, lambda line: not line.startswith(indent) or bool(regions(line) & names)):
        group = list(some)
        found += group if is_kept else [f"{indent}... {_number(len(group), 'line')} of others"]
    return found


def _tree(text: str) -> dict[str, Any] | list[Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, (dict, list)) else None


def _text(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True)


def _cut(text: str) -> str:
    return text if len(text) <= BOUND else f"{text[:BOUND]} ... ({len(text) - BOUND} characters more)"


def _without_equal(left: Any, right: Any) -> tuple[Any, Any]:
    if isinstance(left, dict) and isinstance(right, dict):
        return _members(left, right)
    if isinstance(left, list) and isinstance(right, list):
        pairs = list(_items(left, right))
        return [item for items, _ in pairs for item in items], [item for _, items in pairs for item in items]
    return left, right


def _members(left: dict[str, Any], right: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    both = left.keys() & right.keys()
    alike = {name for name in both if equal(left[name], right[name]) and _is_long(left[name])}
    shown = {name: _without_equal(left[name], right[name]) for name in both - alike}
    mark = {"...": _number(len(alike), "equal member")} if alike else {}
    return (
        mark | {name: shown[name][0] if name in shown else left[name] for name in left.keys() - alike},
        mark | {name: shown[name][1] if name in shown else right[name] for name in right.keys() - alike},
    )


def _items(left: list[Any], right: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    """The items of both lists in runs: those that are equal, and those that stand in each other's place."""
    texts = [[json.dumps(item, sort_keys=True) for item in side] for side in (left, right)]
    matcher = SequenceMatcher(None, texts[0], texts[1])
    for kind, start, end, other, last in matcher.get_opcodes():
        mine, its = left[start:end], right[other:last]
        if kind != "equal":
            for one, two in zip(mine, its, strict=False):
                here, there = _without_equal(one, two)
                yield [here], [there]
            yield mine[len(its) :], its[len(mine) :]
        elif _is_long(mine):
            yield ([f"... {_number(len(mine), 'equal item')}"],) * 2
        else:
            yield mine, its


def _is_long(value: Any) -> bool:
    return len(json.dumps(value)) > _WORTH


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
