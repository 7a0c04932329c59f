"""What kept operations carry: tags, security, route, ids, links (contract section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]


def test_annotations(make_checkout: Make, make_operation: Make) -> None:
    operation = make_operation(
        tags=["x", "alpha", "y"], security=[{"own": []}], **{"x-gco-shadowed-by": "stale", "x-own": {"get": {}}}
    )
    item = {"get": operation, "summary": "s", "description": "d", "x-team": {"tags": 1}, "parameters": []}
    composed = make_checkout(alpha={"paths": {"/alpha/jobs": item}}).compose()
    assert composed["paths"]["/alpha/jobs"] == {
        "get": {
            "responses": {"200": {"description": "ok"}},
            "tags": ["alpha", "x", "y"],
            "security": [{"gcoHmac": []}],
            "x-gco-route": {"rule": "/alpha", "service": "alpha", "namespace": "apps", "port": 80},
            "x-own": {"get": {}},
        },
        "summary": "s",
        "description": "d",
        "x-team": {"tags": 1},
        "parameters": [],
    }
    (tag,) = composed["tags"]
    assert tag["name"] == "alpha"
    assert tag["description"]


def test_shadowing_rules_are_recorded_sorted(make_checkout: Make, make_operation: Make) -> None:
    rules = [("/", "alpha"), ("/jobs/old", "gamma"), ("/jobs/archive", "beta"), ("/jobs/own", "alpha")]
    paths = {
        "/jobs/{name}": {"get": make_operation(), "put": make_operation()},
        "/jobs": {"get": make_operation()},
    }
    composed = make_checkout(rules=rules, alpha={"paths": paths}, beta={}, gamma={}).compose()["paths"]
    shadows = [{"rule": "/jobs/archive", "service": "beta"}, {"rule": "/jobs/old", "service": "gamma"}]
    assert composed["/jobs/{name}"]["get"]["x-gco-shadowed-by"] == shadows
    assert composed["/jobs/{name}"]["put"]["x-gco-shadowed-by"] == shadows
    assert "x-gco-shadowed-by" not in composed["/jobs"]["get"]


def linked(make_operation: Make, **link: Any) -> Any:
    operation = make_operation()
    operation["responses"]["200"]["links"] = {"next": link}
    return operation


def link_of(composed: Any, path: str) -> Any:
    return composed["paths"][path]["get"]["responses"]["200"]["links"]["next"]


def test_operation_ids_are_made_unique_and_links_follow(make_checkout: Make, make_operation: Make) -> None:
    def document(service: str) -> Any:
        get = {**linked(make_operation, operationId="go"), "operationId": "start"}
        return {"paths": {f"/{service}": {"get": get, "put": make_operation(operationId="go")}}}

    taken = {"/alpha/taken": {"get": make_operation(operationId="beta.go")}}
    alpha = document("alpha")
    alpha["paths"] |= taken
    composed = make_checkout(alpha=alpha, beta=document("beta")).compose()
    ids = {
        path: [item[m]["operationId"] for m in ("get", "put") if m in item]
        for path, item in composed["paths"].items()
    }
    assert ids == {"/alpha": ["start", "go"], "/alpha/taken": ["beta.go"], "/beta": ["beta.start", "beta.go.2"]}
    assert link_of(composed, "/alpha") == {"operationId": "go"}
    assert link_of(composed, "/beta") == {"operationId": "beta.go.2"}


def test_an_unreachable_operation_takes_no_id(make_checkout: Make, make_operation: Make) -> None:
    alpha = {"paths": {"/elsewhere": {"get": make_operation(operationId="go")}}}
    beta = {"paths": {"/beta": {"get": make_operation(operationId="go")}}}
    composed = make_checkout(alpha=alpha, beta=beta).compose()
    assert composed["paths"]["/beta"]["get"]["operationId"] == "go"


def test_links_make_equal_components_different(make_checkout: Make, make_operation: Make) -> None:
    def document(service: str) -> Any:
        operation = make_operation(operationId="go")
        operation["responses"]["200"]["links"] = {"next": {"$ref": "#/components/links/Next"}}
        return {
            "paths": {f"/{service}": {"get": operation}},
            "components": {"links": {"Next": {"operationId": "go"}}},
        }

    composed = make_checkout(alpha=document("alpha"), beta=document("beta")).compose()
    assert composed["components"]["links"] == {
        "Next": {"operationId": "go"},
        "beta.Next": {"operationId": "beta.go"},
    }
    assert link_of(composed, "/beta") == {"$ref": "#/components/links/beta.Next"}


def test_an_operation_ref_follows_the_base_path(make_checkout: Make, make_operation: Make) -> None:
    paths = {
        "/jobs": {"get": linked(make_operation, operationRef="#/paths/~1jobs~1{id}/get")},
        "/jobs/{id}": {"get": make_operation()},
    }
    composed = make_checkout(alpha={"servers": [{"url": "/alpha"}], "paths": paths}).compose()
    assert link_of(composed, "/alpha/jobs") == {"operationRef": "#/paths/~1alpha~1jobs~1%7Bid%7D/get"}


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"operationId": "gone"}, '"gone"'),
        ({"operationId": "elsewhere"}, '"elsewhere"'),
        ({"operationRef": "#/paths/~1elsewhere/get"}, "deliver"),
        ({"operationRef": "#/paths/~1alpha/put"}, "leads nowhere"),
        ({"operationRef": "https://a.example/#/paths/~1a/get"}, "doesn't lead to an operation"),
        ({"operationId": "twice"}, "several"),
    ],
)
def test_a_link_that_cannot_be_followed_is_refused(
    make_checkout: Make, make_operation: Make, link: Any, said: str
) -> None:
    paths = {
        "/alpha": {"get": linked(make_operation, **link)},
        "/elsewhere": {"get": make_operation(operationId="elsewhere")},
        "/alpha/1": {"get": make_operation(operationId="twice")},
        "/alpha/2": {"get": make_operation(operationId="twice")},
    }
    error = make_checkout(alpha={"paths": paths}).refusal()
    assert said in str(error)


def test_one_services_ids_are_made_unique_too(make_checkout: Make, make_operation: Make) -> None:
    item = {"get": make_operation(operationId="go"), "head": make_operation(operationId="go")}
    composed = make_checkout(alpha={"paths": {"/alpha": item}}).compose()["paths"]["/alpha"]
    assert {composed["get"]["operationId"], composed["head"]["operationId"]} == {"go", "alpha.go"}
