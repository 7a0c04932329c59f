"""Simulated answers fit the schemas that they are made for, and are the same whenever they are made."""

from __future__ import annotations

from typing import Any

import pytest

from gco_conformance.gateway.answers import answer, valid
from gco_conformance.gateway.service import Service

TREE = {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}
SCHEMAS = {
    "Tree": {"type": "object", "required": ["kids"], "properties": {"kids": TREE}},
    "Endless": {
        "type": "object",
        "required": ["on"],
        "properties": {"on": {"$ref": "#/components/schemas/Endless"}},
    },
}


def service(schema: Any, version: str = "3.1.0", **more: Any) -> Service:
    content = {"application/json": {"schema": schema}}
    paths = {"/a": {"get": {"responses": {"200": {"description": "ok", "content": content, **more}}}}}
    return Service({"openapi": version, "paths": paths, "components": {"schemas": SCHEMAS}})


PLACE = "/paths/~1a/get/responses/200/content/application~1json/schema"


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": "null"},
        {"type": ["string", "null"], "minLength": 20, "maxLength": 30},
        {"type": "integer", "minimum": 5, "exclusiveMaximum": 7},
        {"type": "integer", "maximum": -5, "multipleOf": 5},
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        {"type": "string", "pattern": "^[a-f]{4}-[0-9]+$"},
        *({"type": "string", "format": name} for name in ("date-time", "date", "uuid", "email", "ipv6", "uri")),
        {"enum": ["a", None, 3]},
        {"const": {"a": 1}},
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 2},
        {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": False, "minItems": 2},
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2},
        {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {"a": {}, "b": {}}},
        {"properties": {"a": {"type": "integer", "default": "wrong"}}, "required": ["a"]},
        {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        {"anyOf": [{"$ref": "#/components/schemas/Tree"}, {"type": "null"}]},
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"properties": {"a": {"minimum": 4}, "b": {"type": "string"}}, "required": ["b"]},
            ]
        },
        {"$ref": "#/components/schemas/Tree"},
    ],
)
def test_data_is_found_that_fits(schema: Any) -> None:
    found = valid(service(schema), PLACE, "seed", 4)
    assert len(found) == 4
    assert found == valid(service(schema), PLACE, "seed", 4)


def test_another_seed_gives_other_data() -> None:
    schema = {"type": "string"}
    assert valid(service(schema), PLACE, "1") != valid(service(schema), PLACE, "2")


@pytest.mark.parametrize(
    "schema",
    [False, {"$ref": "#/components/schemas/Endless"}, {"$ref": "#/components/schemas/Nowhere"}, {"not": {}}],
)
def test_no_data_rather_than_wrong_data(schema: Any) -> None:
    documented = service(schema)
    assert valid(documented, PLACE, "seed") == []
    reply = answer(documented, documented.by_path["/a"]["GET"], "seed")
    assert reply.status == 501


def test_readers_of_openapi_3_0_see_null_and_no_password() -> None:
    schema = {
        "type": "object",
        "required": ["secret"],
        "properties": {"secret": {"type": "string", "writeOnly": True}, "a": {"type": "string", "nullable": True}},
    }
    assert service(schema, "3.0.3").validators.at(PLACE, "answer").is_valid({"a": None})


def test_headers_are_answered_too() -> None:
    documented = service({}, headers={"X-Count": {"schema": {"const": 3}}, "X-Any": {}, "Content-Type": {}})
    reply = answer(documented, documented.by_path["/a"]["GET"], "seed")
    assert reply.headers == (("Content-Type", "application/json"), ("X-Count", "3"), ("X-Any", "present"))


@pytest.mark.parametrize(
    ("responses", "status", "body"),
    [
        ({}, 200, b"null"),
        ({"204": {"description": "done"}, "404": {"description": "none"}}, 204, b""),
        ({"404": {"description": "none"}, "default": {"description": "done"}}, 200, b""),
        ({"404": {"description": "none"}}, 404, b""),
        ({"2XX": {"description": "ok", "content": {"text/plain": {"schema": {"const": "hi"}}}}}, 200, b"hi"),
        ({"201": {"description": "ok", "content": {"image/png": {}}}}, 201, b"simulated"),
    ],
)
def test_the_answer_of_success_is_given(responses: Any, status: int, body: bytes) -> None:
    documented = Service({"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": responses}}}})
    reply = answer(documented, documented.by_path["/a"]["GET"], "seed")
    assert (reply.status, reply.body) == (status, body)
