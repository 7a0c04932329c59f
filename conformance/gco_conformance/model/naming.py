"""Which names the schemas of several services get: section 4 of the composer contract, by definition.

Same-named schemas of two services are the same when their text is, and all that they refer to is the same.
That is a greatest fixpoint: all pairs count as the same at first, and those that are seen to differ are
removed until nothing changes. Only schemas whose references all lead to schemas of the same document are
modelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gco_conformance.model.json_equality import equal
from gco_conformance.model.positions import children
from gco_conformance.model.references import reference_of

Schemas = Mapping[str, Any]


def names(services: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """The name of each schema in the composed document, by service and by its name there."""
    schemas = {name: document.get("components", {}).get("schemas", {}) for name, document in services.items()}
    given: dict[tuple[str, str], str] = {}
    for service in sorted(schemas):
        for schema in schemas[service]:
            first = min(other for other in schemas if schema in schemas[other])
            same = service == first or schema in _same(schemas[first], schemas[service])
            given[service, schema] = schema if same else f"{service}.{schema}"
    return given


def _same(left: Schemas, right: Schemas) -> set[str]:
    same = {name for name in left.keys() & right.keys() if equal(left[name], right[name])}
    while differing := {name for name in same if not _referred(left[name]) <= same}:
        same -= differing
    return same


def _referred(schema: Any) -> set[str]:
    """The names of the schemas that a schema refers to, at any depth."""
    reference = reference_of(schema)
    found = {reference.rsplit("/", 1)[1]} if reference else set()
    for _, _, child in children("schema", schema):
        found |= _referred(child)
    return found
