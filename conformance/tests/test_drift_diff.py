"""Differences between operations: what is told, what of it breaks clients, and that equal ones have none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.drift.diff.operations import OperationDiffer

from .drift_checkout import searched

JSON = "application/json"


def answer(schema: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "Done", "content": {JSON: {"schema": schema}}}}}


def body(schema: Any, **more: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {JSON: {"schema": schema}}, **more}}


def query(**parameter: Any) -> dict[str, Any]:
    return {"parameters": [{"name": "q", "in": "query", **parameter}]}


def differences(old: Any, new: Any, old_schemas: Any = None, new_schemas: Any = None) -> list[tuple[str, bool]]:
    """What is told of two operations and their documents' schemas."""
    differ = OperationDiffer(
        {"components": {"schemas": old_schemas or {}}}, {"components": {"schemas": new_schemas or {}}}
    )
    return [(str(detail), detail.breaking) for detail in differ.compare({"get": old}, {"get": new}, "get")]


OBJECT = {"type": "object", "properties": {"id": {"type": "string"}}}
RESPONSE = "response 200 application/json"
REQUEST = "request body application/json"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({}, query(), [("query parameter q: new", False)]),
        ({}, query(required=True), [("query parameter q: new and required", True)]),
        (query(), {}, [("query parameter q: gone", True)]),
        (query(), query(required=True), [("query parameter q: now required", True)]),
        (query(required=True), query(), [("query parameter q: no longer required", False)]),
        (
            query(schema={"maximum": 9}),
            query(schema={"maximum": 5}),
            [("query parameter q: maximum 5 instead of 9", True)],
        ),
        (
            query(schema={"maximum": 5}),
            query(schema={"maximum": 9}),
            [("query parameter q: maximum 9 instead of 5", False)],
        ),
        ({}, body(OBJECT), [("request body: new", False)]),
        ({}, body(OBJECT, required=True), [("request body: new", True)]),
        (body(OBJECT), {}, [("request body: gone", True)]),
        (body(OBJECT), body({**OBJECT, "required": ["id"]}), [(f"{REQUEST}/id: now required", True)]),
        (answer({**OBJECT, "required": ["id"]}), answer(OBJECT), [(f"{RESPONSE}/id: no longer required", True)]),
        (answer(OBJECT), answer({"type": "object"}), [(f"{RESPONSE}/id: gone", True)]),
        (answer({"type": "object"}), answer(OBJECT), [(f"{RESPONSE}/id: new", False)]),
        (
            answer({"type": "string"}),
            answer({"type": "integer"}),
            [(f"{RESPONSE}: type integer instead of string", True)],
        ),
        (
            answer({"type": ["string", "null"]}),
            answer({"type": "string"}),
            [(f"{RESPONSE}: type string instead of ['string', 'null']", False)],
        ),
        (
            body({"type": ["string", "null"]}),
            body({"type": "string"}),
            [(f"{REQUEST}: type string instead of ['string', 'null']", True)],
        ),
        (body({"enum": ["a", "b"]}), body({"enum": ["a"]}), [(f"{REQUEST}: the value b is gone", True)]),
        (answer({"enum": ["a"]}), answer({"enum": ["a", "b"]}), [(f"{RESPONSE}: the value b is new", True)]),
        (answer(OBJECT), {"responses": {}}, [("response 200: gone", True)]),
        ({"responses": {"404": {}}}, {"responses": {}}, [("response 404: gone", False)]),
        ({"responses": {}}, {"responses": {"404": {}}}, [("response 404: new", False)]),
        ({"summary": "a"}, {"summary": "b"}, [("another summary", False)]),
        ({"deprecated": True}, {}, [("another deprecated", False)]),
        (answer({"title": "a"}), answer({"title": "b"}), [(f"{RESPONSE}: another title", False)]),
        (
            answer({"oneOf": [{"type": "string"}]}),
            answer({"oneOf": []}),
            [(f"{RESPONSE}: oneOf [] instead of [{{'type': 'string'}}]", True)],
        ),
    ],
)
def test_each_difference_is_told_and_breaking_ones_are_marked(
    old: Any, new: Any, told: list[tuple[str, bool]]
) -> None:
    assert differences(old, new) == told


