"""What a caller may ask (contract sections 4, 5 and 6)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gco_reference.aggregator.request_check import BadRequestError, Deletion, JobsQuery, deletion, jobs_query
from gco_reference.aggregator.routes import MethodNotAllowedError, NotFoundError, question

JOBS = "/api/v1/global/jobs"


@pytest.mark.parametrize("event", [{}, {"queryStringParameters": None}, {"queryStringParameters": {}}])
def test_no_query_is_50_jobs_of_all_kinds(event: dict[str, Any]) -> None:
    assert jobs_query(event) == JobsQuery(50, {})


def test_filters_are_taken_when_they_arent_empty() -> None:
    query = {"namespace": "team&a", "status": "", "limit": "1000", "page": "2"}
    assert jobs_query({"queryStringParameters": query}) == JobsQuery(1000, {"namespace": "team&a"})


@pytest.mark.parametrize(
    "limit",
    ["0", "1001", "-1", "+5", "abc", "", " 5", "5.0", "1e2", "5\n", "\u0665", "9" * 5000, None, 5, True, ["5"]],
)
def test_a_limit_is_an_integer_of_1_to_1000(limit: Any) -> None:
    with pytest.raises(BadRequestError, match="limit"):
        jobs_query({"queryStringParameters": {"limit": limit}})


@pytest.mark.parametrize("name", ["namespace", "status"])
@pytest.mark.parametrize("value", [5, ["a"], {"a": 1}, "half a pair: \ud83d"])
def test_a_filter_that_cant_be_sent_is_named(name: str, value: Any) -> None:
    with pytest.raises(BadRequestError, match=name):
        jobs_query({"queryStringParameters": {name: value}})


@pytest.mark.parametrize("body", [None, "", "{}", " {} "])
def test_without_fields_everything_is_matched_and_nothing_deleted(body: str | None) -> None:
    assert deletion({"body": body}) == Deletion({}, dry_run=True)


def test_fields_are_passed_on_as_they_were_given() -> None:
    filters: dict[str, str | int] = {
        "namespace": " a b ",
        "status": "failed",
        "older_than_days": 365,
        "label_selector": "app in (x,y)",
    }
    assert deletion({"body": json.dumps({**filters, "dry_run": False})}) == Deletion(filters, dry_run=False)


def test_a_base64_body_is_decoded() -> None:
    body = base64.b64encode('{"namespace": "Zürich"}'.encode()).decode()
    assert deletion({"body": body, "isBase64Encoded": True}) == Deletion({"namespace": "Zürich"}, dry_run=True)


@pytest.mark.parametrize(
    "body", ["{}", "ä", "e30", base64.b64encode(b"\xff").decode(), base64.b64encode(b"[]").decode()]
)
def test_what_isnt_base64_of_a_json_object_is_refused(body: str) -> None:
    with pytest.raises(BadRequestError, match="body"):
        deletion({"body": body, "isBase64Encoded": True})


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "null",
        "7",
        '"x"',
        "{",
        "dry_run",
        " ",
        "{} {}",
        '{"a": NaN}',
        "[" * 200 + "]" * 200,
        "[" * 100_000,
        {},
        7,
    ],
)
def test_a_body_is_a_json_object(body: Any) -> None:
    with pytest.raises(BadRequestError, match="body"):
        deletion({"body": body})


WRONG_TEXT: tuple[Any, ...] = ("", None, 5, True, ["a"], {}, "\udc00")
WRONG: dict[str, tuple[Any, ...]] = {
    "dry_run": ("false", "true", 0, 1, None, "", []),
    "older_than_days": (0, 366, -1, 1.5, 7.0, "7", True, None, 10**30),
    **dict.fromkeys(("namespace", "status", "label_selector"), WRONG_TEXT),
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in WRONG.items() for value in values]
)
def test_a_wrong_field_is_named_and_never_dropped(field: str, value: Any) -> None:
    with pytest.raises(BadRequestError, match=field):
        deletion({"body": json.dumps({field: value})})


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(BadRequestError, match="namepsace"):
        deletion({"body": '{"namepsace": "team-a", "dry_run": false}'})


def test_a_field_that_is_given_twice_is_named() -> None:
    with pytest.raises(BadRequestError, match="dry_run"):
        deletion({"body": '{"dry_run": true, "dry_run": false}'})


def test_an_endless_name_isnt_repeated_in_full() -> None:
    for body in (json.dumps({"x" * 10**6: 1}), f'{{"{"x" * 10**6}": 1, "{"x" * 10**6}": 2}}'):
        with pytest.raises(BadRequestError) as caught:
            deletion({"body": body})
        assert len(str(caught.value)) < 300


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["namespace", "status", "label_selector", "older_than_days", "dry_run"]),
        st.one_of(st.none(), st.booleans(), st.integers(-1, 400), st.text(max_size=3), st.floats(allow_nan=False)),
    )
)
def test_every_filter_that_was_given_is_sent_or_refused(fields: dict[str, Any]) -> None:
    try:
        asked = deletion({"body": json.dumps(fields)})
    except BadRequestError:
        return
    assert {**asked.filters, "dry_run": asked.dry_run} == {"dry_run": True, **fields}


@pytest.mark.parametrize(
    ("limit", "asked"), [(None, "100"), ("1", "2"), ("500", "1000"), ("501", "1000"), ("1000", "1000")]
)
def test_regions_are_asked_for_twice_the_limit_up_to_what_they_allow(limit: str | None, asked: str) -> None:
    query = {} if limit is None else {"limit": limit}
    assert question({"path": JOBS, "queryStringParameters": query}).target == f"/api/v1/jobs?limit={asked}"


def test_the_query_is_encoded_by_rfc_3986() -> None:
    query = {"namespace": "a b+c&d=e/~", "status": "ü*'()"}
    target = question({"path": JOBS, "queryStringParameters": query}).target
    assert target == "/api/v1/jobs?limit=100&namespace=a%20b%2Bc%26d%3De%2F~&status=%C3%BC%2A%27%28%29"


def test_a_deletion_always_says_whether_it_is_a_dry_run() -> None:
    asked = question({"httpMethod": "DELETE", "path": JOBS, "body": '{"older_than_days": 30}'})
    assert (asked.method, asked.target) == ("DELETE", "/api/v1/jobs")
    assert json.loads(asked.body) == {"older_than_days": 30, "dry_run": True}


@pytest.mark.parametrize(
    ("path", "target", "successes"),
    [
        ("/api/v1/global/health", "/api/v1/health", (200, 503)),
        ("/api/v1/global/status", "/api/v1/status", (200,)),
        (JOBS, "/api/v1/jobs?limit=100", (200,)),
    ],
)
@pytest.mark.parametrize("method", [{}, {"httpMethod": None}, {"httpMethod": "GET"}])
def test_the_routes_that_read(path: str, target: str, successes: tuple[int, ...], method: dict[str, Any]) -> None:
    asked = question({"path": path, **method})
    assert (asked.method, asked.target, asked.body) == ("GET", target, b"")
    assert tuple(asked.successes) == successes


@pytest.mark.parametrize(
    "event",
    [
        {"path": "/api/v1/global/nope"},
        {"path": "/api/v1/global/jobs/"},
        {"path": "/prod/api/v1/global/jobs"},
        {"path": ""},
        {"path": None},
        {},
        {"path": JOBS, "httpMethod": "POST"},
        {"path": JOBS, "httpMethod": "delete"},
        {"path": JOBS, "httpMethod": "HEAD"},
    ],
)
def test_anything_else_isnt_found(event: dict[str, Any]) -> None:
    with pytest.raises(NotFoundError):
        question(event)


@pytest.mark.parametrize("path", ["/api/v1/global/health", "/api/v1/global/status"])
@pytest.mark.parametrize("method", ["POST", "DELETE", "HEAD", "OPTIONS", "get"])
def test_health_and_status_are_read_only(path: str, method: str) -> None:
    with pytest.raises(MethodNotAllowedError):
        question({"path": path, "httpMethod": method})
