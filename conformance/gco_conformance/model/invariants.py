"""What holds of every composed document, whatever the checkout. Each invariant yields its breaches."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.importing import ALONE
from gco_conformance.model.faithfulness import Words, differences
from gco_conformance.model.positions import every_object
from gco_conformance.model.references import Document, dangling, pointer
from gco_conformance.model.surface import read


@dataclass(frozen=True)
class Breach:
    """What is wrong in a composed document, what was expected there and what was found, as text."""

    message: str
    expected: str
    actual: str


Invariant = Callable[[Document, Checkout], Iterator[Breach]]


def faithful(document: Document, checkout: Checkout) -> Iterator[Breach]:
    """Every kept operation means what it means in its service's own document."""
    for found in differences(document, read(checkout)):
        message = f"{found.operation} doesn't mean what its service says: {found.place} of the composed document"
        yield Breach(message, as_text(found.expected), as_text(found.actual))


def as_text(value: Any) -> str:
    """A value of a difference as JSON, or its words."""
    return value.text if isinstance(value, Words) else json.dumps(value, indent=2, sort_keys=True)


def references_resolve(document: Document, _: Checkout) -> Iterator[Breach]:
    """No reference dangles."""
    for line in dangling(document):
        yield Breach(
            "a reference in the composed document leads nowhere", "references that lead somewhere in it", line
        )


def operation_ids_unique(document: Document, _: Checkout) -> Iterator[Breach]:
    """No two operations have the same operationId, those of callbacks included."""
    places: dict[str, list[str]] = defaultdict(list)
    for place, kind, node in every_object(document):
        if kind == "operation" and isinstance(node, dict) and "operationId" in node:
            places[str(node["operationId"])].append(pointer(place))
    for operation_id, found in sorted(places.items()):
        if len(found) > 1:
            yield Breach(
                f"operationId {operation_id} of the composed document isn't unique",
                "one operation with it",
                f"it stands at {' and at '.join(sorted(found))}",
            )


def valid_openapi(document: Document, _: Checkout) -> Iterator[Breach]:
    """The OpenAPI Specification's schema and the rules that `openapi-spec-validator` knows accept it."""
    for line in _invalid(document):
        yield Breach("the composed document isn't valid OpenAPI", "what the OpenAPI Specification allows", line)


def _invalid(document: Document) -> Iterator[str]:
    with ALONE:
        from jsonschema.exceptions import ValidationError
        from openapi_spec_validator import (
            OpenAPIV30SpecValidator,
            OpenAPIV31SpecValidator,
            OpenAPIV32SpecValidator,
        )
        from referencing.exceptions import Unresolvable

    validators = {
        "3.0": OpenAPIV30SpecValidator,
        "3.1": OpenAPIV31SpecValidator,
        "3.2": OpenAPIV32SpecValidator,
    }
    version = document.get("openapi")
    validator = validators.get(str(version)[:3])
    if validator is None:
        yield f"/openapi: {version!r} is no version of OpenAPI 3"
        return
    try:
        validator(dict(document)).validate()
    except ValidationError as error:
        yield f"{pointer(map(str, error.absolute_path))}: {error.message.splitlines()[0]}"
    except Unresolvable as error:
        yield f"a reference leads nowhere: {error.ref}"


INVARIANTS: Mapping[str, Invariant] = {
    "faithful": faithful,
    "operation-ids-unique": operation_ids_unique,
    "references-resolve": references_resolve,
    "valid-openapi": valid_openapi,
}
