"""Faithfulness: followed to the end, a composed operation means what its service's document says.

Two objects are compared place by place, through every reference, in their two documents at once. A pair that
is met again while it is being compared, as in a recursive schema, adds nothing new: either a difference is
found elsewhere or there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gco_conformance.model.json_equality import equal
from gco_conformance.model.positions import METHODS, fields, is_extension
from gco_conformance.model.references import (
    Dangling,
    Document,
    discriminator_mapping,
    mapped_schema,
    reference_of,
    resolve,
)
from gco_conformance.model.surface import Surface

# What a composer writes itself or may write anew: other requirements judge it, or references that lead to it.
OWN = {
    "operation": frozenset({"operationId", "security", "servers", "tags"}),
    "schema": frozenset({"$anchor", "$dynamicAnchor", "$id"}),
}


@dataclass(frozen=True)
class Difference:
    """A place in an operation where the composed document and the service's document don't say the same."""

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
        comparison = _Comparison(own, composed, _moved(surface, kept.service))
        left = _followed(own, own["paths"][kept.documented_path])
        try:
            right = _followed(composed, item)
            if method not in right:
                continue
            place = f"{method.upper()} {path}"
            comparison.compare("operation", _own(left, method), _own(right, method), place)
            if "parameters" in right:
                comparison.compare_list("parameter", left.get("parameters"), right["parameters"], place)
        except _Found as found:
            yield found.difference
        except Dangling as reference:
            yield Difference(f"{method.upper()} {path}", "a reference that resolves", str(reference))


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


class _Found(Exception):
    def __init__(self, difference: Difference) -> None:
        super().__init__()
        self.difference = difference


@dataclass
class _Comparison:
    left: Document
    right: Document
    moved: Mapping[str, str]
    seen: set[tuple[int, int]] = field(default_factory=set)

    def compare(self, kind: str, left: Any, right: Any, place: str) -> None:
        if not isinstance(left, dict) or not isinstance(right, dict):
            self._data(left, right, place)
            return None
        if (id(left), id(right)) in self.seen:
            return None
        self.seen.add((id(left), id(right)))
        own, other = reference_of(left), reference_of(right)
        if own is not None and other is not None:
            self.compare(kind, resolve(self.left, own), resolve(self.right, other), f"{place} → {own}")
        elif own is not None and len(left) == 1:
            return self.compare(kind, resolve(self.left, own), right, place)
        elif other is not None and len(right) == 1:
            return self.compare(kind, left, resolve(self.right, other), place)
        if kind == "link":
            return self._links(left, right, place)
        positions = fields(kind, left)
        for key in sorted(left.keys() | right.keys()):
            if key in ("$ref", "$dynamicRef") and own is not None and other is not None:
                continue
            if key.startswith("x-gco-") or key in OWN.get(kind, ()):
                continue
            below = f"{place}/{key}"
            if key not in left or key not in right:
                self._data(left.get(key, _NOTHING), right.get(key, _NOTHING), below)
            elif kind == "schema" and key == "discriminator":
                self._discriminators(left, right, below)
            elif key not in positions:
                self._data(left[key], right[key], below)
            elif positions[key][0] == "one":
                self.compare(positions[key][1], left[key], right[key], below)
            elif positions[key][0] == "list":
                self.compare_list(positions[key][1], left[key], right[key], below)
            else:
                self._maps(key, positions[key][1], left[key], right[key], below)
        return None

    def compare_list(self, kind: str, left: Any, right: Any, place: str) -> None:
        if not isinstance(left, list) or not isinstance(right, list) or len(left) != len(right):
            return self._data(left, right, place)
        for index, (own, other) in enumerate(zip(left, right, strict=True)):
            self.compare(kind, own, other, f"{place}/{index}")
        return None

    def _maps(self, field: str, kind: str, left: Any, right: Any, place: str) -> None:
        if not isinstance(left, dict) or not isinstance(right, dict) or left.keys() != right.keys():
            return self._data(left, right, place)
        for key in left:
            if is_extension(field, key):
                self._data(left[key], right[key], f"{place}/{key}")
            else:
                self.compare(kind, left[key], right[key], f"{place}/{key}")
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
            for value, target in _implied_values(self.left, left).items()
            if id(mapped_schema(self.left, target)) not in reached
        }
        offered = {**_implied_values(self.right, right), **discriminator_mapping(right)}
        for value, target in {**implied, **mapped}.items():
            if value not in offered:
                self._data(target, _NOTHING, f"{place}/mapping/{value}")
            self.compare(
                "schema",
                mapped_schema(self.left, target),
                mapped_schema(self.right, offered[value]),
                f"{place}/mapping/{value}",
            )
        return None

    def _links(self, left: Mapping[str, Any], right: Mapping[str, Any], place: str) -> None:
        """A link leads to the same operation, however it says so; if that one isn't kept, to anything."""
        rest = [key for key in left.keys() | right.keys() if key not in ("$ref", "operationId", "operationRef")]
        for key in sorted(rest):
            self._data(left.get(key, _NOTHING), right.get(key, _NOTHING), f"{place}/{key}")
        wanted = _link_target(self.left, left)
        if wanted is None or wanted[0] not in self.moved:
            return
        path, method = self.moved[wanted[0]], wanted[1]
        self._data([path, method], list(_link_target(self.right, right) or ()), f"{place}/operationId")

    def _data(self, left: Any, right: Any, place: str) -> None:
        if not equal(left, right):
            raise _Found(Difference(place, left, right))


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


_NOTHING = _Nothing()


def _followed(document: Document, node: Any) -> dict[str, Any]:
    """A path item with what it refers to."""
    reference = reference_of(node)
    return dict(node) if reference is None else {**_followed(document, resolve(document, reference)), **node}


def _implied_values(document: Document, schema: Mapping[str, Any]) -> dict[str, str]:
    """What values of the discriminating property select by name: alternatives, or schemas that extend it.

    Where there are alternatives, OpenAPI asks for all of them to be listed.
    """
    alternatives = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    if not alternatives:
        return {name: name for name in _extending(document, schema)}
    references = [reference for alternative in alternatives if (reference := reference_of(alternative))]
    return {reference.rsplit("/", 1)[1]: reference for reference in references if "/" in reference}


def _extending(document: Document, schema: Mapping[str, Any]) -> list[str]:
    """The names of the schemas that have `schema` in their `allOf`, and of those that extend them in turn."""
    schemas = document.get("components", {}).get("schemas", {})
    found: list[str] = []
    pending = [schema]
    while pending:
        parent = pending.pop()
        for name, other in schemas.items():
            bases = other.get("allOf", ()) if isinstance(other, dict) else ()
            if name not in found and any(_is(document, base, parent) for base in bases):
                found.append(name)
                pending.append(other)
    return found


def _is(document: Document, node: Any, schema: Mapping[str, Any]) -> bool:
    reference = reference_of(node)
    return reference is not None and resolve(document, reference) is schema


def _link_target(document: Document, link: Mapping[str, Any]) -> tuple[str, str] | None:
    """The path and method that a link names."""
    reference = link.get("operationRef")
    if isinstance(reference, str) and reference.startswith("#/paths/"):
        path, method = reference.removeprefix("#/paths/").split("/", 1)
        return path.replace("~1", "/").replace("~0", "~"), method
    for path, item in document.get("paths", {}).items():
        for method in METHODS & item.keys():
            if link.get("operationId") == item[method].get("operationId", _NOTHING):
                return path, method
    return None
