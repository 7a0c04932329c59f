"""Faithfulness: followed to the end, a composed operation means what its service's document says.

Two objects are compared place by place, through every reference, in their two documents at once. A pair that
is met again while it is being compared, as in a recursive schema, adds nothing new: either a difference is
found elsewhere or there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from gco_conformance.model.discriminators import implied_values
from gco_conformance.model.json_equality import equal
from gco_conformance.model.links import link_target
from gco_conformance.model.positions import fields, is_extension
from gco_conformance.model.references import (
    Dangling,
    Document,
    discriminator_mapping,
    mapped_schema,
    pointer,
    reference_of,
    resolve,
    whole_item,
)
from gco_conformance.model.surface import Surface

# What a composer writes itself or may write anew: other requirements judge it, or references that lead to it.
OWN = {
    "operation": frozenset({"operationId", "security", "servers", "tags"}),
    "schema": frozenset({"$anchor", "$dynamicAnchor", "$id"}),
}
REFERENCES = frozenset({"$ref", "$dynamicRef"})
EXTENSIBLE = frozenset({"operation", "path item"})
"""Objects to which a composer may add extensions: its own words about the gateway."""

ANNOTATIONS = frozenset({"default", "deprecated", "description", "readOnly", "summary", "title", "writeOnly"})
"""What means the same beside a reference as written into the object that it leads to."""


@dataclass(frozen=True, eq=False)
class Words:
    """What can't be given as JSON, said in words. Equal to no JSON value."""

    text: str


MISSING = Words("missing")
LEADS_SOMEWHERE = Words("a reference that leads somewhere")


@dataclass(frozen=True)
class Difference:
    """Where the composed document and the service's document don't say the same.

    `operation` is a method and a path; `place` is a JSON Pointer into the composed document. `expected` and
    `actual` are JSON values, or `Words`.
    """

    operation: str
    place: str
    expected: Any
    actual: Any


def differences(composed: Document, surface: Surface) -> Iterator[Difference]:
    """The first difference of each operation that both the model and the composed document keep."""
    for (path, method), kept in sorted(surface.kept.items()):
        item = composed.get("paths", {}).get(path)
        if not isinstance(item, dict):
            continue
        own = surface.services[kept.service]
        comparison = Comparison(own, composed, _moved(surface, kept.service))
        left = whole_item(own, own["paths"][kept.documented_path])
        operation, place = f"{method.upper()} {path}", pointer(("paths", path))
        try:
            right = whole_item(composed, item)
            if method not in right:
                continue
            where = place if method in item else _led_to(item["$ref"], place)
            comparison.compare("operation", _own(left, method), _own(right, method), f"{where}/{method}")
            if "parameters" in right:
                where = place if "parameters" in item else _led_to(item["$ref"], place)
                comparison.compare_list(
                    "parameter", left.get("parameters"), right["parameters"], f"{where}/parameters"
                )
        except Found as found:
            yield Difference(operation, found.place, found.expected, found.actual)
        except Dangling as reference:
            yield Difference(operation, place, LEADS_SOMEWHERE, str(reference))


def schemas_differ(document: Document, left: Any, right: Any, place: str) -> Difference | None:
    """Where two schemas of one document, followed to the end, don't mean the same; the right one is at `place`.

    What a schema's own name selects in its discriminator may be left unsaid where it is written out.
    """
    found = _difference(document, left, right, place)
    return None if found is None or _difference(document, right, left, place) is None else found


def _difference(document: Document, left: Any, right: Any, place: str) -> Difference | None:
    try:
        Comparison(document, document, {}).compare("schema", left, right, place)
    except Found as found:
        return Difference("", found.place, found.expected, found.actual)
    except Dangling as reference:
        return Difference("", place, left, Words(f"nothing at {reference}"))
    return None


def _own(item: Mapping[str, Any], method: str) -> Any:
    """The operation of a path item, without parameters that only repeat the item's."""
    operation, shared = item[method], item.get("parameters")
    own = operation.get("parameters") if isinstance(operation, dict) else None
    if not isinstance(own, list) or not isinstance(shared, list):
        return operation
    rest = [one for one in own if not any(equal(one, other) for other in shared)]
    return {**operation, "parameters": rest} if rest else {k: v for k, v in operation.items() if k != "parameters"}


def _moved(surface: Surface, service: str) -> Mapping[str, str]:
    """Where the documented paths of a service stand in the composed document, for those that are kept."""
    return {kept.documented_path: path for (path, _), kept in surface.kept.items() if kept.service == service}


def _led_to(reference: str, place: str) -> str:
    """The place that a reference leads to, where it says it; else the place that it was met at."""
    return unquote(reference[1:]) if reference.startswith("#/") else place


class Found(Exception):
    """A difference between two objects that are compared."""

    def __init__(self, place: str, expected: Any, actual: Any) -> None:
        super().__init__(place)
        self.place, self.expected, self.actual = place, expected, actual


