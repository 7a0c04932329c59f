"""Services' documents: their paths, servers, versions (contract section 4, hardened)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from openapi_spec_validator import validate

Make = Callable[..., Any]


def test_unreachable_paths_are_listed_by_service_then_path(make_checkout: Make, make_operation: Make) -> None:
    get = {"get": make_operation()}
    composed = make_checkout(
        rules=[("/b/", "beta"), ("/b", "alpha")],
        beta={"paths": {"/b": get, "/z": get}},
        alpha={"paths": {"/b/x": get, "/a": get, "x-note": {"get": {}}}},
    ).compose()
    assert list(composed["paths"]) == ["/b"]
    assert composed["x-gco-unreachable"] == [
        {"path": "/a", "service": "alpha", "rule": None, "deliveredTo": None},
        {"path": "/b/x", "service": "alpha", "rule": "/b/", "deliveredTo": "beta"},
        {"path": "/z", "service": "beta", "rule": None, "deliveredTo": None},
    ]


@pytest.mark.parametrize(
    "url", ["/root", "/root/", "https://a.example/root", "//a.example/root", "{scheme}://{host}/root?x#y"]
)
def test_a_base_path_counts(make_checkout: Make, make_operation: Make, url: str) -> None:
    alpha = {"servers": [{"url": url}], "paths": {"/jobs": {"get": make_operation()}}}
    composed = make_checkout(rules=[("/root", "alpha")], alpha=alpha).compose()
    assert list(composed["paths"]) == ["/root/jobs"]
    assert composed["paths"]["/root/jobs"]["get"]["x-gco-route"]["rule"] == "/root"


@pytest.mark.parametrize("url", ["/", "https://a.example", "https://a.example/", "", "http://localhost:8080"])
def test_a_server_without_a_path_changes_nothing(make_checkout: Make, make_operation: Make, url: str) -> None:
    alpha = {"servers": [{"url": url}], "paths": {"/alpha": {"get": make_operation()}}}
    assert list(make_checkout(alpha=alpha).compose()["paths"]) == ["/alpha"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"servers": [{"url": "/a"}, {"url": "/b"}]}, "several base paths"),
        ({"servers": [{"url": "/{stage}"}]}, "variable"),
        ({"servers": [{"url": "api"}]}, "from the root"),
        ({"servers": {}}, "servers must be a list"),
        ({"paths": {"/alpha": {"servers": [{"url": "/"}]}}}, 'paths "/alpha": servers override'),
        ({"paths": {"/alpha": {"get": {"servers": [{"url": "/"}]}}}}, 'paths "/alpha".get: servers override'),
        ({"paths": {"alpha": {}}}, '"alpha" must begin with /'),
        ({"paths": {"/alpha": {"get": []}}}, 'paths "/alpha".get must be an object'),
        ({"paths": {"/alpha/{a}": {}, "/alpha/{b}": {}}}, "one path"),
        ({"paths": {"/alpha": {"$ref": "#/components/pathItems/Gone"}}}, "leads nowhere"),
        ({"paths": {"/alpha": {"$ref": "other.json#/a"}}}, "other.json"),
        ({"paths": {"/alpha": {"$ref": "#/paths/~1alpha"}}}, "leads nowhere"),
        ({"paths": {"/alpha": {"get": {"tags": "a"}}}}, "tags must be a list"),
        ({"paths": {"/alpha": {"get": {"operationId": 7}}}}, "operationId must be text"),
        ({"components": []}, "components must be an object"),
        ({"openapi": "3.1"}, "'3.1'"),
        ({"openapi": 3.1}, "3.1 isn't"),
        ({"openapi": "2.0"}, "'2.0'"),
        ({"openapi": "4.0.0"}, "'4.0.0'"),
    ],
)
def test_a_refusal_names_the_document_and_the_place(make_checkout: Make, document: Any, said: str) -> None:
    error = make_checkout(alpha=document).refusal()
    assert error.file == "services/alpha.json"
    assert said in str(error)


def test_equal_templates_that_are_delivered_elsewhere_do_no_harm(
    make_checkout: Make, make_operation: Make
) -> None:
    get = {"get": make_operation()}
    rules = [("/a", "alpha")]
    composed = make_checkout(
        rules=[*rules, ("/b", "beta")], alpha={"paths": {"/a/{x}": get}}, beta={"paths": {"/a/{y}": get}}
    ).compose()
    assert list(composed["paths"]) == ["/a/{x}"]


def test_path_items_behind_references_are_composed(make_checkout: Make, make_operation: Make) -> None:
    alpha = {
        "paths": {
            "/alpha/1": {"$ref": "#/components/pathItems/Shared", "summary": "one"},
            "/alpha/2": {"$ref": "#/paths/~1alpha~11"},
        },
        "components": {"pathItems": {"Shared": {"get": make_operation(operationId="shared")}}},
    }
    composed = make_checkout(alpha=alpha).compose()
    validate(composed)
    one, two = composed["paths"]["/alpha/1"], composed["paths"]["/alpha/2"]
    assert one["summary"] == two["summary"] == "one"
    assert (one["get"].pop("operationId"), two["get"].pop("operationId")) == ("shared", "alpha.shared")
    assert one["get"] == two["get"]
    assert one["get"]["tags"] == ["alpha"]


@pytest.mark.parametrize(
    ("versions", "highest"),
    [
        (["3.1.0", "3.1.1"], "3.1.1"),
        (["3.1.10", "3.1.9"], "3.1.10"),
        (["3.0.3", "3.0.0"], "3.0.3"),
        (["3.9.0", "3.10.0"], "3.10.0"),
        (["3.1.1", "3.2.0"], "3.2.0"),
    ],
)
def test_the_highest_version_is_the_composed_ones(make_checkout: Make, versions: list[str], highest: str) -> None:
    documents = {name: {"openapi": version} for name, version in zip(["alpha", "beta"], versions, strict=True)}
    assert make_checkout(**documents).compose()["openapi"] == highest


def test_versions_that_do_not_mix_are_named(make_checkout: Make) -> None:
    error = make_checkout(alpha={"openapi": "3.0.3"}, beta={"openapi": "3.1.0"}).refusal()
    assert "services/alpha.json is 3.0.3" in str(error)
    assert "services/beta.json is 3.1.0" in str(error)


def test_query_is_an_operation_from_3_2(make_checkout: Make, make_operation: Make) -> None:
    paths = {"/alpha": {"query": make_operation(), "additionalOperations": {"COPY": make_operation()}}}
    old = make_checkout(alpha={"paths": paths}).compose()["paths"]["/alpha"]
    assert "x-gco-route" not in old["query"]
    new = make_checkout(alpha={"openapi": "3.2.0", "paths": paths}).compose()["paths"]["/alpha"]
    assert new["query"]["tags"] == new["additionalOperations"]["COPY"]["tags"] == ["alpha"]


def test_a_common_dialect_is_kept_and_several_are_refused(make_checkout: Make) -> None:
    dialect = {"jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema"}
    assert (
        make_checkout(alpha=dialect, beta=dialect).compose()["jsonSchemaDialect"] == dialect["jsonSchemaDialect"]
    )
    assert "services/beta.json states none" in str(make_checkout(alpha=dialect, beta={}).refusal())


def test_backends_without_a_document_are_all_named(make_checkout: Make) -> None:
    error = make_checkout(rules=[("/z", "zulu"), ("/a", "alpha"), ("/m", "mike")], alpha={}).refusal()
    assert "delivers to mike, zulu" in str(error)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{"a": 1,\n "b": {"c": 1, "c": 2}}', 2, '"c"'),
        ('{"a":\n 1, "\\u0061": 2}', 2, "same key twice"),
        ('{"a": "x",\n "b": "{\\"c\\": 1",\n "a": 1}', 3, '"a"'),
        ('{"a": 1e400}', None, "1e400"),
        ('{"a": -1e400}', None, "-1e400"),
        ('{"a": NaN}', None, "NaN"),
        ('{"a": -Infinity}', None, "-Infinity"),
        ('{"a": }', 1, "isn't valid JSON"),
        ("[]", None, "must be a JSON object"),
        ("[" * 100000, None, "too deeply"),
    ],
)
def test_json_is_read_strictly(make_checkout: Make, text: str, line: int | None, said: str) -> None:
    checkout = make_checkout(alpha={})
    checkout.write("services/alpha.json", text)
    error = checkout.refusal()
    assert (error.file, error.line) == ("services/alpha.json", line)
    assert said in str(error)


@pytest.mark.parametrize("digits", ["9223372036854775808", "1" * 40, "7" * 6000])
def test_integers_keep_all_digits(make_checkout: Make, run: Make, digits: str) -> None:
    checkout = make_checkout(alpha={"components": {"schemas": {"Big": {"maximum": 0}}}})
    checkout.edit("services/alpha.json", '"maximum": 0', f'"maximum": {digits}')
    assert run("compose", checkout.root) == (0, "composed.json: written\n", "")
    assert f'"maximum": {digits}\n' in checkout.read("composed.json")