def test_a_renamed_schema_is_no_difference() -> None:
    old = {"beta.Job": {"properties": {"next": {"$ref": "#/components/schemas/beta.Job"}}}}
    new = {"Job": {"properties": {"next": {"$ref": "#/components/schemas/Job"}}}}
    left, right = ({"$ref": f"#/components/schemas/{name}"} for name in ("beta.Job", "Job"))
    assert differences(answer(left), answer(right), old, new) == []


def test_the_same_text_that_means_something_else_is_a_difference() -> None:
    schema = answer({"$ref": "#/components/schemas/Job"})
    reference = {"properties": {"state": {"$ref": "#/components/schemas/State"}}}
    old = {"Job": reference, "State": {"enum": ["open"]}}
    new = {"Job": reference, "State": {"enum": ["open", "shut"]}}
    assert differences(schema, schema, old, new) == [(f"{RESPONSE}/state: the value shut is new", True)]


def test_an_unrolled_recursion_is_no_difference_and_ends() -> None:
    old = {"A": {"properties": {"n": {"$ref": "#/components/schemas/A"}}}}
    new = {
        "A": {"properties": {"n": {"$ref": "#/components/schemas/B"}}},
        "B": {"properties": {"n": {"$ref": "#/components/schemas/A"}}},
    }
    schema = answer({"$ref": "#/components/schemas/A"})
    assert differences(schema, schema, old, new) == []


def test_a_recursion_with_words_beside_its_references_ends_too() -> None:
    def node(word: str) -> dict[str, Any]:
        return {"Node": {"properties": {"next": {"$ref": "#/components/schemas/Node", "description": word}}}}

    schema = answer({"$ref": "#/components/schemas/Node", "description": "start"})
    assert differences(schema, schema, node("a"), node("b")) == [(f"{RESPONSE}/next: another description", False)]


def test_a_mapping_that_a_composer_spelled_out_is_no_difference() -> None:
    pets = {name: {"properties": {"kind": {"const": name}}} for name in ("Cat", "Dog")}
    renamed = {f"beta.{name}": schema for name, schema in pets.items()}

    def union(prefix: str, discriminator: Any) -> Any:
        alternatives = [{"$ref": f"#/components/schemas/{prefix}{name}"} for name in pets]
        return answer({"oneOf": alternatives, "discriminator": discriminator})

    spelled = {"propertyName": "kind", "mapping": {name: f"#/components/schemas/beta.{name}" for name in pets}}
    assert differences(union("beta.", spelled), union("", {"propertyName": "kind"}), renamed, pets) == []


def test_what_a_composer_writes_anew_is_no_difference() -> None:
    own = {"operationId": "b.get", "tags": ["b"], "security": [], "x-gco-route": {}, "summary": "a"}
    assert differences(own, {"operationId": "get", "summary": "a"}) == []


@pytest.mark.parametrize("reference", ["#/components/schemas/Gone", "#/components/schemas/Round"])
def test_a_reference_that_leads_nowhere_is_told(reference: str) -> None:
    schemas = {"Round": {"$ref": "#/components/schemas/Round"}}
    found = differences(answer({"$ref": reference}), answer({"type": "string"}), schemas)
    assert len(found) == 1
    assert "leads nowhere" in found[0][0]


keys = [
    *("200", "a", "content", "discriminator", "enum", "get", "headers", "in", "items", "name", "oneOf"),
    *("parameters", "properties", "$ref", "requestBody", "required", "responses", "schema", "type"),
]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "string", "#/components/schemas/A"]),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.sampled_from(keys), below, max_size=3),
    max_leaves=10,
)
operations = st.dictionaries(
    st.sampled_from(["responses", "parameters", "requestBody", "summary"]), values, max_size=3
)


@searched
@given(operations, operations, values)
def test_any_operations_can_be_compared_and_equal_ones_are_equal(left: Any, right: Any, schema: Any) -> None:
    schemas = {"A": schema}
    differences(left, right, schemas, schemas)
    told = differences(left, left, schemas, schemas)
    assert all("leads nowhere" in text for text, _ in told)