@dataclass
class Comparison:
    """Compares objects of two documents: raises `Found` at the first difference.

    `moved` says where the paths of the left document stand in the right one; a link to another path may lead
    anywhere, or be gone. Places are those of the right document.
    """

    left: Document
    right: Document
    moved: Mapping[str, str]
    seen: set[tuple[int, int]] = field(default_factory=set)
    merged: dict[int, Any] = field(default_factory=dict)

    def compare(self, kind: str, left: Any, right: Any, place: str) -> None:
        if not isinstance(left, dict) or not isinstance(right, dict):
            self._data(left, right, place)
            return None
        if (id(left), id(right)) in self.seen:
            return None
        self.seen.add((id(left), id(right)))
        own, other = reference_of(left), reference_of(right)
        if own is not None and other is not None:
            self.compare(kind, resolve(self.left, own), self._resolved(other, place), _led_to(other, place))
        elif own is not None and left.keys() - REFERENCES <= ANNOTATIONS:
            return self.compare(kind, self._written_out(left, resolve(self.left, own)), right, place)
        elif other is not None and right.keys() - REFERENCES <= ANNOTATIONS:
            target = self._written_out(right, self._resolved(other, place))
            return self.compare(kind, left, target, _led_to(other, place))
        if kind == "link":
            return self._links(left, right, place)
        positions = fields(kind, left)
        for key in sorted(left.keys() | right.keys()):
            if key in REFERENCES and own is not None and other is not None:
                continue
            if key.startswith("x-gco-") or key in OWN.get(kind, ()):
                continue
            if key not in left and key.startswith("x-") and kind in EXTENSIBLE:
                continue
            below = place + pointer((key,))
            shape, child = positions.get(key, ("data", ""))
            if child == "link":
                self._maps(key, child, left.get(key, {}), right.get(key, {}), below)
            elif key not in left or key not in right:
                self._data(left.get(key, MISSING), right.get(key, MISSING), below)
            elif kind == "schema" and key == "discriminator":
                self._discriminators(left, right, below)
            elif shape == "data":
                self._data(left[key], right[key], below)
            elif shape == "one":
                self.compare(child, left[key], right[key], below)
            elif shape == "list":
                self.compare_list(child, left[key], right[key], below)
            else:
                self._maps(key, child, left[key], right[key], below)
        return None

    def compare_list(self, kind: str, left: Any, right: Any, place: str) -> None:
        if not isinstance(left, list) or not isinstance(right, list):
            return self._data(left, right, place)
        if len(left) != len(right):
            raise Found(place, left, right)
        for index, (own, other) in enumerate(zip(left, right, strict=True)):
            self.compare(kind, own, other, f"{place}/{index}")
        return None

    def _maps(self, field: str, kind: str, left: Any, right: Any, place: str) -> None:
        if not isinstance(left, dict) or not isinstance(right, dict):
            return self._data(left, right, place)
        for key in sorted(left.keys() | right.keys()):
            below = place + pointer((key,))
            if key not in right and kind == "link" and not self._leads_to_kept(left[key]):
                continue
            if key not in left or key not in right:
                raise Found(below, left.get(key, MISSING), right.get(key, MISSING))
            if is_extension(field, key):
                self._data(left[key], right[key], below)
            else:
                self.compare(kind, left[key], right[key], below)
        return None

    def _discriminators(self, left: Any, right: Any, place: str) -> None:
        own, other = left["discriminator"], right["discriminator"]
        if not isinstance(own, dict) or not isinstance(other, dict):
            return self._data(own, other, place)
        self._data(
            {key: value for key, value in own.items() if key != "mapping"},
            {key: value for key, value in other.items() if key != "mapping"},
            place,
        )
        mapped = discriminator_mapping(left)
        reached = {id(mapped_schema(self.left, target)) for target in mapped.values()}
        implied = {
            value: target
            for value, target in implied_values(self.left, left).items()
            if id(mapped_schema(self.left, target)) not in reached
        }
        offered = {**implied_values(self.right, right), **discriminator_mapping(right)}
        for value, target in {**implied, **mapped}.items():
            below = f"{place}/mapping{pointer((value,))}"
            if value not in offered:
                raise Found(below, target, MISSING)
            try:
                found = mapped_schema(self.right, offered[value])
            except Dangling:
                raise Found(below, LEADS_SOMEWHERE, offered[value]) from None
            self.compare("schema", mapped_schema(self.left, target), found, below)
        return None

    def _links(self, left: Mapping[str, Any], right: Mapping[str, Any], place: str) -> None:
        """A link leads to the same operation, however it says so; if that one isn't kept, to anything."""
        rest = [key for key in left.keys() | right.keys() if key not in ("$ref", "operationId", "operationRef")]
        for key in sorted(rest):
            self._data(left.get(key, MISSING), right.get(key, MISSING), place + pointer((key,)))
        wanted = link_target(self.left, left)
        if wanted is None or wanted[0] not in self.moved:
            return
        expected, actual = [self.moved[wanted[0]], wanted[1]], list(link_target(self.right, right) or ())
        if expected != actual:
            to = " ".join((expected[1].upper(), expected[0]))
            raise Found(place, Words(f"a link to {to}"), dict(right))

    def _leads_to_kept(self, link: Any) -> bool:
        target = link_target(self.left, link)
        return target is None or target[0] in self.moved

    def _resolved(self, reference: str, place: str) -> Any:
        try:
            return resolve(self.right, reference)
        except Dangling:
            raise Found(place, LEADS_SOMEWHERE, {"$ref": reference}) from None

    def _written_out(self, node: Mapping[str, Any], target: Any) -> Any:
        """What a reference leads to, with what stands beside the reference written into it."""
        beside = {key: value for key, value in node.items() if key not in REFERENCES}
        if not beside or not isinstance(target, dict):
            return target
        # One object for each reference, kept as long as the ids of what was compared.
        return self.merged.setdefault(id(node), {**target, **beside})

    def _data(self, left: Any, right: Any, place: str) -> None:
        """Finds the innermost place at which two values differ, so that large ones needn't be read through."""
        if equal(left, right):
            return
        if isinstance(left, dict) and isinstance(right, dict):
            for key in sorted(left.keys() | right.keys()):
                self._data(left.get(key, MISSING), right.get(key, MISSING), place + pointer((key,)))
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            for index, (own, other) in enumerate(zip(left, right, strict=True)):
                self._data(own, other, f"{place}/{index}")
        raise Found(place, left, right)
