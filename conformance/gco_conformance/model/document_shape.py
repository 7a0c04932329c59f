"""Whether a document has the shape of an OpenAPI document wherever the kit looks into it.

Whether it's a valid one is another question, with an answer of its own. This one comes first: what is no object
has no members that could be right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from gco_conformance.model.positions import COMPONENTS, every_object, fields, is_extension
from gco_conformance.model.references import Dangling, at, pointer

_LISTS: Mapping[str, Mapping[str, type]] = {
    "document": {"tags": dict, "servers": dict, "security": dict},
    "operation": {"tags": str, "servers": dict, "security": dict},
    "path item": {"servers": dict},
    "schema": {"required": str},
}
"""Fields that hold lists, and of what, besides those of the objects that `positions` knows."""
_ANYTHING = frozenset({"example", "link"})
"""Kinds of objects that are passed on as they are."""
_NAMES: Mapping[type, str] = {dict: "an object", list: "a list", str: "a text"}


def ill_shaped(document: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first place, as a JSON Pointer, that has another shape than it must, and which that is."""
    return next(_problems(document), None) or next(_endless(document), None)


def _problems(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _lists((), "document", document)
    paths, components = document.get("paths", {}), document.get("components", {})
    for name, value in (("paths", paths), ("components", components)):
        if not isinstance(value, dict):
            yield _problem((name,), dict)
            return
    for path, item in paths.items():
        if not path.startswith("x-"):
            yield from _object(("paths", path), "path item", item)
    for group, kind in COMPONENTS.items():
        members = components.get(group, {})
        if not isinstance(members, dict):
            yield _problem(("components", group), dict)
            continue
        for name, member in members.items():
            yield from _object(("components", group, name), kind, member)


def _object(place: tuple[str, ...], kind: str, node: Any) -> Iterator[tuple[str, str]]:
    waiting = [(place, kind, node)]
    while waiting:
        place, kind, node = waiting.pop()
        if kind in _ANYTHING or (kind == "schema" and isinstance(node, bool)):
            continue
        if not isinstance(node, dict):
            yield _problem(place, dict)
            continue
        if not isinstance(node.get("$ref", ""), str):
            yield _problem((*place, "$ref"), str)
        yield from _lists(place, kind, node)
        for field, (shape, child) in fields(kind, node).items():
            if field not in node:
                continue
            value, below = node[field], (*place, field)
            if shape == "one":
                waiting.append((below, child, value))
            elif shape == "list" and isinstance(value, list):
                waiting.extend(((*below, str(index)), child, item) for index, item in enumerate(value))
            elif shape == "map" and isinstance(value, dict):
                entries = ((key, item) for key, item in value.items() if not is_extension(field, key))
                waiting.extend(((*below, key), child, item) for key, item in entries)
            else:
                yield _problem(below, list if shape == "list" else dict)


def _endless(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The references that lead to each other and never to an object."""
    for place, _, node in every_object(document):
        passed: set[int] = set()
        while id(node) not in passed:
            passed.add(id(node))
            node = _target(document, node)
            if node is None:
                break
        else:
            yield pointer((*place, "$ref")), "a reference that ends at an object"


def _target(document: Mapping[str, Any], node: Any) -> Any:
    """What a reference by JSON Pointer leads to; anchors stand in schemas that are objects anyway."""
    reference = node.get("$ref") if isinstance(node, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    try:
        return at(document, unquote(reference[1:]))
    except Dangling:
        return None


def _lists(place: tuple[str, ...], kind: str, node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for field, of in _LISTS.get(kind, {}).items():
        value = node.get(field, [])
        if not isinstance(value, list):
            yield _problem((*place, field), list)
            continue
        yield from (
            _problem((*place, field, str(index)), of)
            for index, item in enumerate(value)
            if not isinstance(item, of)
        )


def _problem(place: tuple[str, ...], wanted: type) -> tuple[str, str]:
    return pointer(place), _NAMES[wanted]
