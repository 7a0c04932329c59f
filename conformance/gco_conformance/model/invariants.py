"""What holds of every composed document, whatever the checkout. Each invariant yields a line per breach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.importing import ALONE
from gco_conformance.model.faithfulness import differences
from gco_conformance.model.positions import every_object
from gco_conformance.model.references import Document, dangling
from gco_conformance.model.surface import read

Invariant = Callable[[Document, Checkout], Iterator[str]]


def faithful(document: Document, checkout: Checkout) -> Iterator[str]:
    """Every kept operation means what it means in its service's own document."""
    for difference in differences(document, read(checkout)):
        yield f"{difference.place}: expected {difference.expected!r}, found {difference.actual!r}"


def references_resolve(document: Document, _: Checkout) -> Iterator[str]:
    """No reference dangles."""
    yield from dangling(document)


def operation_ids_unique(document: Document, _: Checkout) -> Iterator[str]:
    """No two operations have the same operationId, those of callbacks included."""
    places: dict[str, list[str]] = defaultdict(list)
    for place, kind, node in every_object(document):
        if kind == "operation" and isinstance(node, dict) and "operationId" in node:
            places[str(node["operationId"])].append(" ".join(place))
    for operation_id, found in sorted(places.items()):
        if len(found) > 1:
            yield f"operationId {operation_id} stands at {' and at '.join(sorted(found))}"


def valid_openapi(document: Document, _: Checkout) -> Iterator[str]:
    """The OpenAPI Specification's schema and the rules that `openapi-spec-validator` knows accept it."""
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
        yield f"/{'/'.join(map(str, error.absolute_path))}: {error.message.splitlines()[0]}"
    except Unresolvable as error:
        yield f"a reference leads nowhere: {error.ref}"


INVARIANTS: Mapping[str, Invariant] = {
    "faithful": faithful,
    "operation-ids-unique": operation_ids_unique,
    "references-resolve": references_resolve,
    "valid-openapi": valid_openapi,
}
