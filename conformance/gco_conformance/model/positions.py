"""Where references can stand in an OpenAPI document.

A reference is one by its position and never by its spelling: a property that is called `$ref` is a schema,
the text `$ref` in an example is data. `FIELDS` says, for each kind of object of the OpenAPI Specification
(3.0 to 3.2), which of its fields hold which kind, alone, in a list or in a map. What it doesn't name is data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"})

Shape = Literal["one", "list", "map"]
Fields = Mapping[str, tuple[Shape, str]]

_CONTENT: Fields = {
    "content": ("map", "media type"),
    "schema": ("one", "schema"),
    "examples": ("map", "example"),
}
_SCHEMA: Fields = {
    "additionalProperties": ("one", "schema"),
    "allOf": ("list", "schema"),
    "anyOf": ("list", "schema"),
    "contains": ("one", "schema"),
    "contentSchema": ("one", "schema"),
    "definitions": ("map", "schema"),
    "dependentSchemas": ("map", "schema"),
    "$defs": ("map", "schema"),
    "else": ("one", "schema"),
    "if": ("one", "schema"),
    "items": ("one", "schema"),
    "not": ("one", "schema"),
    "oneOf": ("list", "schema"),
    "patternProperties": ("map", "schema"),
    "prefixItems": ("list", "schema"),
    "properties": ("map", "schema"),
    "propertyNames": ("one", "schema"),
    "then": ("one", "schema"),
    "unevaluatedItems": ("one", "schema"),
    "unevaluatedProperties": ("one", "schema"),
}
FIELDS: Mapping[str, Fields] = {
    "encoding": {"headers": ("map", "header")},
    "example": {},
    "header": _CONTENT,
    "link": {},
    "media type": {
        "schema": ("one", "schema"),
        "examples": ("map", "example"),
        "encoding": ("map", "encoding"),
    },
    "operation": {
        "parameters": ("list", "parameter"),
        "requestBody": ("one", "request body"),
        "responses": ("map", "response"),
        "callbacks": ("map", "callback"),
    },
    "parameter": _CONTENT,
    "path item": {
        "parameters": ("list", "parameter"),
        **dict.fromkeys(sorted(METHODS), ("one", "operation")),
    },
    "request body": {"content": ("map", "media type")},
    "response": {
        "headers": ("map", "header"),
        "content": ("map", "media type"),
        "links": ("map", "link"),
    },
    "schema": _SCHEMA,
}
COMPONENTS: Mapping[str, str] = {
    "callbacks": "callback",
    "examples": "example",
    "headers": "header",
    "links": "link",
    "parameters": "parameter",
    "pathItems": "path item",
    "requestBodies": "request body",
    "responses": "response",
    "schemas": "schema",
}


def fields(kind: str, node: Mapping[str, Any]) -> Fields:
    """Which fields of `node`, an object of `kind`, hold objects; a callback's expressions hold path items."""
    if kind == "callback":
        return {key: ("one", "path item") for key in node if not key.startswith("x-") and key != "$ref"}
    return FIELDS[kind]


def children(kind: str, node: Any) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """The objects right below `node`: their place below it, their kind, and themselves."""
    if not isinstance(node, dict):
        return
    for field, (shape, child) in fields(kind, node).items():
        value = node.get(field)
        if shape == "one" and value is not None:
            yield (field,), child, value
        elif shape == "list" and isinstance(value, list):
            yield from ((((field, str(index)), child, item)) for index, item in enumerate(value))
        elif shape == "map" and isinstance(value, dict):
            yield from (((field, key), child, item) for key, item in value.items() if not is_extension(field, key))


def is_extension(field: str, key: str) -> bool:
    """Whether a key of a map is an extension: only the Responses Object has some among its entries."""
    return field == "responses" and key.startswith("x-")


def every_object(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Every object of the paths and the components: place, kind, and itself. References aren't followed."""
    waiting: list[tuple[tuple[str, ...], str, Any]] = [
        (("paths", path), "path item", item)
        for path, item in document.get("paths", {}).items()
        if not path.startswith("x-")
    ]
    for group, kind in COMPONENTS.items():
        for name, component in document.get("components", {}).get(group, {}).items():
            waiting.append((("components", group, name), kind, component))
    while waiting:
        place, kind, node = waiting.pop()
        yield place, kind, node
        waiting.extend((place + below, child, value) for below, child, value in children(kind, node))
