"""Following references in an OpenAPI document, and finding those that lead nowhere."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from gco_conformance.model.positions import every_object

Document = Mapping[str, Any]


class Dangling(Exception):
    """A reference that leads nowhere in its document."""


def resolve(document: Document, reference: str) -> Any:
    """What `reference` leads to: a JSON Pointer, an anchor or the `$id` of a schema, the only one of its kind."""
    place, _, fragment = reference.partition("#")
    fragment = unquote(fragment)
    if place:
        found = _schemas(document, {"$id": place, "$anchor": fragment} if fragment else {"$id": place})
    elif fragment and not fragment.startswith("/"):
        found = _schemas(document, {"$anchor": fragment}) or _schemas(document, {"$dynamicAnchor": fragment})
    else:
        return at(document, fragment)
    if len(found) != 1:
        raise Dangling(reference)
    return found[0]


def _schemas(document: Document, having: Mapping[str, str]) -> list[Any]:
    """The schemas that have these keywords with these values."""
    return [
        node
        for _, kind, node in every_object(document)
        if kind == "schema"
        and isinstance(node, dict)
        and all(node.get(keyword) == value for keyword, value in having.items())
    ]


def at(document: Any, pointer: str) -> Any:
    """What stands at a JSON Pointer (RFC 6901). Raises `Dangling` when there is nothing."""
    node = document
    for token in pointer.split("/")[1:]:
        token = unescaped(token)
        try:
            node = node[int(token)] if isinstance(node, list) else node[token]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Dangling(pointer) from None
    return node


def pointer(tokens: Iterable[str]) -> str:
    """The JSON Pointer (RFC 6901) of these keys and indices, one below the other."""
    return "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens)


def unescaped(token: str) -> str:
    """A key as it is, from a JSON Pointer."""
    return token.replace("~1", "/").replace("~0", "~")


def last_token(reference: str) -> str:
    """The last key of a reference's JSON Pointer, which for a component is its name."""
    return unescaped(unquote(reference).rsplit("/", 1)[-1])


def spelled_alike(document: Document) -> dict[str, Any]:
    """A copy of `document` in which no reference has its fragment percent-encoded, which says the same (RFC 3986).

    Text that only looks like a reference stays as it is.
    """
    copied = copy.deepcopy(dict(document))
    for _, kind, node in every_object(copied):
        if isinstance(node, dict):
            for keyword in ("$ref", "$dynamicRef"):
                if isinstance(node.get(keyword), str):
                    node[keyword] = _decoded(node[keyword])
            if kind == "schema" and (mapping := discriminator_mapping(node)):
                node["discriminator"]["mapping"] = {value: _decoded(target) for value, target in mapping.items()}
    return copied


def _decoded(reference: Any) -> Any:
    if not isinstance(reference, str):
        return reference
    place, mark, fragment = reference.partition("#")
    return f"{place}{mark}{unquote(fragment)}"


def reference_of(node: Any) -> str | None:
    """The reference that an object is, or that a schema carries."""
    if isinstance(node, dict):
        for keyword in ("$ref", "$dynamicRef"):
            if isinstance(node.get(keyword), str):
                return str(node[keyword])
    return None


def whole_item(document: Document, node: Any) -> dict[str, Any]:
    """A path item with what it refers to. Raises `Dangling` when that isn't there."""
    if not isinstance(node, dict):
        return {}
    reference = reference_of(node)
    return dict(node) if reference is None else {**whole_item(document, resolve(document, reference)), **node}


def mapped_schema(document: Document, target: str) -> Any:
    """The schema that a value of a discriminator's mapping names: a component's name or a reference."""
    schemas = document.get("components", {}).get("schemas", {})
    return schemas[target] if target in schemas else resolve(document, target)


def dangling(document: Document) -> Iterator[str]:
    """Every reference of the document that leads nowhere, with its place."""
    for place, kind, node in every_object(document):
        where = pointer(place)
        reference = reference_of(node)
        if reference is not None and not _leads_somewhere(document, reference):
            yield f"{where}: {reference}"
        if kind == "schema" and isinstance(node, dict):
            for target in discriminator_mapping(node).values():
                try:
                    mapped_schema(document, target)
                except Dangling:
                    yield f"{where}/discriminator/mapping: {target}"


def _leads_somewhere(document: Document, reference: str) -> bool:
    try:
        resolve(document, reference)
    except Dangling:
        return False
    return True


def discriminator_mapping(schema: Mapping[str, Any]) -> Mapping[str, str]:
    """The mapping that a schema's discriminator spells out."""
    discriminator = schema.get("discriminator")
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    return mapping if isinstance(mapping, dict) else {}
