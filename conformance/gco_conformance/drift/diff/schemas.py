"""Differences between two schemas, each in its own document, and whether they break clients.

In a request, less accepted than before breaks clients; in an answer, more possible than before, or something
that is no longer there. Where that can't be told, a difference counts as breaking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from gco_conformance.model.json_equality import equal
from gco_conformance.model.references import Dangling, Document, reference_of, resolve

Direction = Literal["request", "response"]

WORDING: Final = frozenset(
    {"title", "description", "summary", "example", "examples", "default", "deprecated", "externalDocs", "$comment"}
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE = frozenset(
    {"additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then"}
    | {"unevaluatedItems", "unevaluatedProperties"}
)
_MAPS = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties"})
_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"})
_REFERENCES = frozenset({"$ref", "$dynamicRef"})
_HOPS = 100
_UNSAID = "(none)"


@dataclass(frozen=True)
class Detail:
    """One difference within an operation: where, what, and whether it breaks clients."""

    place: str
    what: str
    breaking: bool

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" if self.place else self.what


class Side:
    """One of the two documents. Equal nodes are the same object every time, so that their identity counts."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._joined: dict[int, tuple[Any, dict[str, Any]]] = {}

    def followed(self, node: Any) -> Any:
        """What an object refers to by a JSON Pointer; beside its reference it may say more."""
        for _ in range(_HOPS):
            reference = reference_of(node)
            if reference is None or not reference.startswith("#/"):
                return node
            target = resolve(self._document, reference)
            if len(node) > 1 and isinstance(target, dict):
                return self._join(node)
            node = target
        raise Dangling(reference)

    def object(self, node: Any) -> Mapping[str, Any]:
        """The same, and an empty object for what isn't one."""
        return as_object(self.followed(node))

    def _join(self, node: dict[str, Any]) -> dict[str, Any]:
        """What several references in a row and what stands beside them say together."""
        if id(node) not in self._joined:
            said: dict[str, Any] = {}
            at: Any = node
            for _ in range(_HOPS):
                reference = reference_of(at)
                if reference is None or not reference.startswith("#/"):
                    break
                said = {**{key: value for key, value in at.items() if key not in _REFERENCES}, **said}
                at = resolve(self._document, reference)
            joined = {**at, **said} if isinstance(at, dict) else said
            self._joined[id(node)] = (node, joined)
        return self._joined[id(node)][1]


def as_object(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


class SchemaDiffer:
    """Compares schemas of two documents. Pairs that were found equal aren't looked at again."""

    def __init__(self, old: Document, new: Document) -> None:
        self._old = Side(old)
        self._new = Side(new)
        self._equal: set[tuple[int, int, str]] = set()

    def compare(self, old: Any, new: Any, direction: Direction, place: str) -> list[Detail]:
        """The differences between two schemas, references followed; recursion adds nothing new."""
        met: set[tuple[int, int, str]] = set()
        found = list(self._schemas(old, new, direction, place, met))
        if not found:
            self._equal |= met
        return found

    def _schemas(
        self, old: Any, new: Any, direction: Direction, place: str, met: set[tuple[int, int, str]]
    ) -> Iterator[Detail]:
        try:
            old, new = self._old.followed(old), self._new.followed(new)
        except Dangling as reference:
            yield Detail(place, f"the reference {reference} leads nowhere", True)
            return
        if not isinstance(old, dict) or not isinstance(new, dict):
            if not equal(old, new):
                yield Detail(place, f"{_shown(new)} instead of {_shown(old)}", True)
            return
        pair = (id(old), id(new), direction)
        if pair in met or pair in self._equal:
            return
        met.add(pair)
        for key in sorted(old.keys() | new.keys()) if old.keys() != new.keys() else old:
            yield from self._keyword(key, old, new, direction, place, met)

    def _keyword(
        self,
        key: str,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        direction: Direction,
        place: str,
        met: set[tuple[int, int, str]],
    ) -> Iterator[Detail]:
        before, after = old.get(key), new.get(key)
        if key == "properties":
            yield from self._properties(as_object(before), as_object(after), direction, place, met)
        elif key in _SINGLE and isinstance(before, dict) and isinstance(after, dict):
            yield from self._schemas(before, after, direction, f"{place}/{key}", met)
        elif key in _LISTS and isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            for index, (own, other) in enumerate(zip(before, after, strict=True)):
                yield from self._schemas(own, other, direction, f"{place}/{key}/{index}", met)
        elif (
            key in _MAPS and isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys()
        ):
            for name in before:
                yield from self._schemas(before[name], after[name], direction, f"{place}/{key}/{name}", met)
        elif key == "discriminator" and isinstance(before, dict) and isinstance(after, dict):
            # A composer may spell out a mapping and rename its targets; the alternatives are compared anyway.
            if before.get("propertyName") != after.get("propertyName"):
                yield Detail(f"{place}/discriminator", "another property", True)
        elif not equal(before, after):
            yield from _value(key, before, after, direction, place)

    def _properties(
        self,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        direction: Direction,
        place: str,
        met: set[tuple[int, int, str]],
    ) -> Iterator[Detail]:
        for name in sorted(old.keys() | new.keys()) if old.keys() != new.keys() else old:
            if name not in new:
                yield Detail(f"{place}/{name}", "gone", direction == "response")
            elif name not in old:
                yield Detail(f"{place}/{name}", "new", False)
            else:
                yield from self._schemas(old[name], new[name], direction, f"{place}/{name}", met)


def _value(key: str, before: Any, after: Any, direction: Direction, place: str) -> Iterator[Detail]:
    if key in WORDING or key.startswith("x-"):
        yield Detail(place, f"another {key}", False)
    elif key == "required" or key == "enum":
        yield from _members(key, before, after, direction, place)
    elif key == "type":
        yield from _types(before, after, direction, place)
    else:
        tighter = _tighter(key, before, after)
        breaking = True if tighter is None else tighter == (direction == "request")
        yield Detail(place, f"{key} {_shown(after)} instead of {_shown(before)}", breaking)


def _members(key: str, before: Any, after: Any, direction: Direction, place: str) -> Iterator[Detail]:
    old, new = _texts(before), _texts(after)
    for name in sorted(new - old):
        if key == "required":
            yield Detail(f"{place}/{name}", "now required", direction == "request")
        else:
            yield Detail(place, f"the value {name} is new", direction == "response")
    for name in sorted(old - new):
        if key == "required":
            yield Detail(f"{place}/{name}", "no longer required", direction == "response")
        else:
            yield Detail(place, f"the value {name} is gone", direction == "request")


def _types(before: Any, after: Any, direction: Direction, place: str) -> Iterator[Detail]:
    old, new = _texts(before), _texts(after)
    if old == new:
        return
    tighter = (new < old or not old) if new else False
    looser = (old < new or not new) if old else False
    breaking = not looser if direction == "request" else not tighter
    yield Detail(place, f"type {_shown(after)} instead of {_shown(before)}", breaking)


def _tighter(key: str, before: Any, after: Any) -> bool | None:
    """Whether less is allowed than before, `None` where that can't be told."""
    if key in _LOWER | _UPPER:
        if before is None or after is None:
            return before is None
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in (before, after)):
            return bool(after > before) if key in _LOWER else bool(after < before)
    if key in ("pattern", "format", "multipleOf", "const") and (before is None or after is None):
        return before is None
    return None


def _texts(value: Any) -> set[str]:
    if value is None:
        return set()
    return (
        {_shown(item) if not isinstance(item, str) else item for item in value}
        if isinstance(value, list)
        else {str(value)}
    )


def _shown(value: Any) -> str:
    if value is None:
        return _UNSAID
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
