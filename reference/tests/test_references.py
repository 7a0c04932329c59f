"""References are found by position, followed exactly and never left dangling (contract section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def ref(name: str, kind: str = "schemas") -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


Compose = Callable[..., dict[str, Any]]


@pytest.fixture
def beta(make_checkout: Callable[..., Any], make_operation: Callable[..., Any]) -> Callable[..., Any]:
    """A checkout in which beta's `Status` conflicts with alpha's, and beta answers with `schema`."""

    def make(schema: Any, paths: dict[str, Any] | None = None, **components: Any) -> Any:
        schemas = {"Status": {"properties": {"code": {"type": "integer"}}}, **components.pop("schemas", {})}
        return make_checkout(
            alpha={
                "paths": {"/alpha": {"get": make_operation(ref("Status"))}},
                "components": {"schemas": {"Status": {"type": "string"}}},
            },
            beta={
                "paths": {"/beta": {"get": make_operation(schema)}, **(paths or {})},
                "components": {"schemas": schemas, **components},
            },
        )

    return make


def answer(composed: dict[str, Any], path: str = "/beta") -> Any:
    return composed["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]


RENAMED = "#/components/schemas/beta.Status"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"$ref": ref("Status")}},
        {"properties": {"default": ref("Status")}},
        {"properties": {"example": ref("Status"), "enum": ref("Status"), "const": ref("Status")}},
        {"properties": {"discriminator": ref("Status"), "mapping": ref("Status"), "x-a": ref("Status")}},
        {"patternProperties": {"^x-": ref("Status")}},
        {"additionalProperties": ref("Status")},
        {"items": ref("Status")},
        {"prefixItems": [True, ref("Status")]},
        {"items": [ref("Status")]},
        {"not": {"allOf": [{"anyOf": [{"oneOf": [ref("Status")]}]}]}},
        {"if": ref("Status"), "then": ref("Status"), "else": ref("Status")},
        {"dependentSchemas": {"a": ref("Status")}},
        {"dependencies": {"a": ["b"], "c": ref("Status")}},
        {"$defs": {"A": ref("Status")}, "definitions": {"B": ref("Status")}},
        {"contains": ref("Status"), "propertyNames": ref("Status"), "contentSchema": ref("Status")},
        {"unevaluatedItems": ref("Status"), "unevaluatedProperties": ref("Status")},
        {"$ref": "#/components/schemas/Status", "properties": {"more": ref("Status")}},
    ],
)
def test_a_reference_is_one_wherever_a_schema_stands(beta: Callable[..., Any], schema: Any) -> None:
    text = str(answer(beta(schema).compose()))
    assert RENAMED in text
    assert "'#/components/schemas/Status'" not in text


@pytest.mark.parametrize(
    "schema",
    [
        {"default": ref("Status"), "example": ref("Status"), "const": ref("Gone")},
        {"enum": [ref("Status")], "examples": [ref("Status"), {"$id": "a", "$anchor": "b"}]},
        {"x-note": ref("Status"), "unknown": {"properties": {"a": ref("Status")}}},
        {"properties": {"a": {"default": {"properties": {"b": ref("Status")}}}}},
        {"properties": {"mapping": {"default": {"a": "#/components/schemas/Status"}}}},
    ],
)
def test_the_same_text_in_data_stays(beta: Callable[..., Any], schema: Any) -> None:
    assert answer(beta(schema).compose()) == schema


def test_examples_are_data_and_may_be_references(beta: Callable[..., Any], make_operation: Any) -> None:
    operation = make_operation({})
    media = operation["responses"]["200"]["content"]["application/json"]
    media["example"] = ref("Status")
    media["examples"] = {"inline": {"value": ref("Status")}, "shared": ref("E", "examples")}
    parameter = {"name": "q", "in": "query", "schema": ref("Status"), "example": ref("Status")}
    checkout = beta(
        {},
        {"/beta/more": {"get": {**operation, "parameters": [parameter]}}},
        examples={"E": {"value": ref("Status")}},
    )
    composed = checkout.compose()
    found = composed["paths"]["/beta/more"]["get"]
    assert found["responses"]["200"]["content"]["application/json"] == media
    assert found["parameters"] == [{**parameter, "schema": ref("beta.Status")}]
    assert composed["components"]["examples"] == {"E": {"value": ref("Status")}}


def test_an_extension_among_responses_or_in_a_callback_is_data(beta: Callable[..., Any]) -> None:
    gone = ref("Gone", "responses")
    operation = {"responses": {"x-a": gone}, "callbacks": {"done": {"x-b": gone}}}
    composed = beta({}, {"/beta/more": {"get": operation, "x-c": gone}}).compose()
    item = composed["paths"]["/beta/more"]
    assert item["x-c"] == item["get"]["responses"]["x-a"] == item["get"]["callbacks"]["done"]["x-b"] == gone


def test_a_reference_to_a_part_of_a_schema_follows(beta: Callable[..., Any]) -> None:
    schema = ref("Status/properties/code")
    assert answer(beta(schema).compose()) == ref("beta.Status/properties/code")


def test_pointer_escapes_are_understood(make_checkout: Callable[..., Any], make_operation: Any) -> None:
    names = {"G/H": "G~1H", "T~U": "T~0U", "a b": "a%20b", "é": "%C3%A9", "100%": "100%25", "L[M]": "L[M]"}

    def document(service: str) -> dict[str, Any]:
        return {
            "paths": {f"/{service}": {"get": make_operation({"anyOf": [ref(text) for text in names.values()]})}},
            "components": {"schemas": {name: {"title": service} for name in names}},
        }

    composed = make_checkout(alpha=document("alpha"), beta=document("beta")).compose()
    assert answer(composed)["anyOf"] == [ref(f"beta.{text}") for text in names.values()]
    assert {f"beta.{name}" for name in names} <= composed["components"]["schemas"].keys()


def test_a_reference_into_a_path_gets_a_component(beta: Callable[..., Any], make_operation: Any) -> None:
    pointer = "#/paths/~1gone~1{id}/get/responses/200/content/application~1json/schema"
    paths = {"/gone/{id}": {"get": make_operation({"items": ref("Status")})}}
    composed = beta({"$ref": pointer}, paths).compose()
    found = answer(composed)["$ref"]
    assert found.startswith("#/components/schemas/")
    assert composed["components"]["schemas"][found.rpartition("/")[2]] == {"items": ref("beta.Status")}


def test_a_reference_into_a_kept_path_keeps_its_meaning(beta: Callable[..., Any], make_operation: Any) -> None:
    pointer = "#/paths/~1beta~1more/get/responses/200/content/application~1json/schema"
    paths = {"/beta/more": {"get": make_operation({"items": {"$ref": pointer}})}}
    composed = beta({"$ref": pointer}, paths).compose()
    moved = answer(composed)
    assert composed["components"]["schemas"][moved["$ref"].rpartition("/")[2]] == {"items": moved}
    assert answer(composed, "/beta/more") == {"items": moved}


def test_a_reference_into_an_extension_gets_a_component_and_leaves_the_data(beta: Callable[..., Any]) -> None:
    checkout = beta(ref("Bag/x-parts/one"), schemas={"Bag": {"x-parts": {"one": {"items": ref("Status")}}}})
    schemas = checkout.compose()["components"]["schemas"]
    assert schemas["Bag"] == {"x-parts": {"one": {"items": ref("Status")}}}
    assert {"items": ref("beta.Status")} in schemas.values()


def test_moved_places_of_similar_names_stay_apart(beta: Callable[..., Any]) -> None:
    bag = {"a/b": {"title": "one"}, "a.b": {"title": "two"}}
    schema = {"anyOf": [ref("Bag/x-parts/a~1b"), ref("Bag/x-parts/a.b")]}
    composed = beta(schema, schemas={"Bag": {"x-parts": bag}}).compose()
    names = [item["$ref"].rpartition("/")[2] for item in answer(composed)["anyOf"]]
    assert [composed["components"]["schemas"][name]["title"] for name in names] == ["one", "two"]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (ref("Gone"), '"#/components/schemas/Gone" leads nowhere'),
        (ref("Status/properties/gone"), "leads nowhere"),
        (ref("R", "responses"), "leads nowhere"),
        ({"$ref": "common.json#/Job"}, '"common.json#/Job" leads to another file'),
        ({"$ref": "https://a.example/job"}, "another file"),
        ({"$ref": "#job"}, "an anchor"),
        ({"$ref": 7}, "$ref must be text"),
        ({"$anchor": "a"}, "$anchor"),
        ({"$id": "a"}, "$id"),
        ({"$dynamicRef": "#a"}, "$dynamicRef"),
        ({"properties": []}, "properties must be an object"),
        ({"items": 7}, "an object is expected"),
        ({"allOf": {}}, "allOf must be a list"),
        ({"discriminator": {"propertyName": "k", "mapping": {"a": "Gone"}}}, '"Gone" leads nowhere'),
        ({"discriminator": {"propertyName": "k", "mapping": {"a": "x.json"}}}, "another file"),
    ],
)
def test_a_refusal_names_the_reference_and_its_place(beta: Callable[..., Any], schema: Any, said: str) -> None:
    error = beta(schema).refusal()
    assert error.file == "services/beta.json"
    assert said in str(error)
    assert '"/beta"' in str(error)


def test_a_reference_to_another_kind_of_object_is_refused(beta: Callable[..., Any]) -> None:
    error = beta(ref("R", "responses"), responses={"R": {"description": "r"}}).refusal()
    assert "responses" in str(error)


def test_a_dangling_reference_is_an_error_even_where_it_is_not_needed(beta: Callable[..., Any]) -> None:
    unused = {"description": "unused", "content": {"a/b": {"schema": ref("Gone")}}}
    assert "Gone" in str(beta({}, responses={"Unused": unused}).refusal())
    unreachable = {"/elsewhere": {"get": {"responses": {"200": ref("Gone", "responses")}}}}
    assert "Gone" in str(beta({}, unreachable).refusal())
