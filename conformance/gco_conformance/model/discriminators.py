"""What the values of a discriminating property select where no mapping says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gco_conformance.model.references import Document, last_token, reference_of, resolve


def implied_values(document: Document, schema: Mapping[str, Any]) -> dict[str, str]:
    """What values of the discriminating property select by name: alternatives, or schemas that extend it.

    Where there are alternatives, OpenAPI asks for all of them to be listed.
    """
    alternatives = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    if not alternatives:
        return {name: name for name in _extending(document, schema)}
    references = [reference for alternative in alternatives if (reference := reference_of(alternative))]
    return {last_token(reference): reference for reference in references if "/" in reference}


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
