"""The regional service refuses what its OpenAPI documents don't allow, in the words of the real one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from gco_conformance.http_messages import Request
from gco_conformance.world.regional import HEALTH, JOBS, STATUS
from gco_conformance.world.service import refusal
from gco_fixtures.services import regional_services

JSON_TYPE = (("Content-Type", "application/json"),)


@pytest.mark.parametrize("name", regional_services())
def test_the_documents_are_valid_openapi(name: str) -> None:
    validate(dict(regional_services()[name]))


def asked(method: str, path: str, query: str = "", body: bytes = b"", headers: Any = JSON_TYPE) -> Any:
    """Status and JSON of the refusal, None when the request is allowed."""
    reply = refusal(Request(method, f"{path}?{query}", headers, body), path)
    return None if reply is None else (reply.status, json.loads(reply.body))


@pytest.mark.parametrize(
    ("method", "path", "query", "body"),
    [
        ("GET", JOBS, "", b""),
        ("GET", JOBS, "limit=1", b""),
        ("GET", JOBS, "limit=1000&namespace=&status=running", b""),
        ("GET", JOBS, "limit=2000&limit=5", b""),
        ("GET", JOBS, "unknown=1", b""),
        ("GET", HEALTH, "", b""),
        ("GET", STATUS, "", b""),
        ("DELETE", JOBS, "", b"{}"),
        ("DELETE", JOBS, "", b'{"dry_run":true,"older_than_days":1,"label_selector":"a=b","namespace":"n"}'),
        ("DELETE", JOBS, "", b'{"dry_run":false,"older_than_days":365,"status":"failed"}'),
        ("DELETE", JOBS, "", b'{"older_than_days":null,"status":null,"namespace":null}'),
    ],
)
def test_what_the_documents_allow_is_accepted(method: str, path: str, query: str, body: bytes) -> None:
    assert asked(method, path, query, body) is None


@pytest.mark.parametrize(
    ("method", "query", "body", "place", "type_"),
    [
        ("GET", "limit=0", b"", ["query", "limit"], "greater_than_equal"),
        ("GET", "limit=-1", b"", ["query", "limit"], "greater_than_equal"),
        ("GET", "limit=1001", b"", ["query", "limit"], "less_than_equal"),
        ("GET", "limit=ten", b"", ["query", "limit"], "int_parsing"),
        ("GET", "limit=", b"", ["query", "limit"], "int_parsing"),
        ("GET", "limit=1.5", b"", ["query", "limit"], "int_parsing"),
        ("DELETE", "", b"", ["body"], "missing"),
        ("DELETE", "", b"{", ["body", 0], "json_invalid"),
        ("DELETE", "", b"\xff", ["body", 0], "json_invalid"),
        ("DELETE", "", b"[]", ["body"], "model_attributes_type"),
        ("DELETE", "", b"null", ["body"], "model_attributes_type"),
        ("DELETE", "", b'{"dry_run":"true"}', ["body", "dry_run"], "bool_type"),
        ("DELETE", "", b'{"dry_run":null}', ["body", "dry_run"], "bool_type"),
        ("DELETE", "", b'{"older_than_days":0}', ["body", "older_than_days"], "greater_than_equal"),
        ("DELETE", "", b'{"older_than_days":366}', ["body", "older_than_days"], "less_than_equal"),
        ("DELETE", "", b'{"older_than_days":"7"}', ["body", "older_than_days"], "int_type"),
        ("DELETE", "", b'{"older_than_days":1.5}', ["body", "older_than_days"], "int_type"),
        ("DELETE", "", b'{"namespace":7}', ["body", "namespace"], "string_type"),
        ("DELETE", "", b'{"status":"gone"}', ["body", "status"], "enum"),
    ],
)
def test_what_they_do_not_allow_is_a_422_that_says_where(
    method: str, query: str, body: bytes, place: list[str | int], type_: str
) -> None:
    status, content = asked(method, JOBS, query, body)
    assert status == 422
    document = regional_services()["jobs"]
    declared = {"$ref": "#/components/schemas/HTTPValidationError", "components": document["components"]}
    Draft202012Validator(declared).validate(content)
    (error,) = content["detail"]
    assert (error["loc"], error["type"]) == (place, type_)


def test_every_error_is_told() -> None:
    _, content = asked("DELETE", JOBS, "", b'{"older_than_days":0,"dry_run":1}')
    assert len(content["detail"]) == 2


def test_the_limits_of_a_number_are_told() -> None:
    assert asked("GET", JOBS, "limit=1002") == (
        422,
        {
            "detail": [
                {
                    "type": "less_than_equal",
                    "loc": ["query", "limit"],
                    "msg": "Input should be less than or equal to 1000",
                    "input": "1002",
                    "ctx": {"le": 1000},
                }
            ]
        },
    )


def test_a_body_that_is_not_declared_as_json_is_not_read_as_such() -> None:
    status, content = asked("DELETE", JOBS, "", b'{"dry_run":true}', headers=(("Content-Type", "text/plain"),))
    assert status == 422
    assert content["detail"][0]["type"] == "model_attributes_type"


def test_unknown_paths_and_methods_are_told_apart() -> None:
    assert asked("GET", "/api/v1/nothing") == (404, {"detail": "Not Found"})
    assert asked("PATCH", JOBS) == (405, {"detail": "Method Not Allowed"})
    assert asked("DELETE", HEALTH) == (405, {"detail": "Method Not Allowed"})
