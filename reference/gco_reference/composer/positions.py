"""Where in an OpenAPI document what kind of object stands.

References are found by position, never by a key's name: a property called `$ref` is a schema, the text `$ref`
in an example is data. Whatever this table doesn't name is data.

Sources: OpenAPI 3.0.4, 3.1.1 and 3.2.0, "Fixed Fields" of each object; JSON Schema 2020-12, and the keywords
of earlier drafts that are still in use (`definitions`, `dependencies`, `items` as a list).
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple


class Form(Enum):
    """How objects of a kind stand under a key."""

    ONE = auto()
    LIST = auto()
    MAP = auto()
    RESPONSES = auto()  # a map that may hold extensions
    DEPENDENCIES = auto()  # a map of schemas and of lists of text
    ONE_OR_LIST = auto()
    REFERENCE = auto()
    DISCRIMINATOR = auto()
    LINK_TARGET = auto()
    REFUSED = auto()


class Position(NamedTuple):
    """`kind` is the kind of the objects at the position ("" where the form says it all)."""

    form: Form
    kind: str = ""


Table = dict[str, dict[str, Position]]

COMPONENT_KINDS = frozenset(
    {
        "callbacks",
        "examples",
        "headers",
        "links",
        "mediaTypes",
        "parameters",
        "pathItems",
        "requestBodies",
        "responses",
        "schemas",
    }
)

_REFERENCE = {"$ref": Position(Form.REFERENCE)}


def _all(keys: str, form: Form, kind: str = "") -> dict[str, Position]:
    return dict.fromkeys(keys.split(), Position(form, kind))


_PARAMETER = {
    "content": Position(Form.MAP, "mediaTypes"),
    "examples": Position(Form.MAP, "examples"),
    "schema": Position(Form.ONE, "schemas"),
}

_ENCODING = {
    "encoding": Position(Form.MAP, "encodings"),
    "itemEncoding": Position(Form.ONE, "encodings"),
    "prefixEncoding": Position(Form.LIST, "encodings"),
}

_METHODS = "get put post delete options head patch trace"

_TABLE: Table = {
    "schemas": _REFERENCE
    | _all("allOf anyOf oneOf prefixItems", Form.LIST, "schemas")
    | _all("$defs definitions dependentSchemas patternProperties properties", Form.MAP, "schemas")
    | _all(
        "additionalItems additionalProperties contains contentSchema else if not propertyNames then "
        "unevaluatedItems unevaluatedProperties",
        Form.ONE,
        "schemas",
    )
    | _all("$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef", Form.REFUSED)
    | {
        "dependencies": Position(Form.DEPENDENCIES, "schemas"),
        "discriminator": Position(Form.DISCRIMINATOR),
        "items": Position(Form.ONE_OR_LIST, "schemas"),
    },
    "responses": _REFERENCE
    | {
        "content": Position(Form.MAP, "mediaTypes"),
        "headers": Position(Form.MAP, "headers"),
        "links": Position(Form.MAP, "links"),
    },
    "parameters": _REFERENCE | _PARAMETER,
    "examples": _REFERENCE,
    "requestBodies": _REFERENCE | {"content": Position(Form.MAP, "mediaTypes")},
    "headers": _REFERENCE | _PARAMETER,
    "links": _REFERENCE | _all("operationId operationRef", Form.LINK_TARGET),
    "callbacks": _REFERENCE,  # every other key is an expression: see `position`
    "pathItems": _REFERENCE
    | _all(_METHODS, Form.ONE, "operations")
    | {"parameters": Position(Form.LIST, "parameters")},
    "mediaTypes": _REFERENCE
    | _ENCODING
    | {
        "examples": Position(Form.MAP, "examples"),
        "itemSchema": Position(Form.ONE, "schemas"),
        "schema": Position(Form.ONE, "schemas"),
    },
    "operations": {
        "callbacks": Position(Form.MAP, "callbacks"),
        "parameters": Position(Form.LIST, "parameters"),
        "requestBody": Position(Form.ONE, "requestBodies"),
        "responses": Position(Form.RESPONSES, "responses"),
    },
    "encodings": _ENCODING | {"headers": Position(Form.MAP, "headers")},
}

_TABLE_3_2: Table = _TABLE | {
    "pathItems": _TABLE["pathItems"]
    | {
        "additionalOperations": Position(Form.MAP, "operations"),
        "query": Position(Form.ONE, "operations"),
    }
}

_EXPRESSION = Position(Form.ONE, "pathItems")


def table(minor: int) -> Table:
    """The positions of OpenAPI 3.`minor`: kind of object, then key."""
    return _TABLE if minor < 2 else _TABLE_3_2


def methods(minor: int) -> tuple[str, ...]:
    """The keys of a path item that are operations."""
    return (*_METHODS.split(), *(["query"] if minor >= 2 else []))


def position(positions: Table, kind: str, key: str) -> Position | None:
    """What stands under `key` of an object of `kind`; `None` for data."""
    found = positions[kind].get(key)
    if found is None and kind == "callbacks" and not key.startswith("x-"):
        return _EXPRESSION
    return found
