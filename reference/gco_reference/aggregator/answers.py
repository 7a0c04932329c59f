"""The result that Lambda hands to API Gateway, and its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gco_reference.aggregator import strict_json

MAX_BODY = 5_900_000  # bytes of a body inside of Lambda's response; all of it must stay below 6 MB
_SEPARATOR = 2  # ", " between jobs


def result(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """An API Gateway proxy result."""
    return {
        "statusCode": status,
        "headers": {"Content-Type": "application/json", **(headers or {})},
        "body": strict_json.write(body),
    }


def error(status: int, text: str, *, headers: Mapping[str, str] | None = None, **more: Any) -> dict[str, Any]:
    return result(status, {"error": text, **more}, headers)


def size(value: Any) -> int:
    """Bytes that a JSON value takes in Lambda's response, where the body is JSON text inside of JSON."""
    text = strict_json.write(value)
    return len(text) + text.count('"') + text.count("\\")


def cut_to_size(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer with as many of its first jobs as fit; `truncated` and `count` say so where some don't."""
    if size(answer) <= MAX_BODY:
        return answer
    jobs = answer["jobs"]
    room = MAX_BODY - size({**answer, "jobs": [], "truncated": True})
    for kept, job in enumerate(jobs):
        room -= size(job) + _SEPARATOR
        if room < 0:
            return {**answer, "jobs": jobs[:kept], "count": kept, "truncated": True}
    return answer
