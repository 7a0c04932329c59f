"""Differences between an operation of the composed document and the same one of its service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gco_conformance.drift.diff.sameness import Sameness
from gco_conformance.drift.diff.schemas import WORDING, Detail, Direction, SchemaDiffer, Side, as_object
from gco_conformance.model.json_equality import equal
from gco_conformance.model.references import Dangling, Document

Object = Mapping[str, Any]
OWN: Final = frozenset({"operationId", "security", "servers", "tags"})
"""What a composer writes anew in each operation."""
_LOCATIONS = ("path", "query", "header", "cookie")


class OperationDiffer:
    """Compares operations of a composed document (`old`) with those of a service's document (`new`)."""

    def __init__(self, old: Document, new: Document) -> None:
        self._old = Side(old)
        self._new = Side(new)
        self._schemas = SchemaDiffer(old, new)
        self._sameness = Sameness(old, new)

    def compare(self, old_item: Object, new_item: Object, method: str) -> list[Detail]:
        """The differences, those that break clients first."""
        if self._as_documented(old_item, new_item, method):
            return []
        try:
            found = list(self._operation(old_item, new_item, old_item[method], new_item[method]))
        except Dangling as reference:
            return [Detail("", f"the reference {reference} leads nowhere", True)]
        return sorted(
            _without_repetition(found), key=lambda detail: (not detail.breaking, detail.place, detail.what)
        )

    def _as_documented(self, old_item: Object, new_item: Object, method: str) -> bool:
        return self._sameness.same(old_item.get("parameters"), new_item.get("parameters")) and self._sameness.same(
            _comparable(old_item[method]), _comparable(new_item[method])
        )

    def _operation(self, old_item: Object, new_item: Object, old: Object, new: Object) -> Iterator[Detail]:
        yield from self._parameters(_all(self._old, old_item, old), _all(self._new, new_item, new))
        yield from self._body(old.get("requestBody"), new.get("requestBody"))
        yield from self._responses(as_object(old.get("responses")), as_object(new.get("responses")))
        for key in sorted((old.keys() | new.keys()) - OWN - {"parameters", "requestBody", "responses"}):
            if key.startswith("x-") or key == "callbacks" or equal(old.get(key), new.get(key)):
                continue
            yield Detail("", f"another {key}" if key in WORDING else f"{key} differs", False)

    def _parameters(
        self, old: dict[tuple[str, str], Object], new: dict[tuple[str, str], Object]
    ) -> Iterator[Detail]:
        for location, name in sorted(old.keys() | new.keys()):
            place = f"{location} parameter {name}"
            if (location, name) not in new:
                yield Detail(place, "gone", True)
            elif (location, name) not in old:
                required = bool(new[location, name].get("required"))
                yield Detail(place, "new and required" if required else "new", required)
            else:
                own, other = old[location, name], new[location, name]
                yield from self._required(own, other, place)
                yield from self._media(own, other, "request", place)

    def _body(self, old: Any, new: Any) -> Iterator[Detail]:
        if old is None or new is None:
            if old is not new:
                required = new is not None and bool(self._new.object(new).get("required"))
                yield Detail("request body", "gone" if new is None else "new", new is None or required)
            return
        own, other = self._old.object(old), self._new.object(new)
        yield from self._required(own, other, "request body")
        yield from self._media(own, other, "request", "request body")

    def _responses(self, old: Object, new: Object) -> Iterator[Detail]:
        for status in sorted({str(key) for key in old} | {str(key) for key in new}):
            if status.startswith("x-"):
                continue
            place = f"response {status}"
            if status not in new:
                yield Detail(place, "gone", status.startswith("2"))
            elif status not in old:
                yield Detail(place, "new", False)
            else:
                own, other = self._old.object(old[status]), self._new.object(new[status])
                yield from self._media(own, other, "response", place)
                yield from self._headers(as_object(own.get("headers")), as_object(other.get("headers")), place)

    def _headers(self, old: Object, new: Object, place: str) -> Iterator[Detail]:
        for name in sorted(old.keys() | new.keys()):
            if name not in new:
                yield Detail(f"{place}, header {name}", "gone", True)
            elif name not in old:
                yield Detail(f"{place}, header {name}", "new", False)
            else:
                own, other = self._old.object(old[name]), self._new.object(new[name])
                yield from self._media(own, other, "response", f"{place}, header {name}")

    def _required(self, old: Object, new: Object, place: str) -> Iterator[Detail]:
        before, after = bool(old.get("required")), bool(new.get("required"))
        if before != after:
            yield Detail(place, "now required" if after else "no longer required", after)

    def _media(self, old: Object, new: Object, direction: Direction, place: str) -> Iterator[Detail]:
        """Schema, content and wording of a parameter, a header, a body or an answer."""
        if "schema" in old or "schema" in new:
            yield from self._schemas.compare(old.get("schema", {}), new.get("schema", {}), direction, place)
        before, after = as_object(old.get("content")), as_object(new.get("content"))
        for media in sorted(before.keys() | after.keys()):
            where = f"{place} {media}"
            if media not in after:
                yield Detail(where, "gone", True)
            elif media not in before:
                yield Detail(where, "new", False)
            else:
                own, other = (as_object(content[media]).get("schema", {}) for content in (before, after))
                yield from self._schemas.compare(own, other, direction, where)
        for key in ("description", "style", "explode", "allowReserved", "deprecated"):
            if not equal(old.get(key), new.get(key)):
                yield Detail(place, f"another {key}", key not in WORDING)


def _all(side: Side, item: Object, operation: Object) -> dict[tuple[str, str], Object]:
    """The parameters of an operation by location and name, those of its path included."""
    found: dict[tuple[str, str], Object] = {}
    for entry in [*_list(item.get("parameters")), *_list(operation.get("parameters"))]:
        parameter = side.object(entry)
        found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
    return found


def _comparable(operation: Object) -> dict[str, Any]:
    return {key: value for key, value in operation.items() if key not in OWN and not key.startswith("x-gco-")}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _without_repetition(details: list[Detail]) -> list[Detail]:
    return list(dict.fromkeys(details))
