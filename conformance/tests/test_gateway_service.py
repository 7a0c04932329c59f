"""A simulated service allows what its document allows, and refuses the rest in a documented way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gco_conformance.gateway.service import Service
from gco_conformance.http_messages import Request

JSON = (("Content-Type", "application/json"),)
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Jobs", "version": "1"},
    "paths": {
        "x-note": {"get": {}},
        "/jobs": {
            "get": {
                "parameters": [
                    {"$ref": "#/components/parameters/Limit"},
                    {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"enum": ["a", "b"]}}},
                    {
                        "name": "ids",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
                    },
                    {
                        "name": "filter",
                        "in": "query",
                        "style": "deepObject",
                        "schema": {"type": "object", "properties": {"age": {"type": "integer"}}},
                    },
                    {
                        "name": "where",
                        "in": "query",
                        "content": {"application/json": {"schema": {"type": "object", "required": ["x"]}}},
                    },
                    {"name": "X-Trace", "in": "header", "required": True, "schema": {"minLength": 3}},
                    {"name": "Accept", "in": "header", "required": True, "schema": {"const": "never"}},
                    {"name": "theme", "in": "cookie", "schema": {"type": "string", "pattern": "^[a-z]+$"}},
                ],
            },
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Job"}},
                        "application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/Job"}},
                        "text/*": {"schema": {"type": "string", "maxLength": 3}},
                        "application/octet-stream": {},
                    },
                },
            },
        },
        "/jobs/latest": {"get": {}},
        "/jobs/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {},
            "put": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "maxLength": 2}}
                ]
            },
        },
        "/jobs/{id}.{form}": {"get": {}},
        "/moved": {"$ref": "#/components/pathItems/Moved"},
    },
    "components": {
        "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 10}}},
        "pathItems": {"Moved": {"delete": {}}},
        "schemas": {
            "Job": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string"},
                    "size": {"type": "integer"},
                    "due": {"type": "string", "format": "date-time"},
                    "next": {"$ref": "#/components/schemas/Job"},
                },
            }
        },
    },
}
SERVICE = Service(DOCUMENT)
TRACE = (("X-Trace", "abc"),)


def asked(method: str, target: str, headers: Any = (), body: bytes = b"", service: Service = SERVICE) -> Any:
    """Status and JSON of the refusal, None when the request is allowed."""
    request = Request(method, target, headers, body)
    reply = service.refusal(request, request.path)
    return None if reply is None else (reply.status, json.loads(reply.body))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "limit=10",
        "tag=a&tag=b",
        "tag=a",
        "ids=1,2",
        "filter[age]=3&filter[more]=x",
        "where=%7B%22x%22%3A1%7D",
        "other=1",
    ],
)
def test_documented_parameters_are_accepted(query: str) -> None:
    assert asked("GET", f"/jobs?{query}", (*TRACE, ("Cookie", "a=1; theme=dark"))) is None


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("limit=11", ["query", "limit"]),
        ("limit=x", ["query", "limit"]),
        ("tag=a&tag=c", ["query", "tag"]),
        ("ids=1,2,3", ["query", "ids"]),
        ("ids=x", ["query", "ids"]),
        ("filter[age]=old", ["query", "filter"]),
        ("where=%7B%7D", ["query", "where", "x"]),
    ],
)
def test_other_values_are_a_422_that_says_where(query: str, place: list[str]) -> None:
    status, content = asked("GET", f"/jobs?{query}", TRACE)
    assert status == 422
    assert [error["loc"] for error in content["detail"]] == [place]


def test_what_is_wrong_is_told_once_and_of_the_right_reading() -> None:
    described = asked("POST", "/jobs", JSON, b'{"next":{}}')[1]["detail"]
    assert sorted(error["loc"] for error in described) == [["body", "name"], ["body", "next", "name"]]
    [error] = asked("PUT", "/jobs/123")[1]["detail"]
    assert (error["loc"], error["type"]) == (["path", "id"], "value_error")


def test_headers_and_cookies_are_parameters() -> None:
    assert asked("GET", "/jobs")[1]["detail"][0]["loc"] == ["header", "X-Trace"]
    assert asked("GET", "/jobs", (("x-trace", "ab"),))[0] == 422
    assert asked("GET", "/jobs", (*TRACE, ("Cookie", "theme=Dark")))[1]["detail"][0]["loc"] == ["cookie", "theme"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (JSON, b'{"name":"a","due":"2026-01-01T00:00:00Z","next":{"name":"b"}}'),
        (FORM, b"name=7&size=3"),
        ((("content-type", "text/plain; charset=utf-8"),), b"abc"),
        ((("content-type", "application/octet-stream"),), b"\xff"),
    ],
)
def test_documented_bodies_are_accepted(headers: Any, body: bytes) -> None:
    assert asked("POST", "/jobs", headers, body) is None


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (JSON, b""),
        (JSON, b"{}"),
        (JSON, b"{"),
        (JSON, b'{"name":1}'),
        (JSON, b'{"name":"a","due":"tomorrow"}'),
        (JSON, b'{"name":"a","next":{}}'),
        (FORM, b"name=a&size=big"),
        ((("content-type", "text/plain"),), b"abcd"),
        ((("content-type", "application/xml"),), b"<a/>"),
    ],
)
def test_other_bodies_are_a_422(headers: Any, body: bytes) -> None:
    assert asked("POST", "/jobs", headers, body)[0] == 422


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/jobs/7", None),
        ("GET", "/jobs/%37", None),
        ("GET", "/jobs/x", 422),
        ("GET", "/jobs/latest", None),
        ("GET", "/jobs/7.txt", None),
        ("PUT", "/jobs/ab", None),
        ("PUT", "/jobs/abc", 422),
        ("DELETE", "/moved", None),
        ("PUT", "/jobs/latest", 405),
        ("GET", "/jobs/", 404),
        ("GET", "/jobs/7/8", 404),
        ("GET", "/jobs/7%2F8", 422),
        ("GET", "/x-note", 404),
    ],
)
def test_the_most_concrete_path_takes_a_request(method: str, target: str, status: int | None) -> None:
    refused = asked(method, target)
    assert (refused and refused[0]) == status


def test_a_405_says_which_methods_there_are() -> None:
    reply = SERVICE.refusal(Request("PATCH", "/jobs", ()), "/jobs")
    assert reply is not None
    assert reply.header("allow") == "GET, POST"


def test_openapi_3_0_has_its_own_schemas() -> None:
    schema = {
        "type": "object",
        "required": ["id", "text"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "text": {"type": "string", "nullable": True},
            "size": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
        },
    }
    body = {"content": {"application/json": {"schema": schema}}}
    old = Service({"openapi": "3.0.3", "paths": {"/a": {"post": {"requestBody": body}}}})
    assert asked("POST", "/a", JSON, b'{"text":null}', old) is None
    assert asked("POST", "/a", JSON, b'{"text":null,"size":1}', old)[0] == 422


def test_a_service_below_a_base_path_answers_there() -> None:
    below = Service(DOCUMENT, "/b")
    assert asked("GET", "/b/jobs/latest", service=below) is None
    assert asked("GET", "/jobs/latest", service=below)[0] == 404
