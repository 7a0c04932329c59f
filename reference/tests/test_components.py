"""Components of all kinds come along, and the result is a valid document (contract section 4, hardened)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from openapi_spec_validator import validate

Json = dict[str, Any]


def ref(kind: str, name: str) -> Json:
    return {"$ref": f"#/components/{kind}/{name}"}


def document(service: str, version: str) -> Json:
    """A document whose operation needs a component of each kind; each kind leads to the service's own `Detail`."""
    detail = {"type": "object", "title": service, "properties": {"again": ref("schemas", "Detail")}}
    content = {"application/json": {"schema": ref("schemas", "Detail")}}
    components = {
        "schemas": {"Detail": detail, "Same": {"type": "string"}},
        "parameters": {
            "Limit": {"name": "limit", "in": "query", "schema": ref("schemas", "Same")},
            "Detail": {"name": "detail", "in": "query", "content": content},
        },
        "headers": {"Detail": {"schema": ref("schemas", "Detail")}},
        "examples": {"Detail": {"value": {"by": service}}},
        "responses": {
            "Detail": {
                "description": "ok",
                "headers": {"x-detail": ref("headers", "Detail")},
                "links": {"again": ref("links", "Detail")},
                "content": {
                    "application/json": {
                        "schema": ref("schemas", "Detail"),
                        "examples": {"one": ref("examples", "Detail")},
                    },
                    "multipart/form-data": {
                        "schema": {"type": "object", "properties": {"part": {"type": "string"}}},
                        "encoding": {"part": {"headers": {"x-part": ref("headers", "Detail")}}},
                    },
                },
            },
            "Unused": {"description": "needed by nothing", "content": content},
        },
        "requestBodies": {"Detail": {"content": content}},
        "links": {"Detail": {"operationId": "detail"}},
        "callbacks": {
            "Detail": {
                "{$request.body#/url}": {
                    "post": {
                        "operationId": "called",
                        "security": [{"own": []}],
                        "requestBody": ref("requestBodies", "Detail"),
                        "responses": {"200": ref("responses", "Detail")},
                    }
                }
            }
        },
        "securitySchemes": {"own": {"type": "http", "scheme": "bearer"}},
    }
    return {
        "openapi": version,
        "security": [{"own": []}],
        "paths": {
            f"/{service}/{{id}}": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": ref("schemas", "Same")}],
                "post": {
                    "operationId": "detail",
                    "parameters": [ref("parameters", "Limit"), ref("parameters", "Detail")],
                    "requestBody": ref("requestBodies", "Detail"),
                    "responses": {"200": ref("responses", "Detail")},
                    "callbacks": {"done": ref("callbacks", "Detail")},
                },
            }
        },
        "components": components,
    }


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_every_kind_comes_along_renamed_where_it_leads_to_another(
    make_checkout: Callable[..., Any], version: str
) -> None:
    checkout = make_checkout(alpha=document("alpha", version), beta=document("beta", version))
    before = {path: path.read_bytes() for path in checkout.root.rglob("*") if path.is_file()}
    composed = checkout.compose()
    validate(composed)
    components = composed["components"]
    assert set(components.pop("securitySchemes")) == {"gcoHmac"}
    assert {kind: sorted(components[kind]) for kind in components} == {
        "schemas": ["Detail", "Same", "beta.Detail"],
        "parameters": ["Detail", "Limit", "beta.Detail"],
        "headers": ["Detail", "beta.Detail"],
        "examples": ["Detail", "beta.Detail"],
        "responses": ["Detail", "beta.Detail"],
        "requestBodies": ["Detail", "beta.Detail"],
        "links": ["Detail", "beta.Detail"],
        "callbacks": ["Detail", "beta.Detail"],
    }
    assert "'#/components/headers/Detail'" not in str([components[kind]["beta.Detail"] for kind in components])
    operation = composed["paths"]["/beta/{id}"]["post"]
    assert operation["parameters"] == [ref("parameters", "Limit"), ref("parameters", "beta.Detail")]
    assert operation["operationId"] == components["links"]["beta.Detail"]["operationId"] == "beta.detail"
    assert operation["callbacks"] == {"done": ref("callbacks", "beta.Detail")}
    called = components["callbacks"]["beta.Detail"]["{$request.body#/url}"]["post"]
    assert called["operationId"] == "beta.called"
    assert "security" not in called
    assert {path: path.read_bytes() for path in before} == before


def test_replaced_security_is_said_for_each_service_that_had_some(make_checkout: Callable[..., Any]) -> None:
    checkout = make_checkout(alpha=document("alpha", "3.1.0"), beta={"paths": {}})
    source = checkout.compose()["x-gco-source"]
    assert source["replacedSecurity"] == {"alpha": ["components.securitySchemes", "security"]}


def test_what_only_other_services_need_leaves_a_name_free(make_checkout: Callable[..., Any]) -> None:
    alpha = {"components": {"responses": {"Detail": {"description": "alpha's, and needed by nothing"}}}}
    beta = document("beta", "3.1.0")
    composed = make_checkout(alpha=alpha, beta=beta).compose()
    assert list(composed["components"]["responses"]) == ["Detail"]
    assert composed["components"]["responses"]["Detail"]["description"] == "ok"


def test_path_items_behind_references_in_callbacks_come_along(make_checkout: Callable[..., Any]) -> None:
    item = {"post": {"responses": {"200": {"description": "ok"}}}}
    callbacks = {
        "one": {"{$url}": ref("pathItems", "Called")},
        "two": {"{$url}": {"$ref": "#/paths/~1gone"}},
    }
    operation = {"responses": {"200": {"description": "ok"}}, "callbacks": callbacks}
    alpha = {
        "paths": {"/alpha": {"get": operation}, "/gone": item},
        "components": {"pathItems": {"Called": item}},
    }
    composed = make_checkout(alpha=alpha).compose()
    validate(composed)
    found = composed["paths"]["/alpha"]["get"]["callbacks"]
    names = [found[name]["{$url}"]["$ref"].rpartition("/")[2] for name in ("one", "two")]
    assert [composed["components"]["pathItems"][name] for name in names] == [item, item]


def test_the_result_is_json(make_checkout: Callable[..., Any]) -> None:
    composed = make_checkout(alpha=document("alpha", "3.1.0")).compose()
    assert json.loads(json.dumps(composed)) == composed
