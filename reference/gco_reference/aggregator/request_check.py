"""What a caller may ask: checked here, before any region is (contract sections 4 and 5)."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gco_reference.aggregator import strict_json

DEFAULT_LIMIT = 50
MAX_LIMIT = 1000
_MAX_DAYS = 365
_SHOWN = 100  # characters of an unknown field's name that are repeated to the caller


class BadRequestError(Exception):
    """The request is refused; the text names the field and is for the caller."""


@dataclass(frozen=True)
class JobsQuery:
    limit: int
    filters: Mapping[str, str]  # namespace and status, where they aren't empty


@dataclass(frozen=True)
class Deletion:
    filters: Mapping[str, str | int]  # those that were given, as they were given
    dry_run: bool


def jobs_query(event: Mapping[str, Any]) -> JobsQuery:
    """The query of `GET /api/v1/global/jobs`. Raises `BadRequestError`."""
    query = event.get("queryStringParameters")
    if query is None:
        query = {}
    if not isinstance(query, dict):
        raise BadRequestError("queryStringParameters must be an object")
    filters = {}
    for name in ("namespace", "status"):
        value = query.get(name)
        if value is None or value == "":
            continue
        if not _is_text(value):
            raise BadRequestError(f"{name} must be text")
        filters[name] = value
    return JobsQuery(_limit(query.get("limit", str(DEFAULT_LIMIT))), filters)


def _limit(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch("[0-9]{1,4}", value) and 1 <= int(value) <= MAX_LIMIT:
        return int(value)
    raise BadRequestError(f"limit must be an integer from 1 to {MAX_LIMIT}")


def deletion(event: Mapping[str, Any]) -> Deletion:
    """The body of `DELETE /api/v1/global/jobs`. Raises `BadRequestError`: a filter is passed on or refused, never
    dropped, since without it more would be deleted.
    """
    fields = _body(event)
    for name, value in fields.items():
        if name not in _FIELDS:
            raise BadRequestError(f"unknown field: {name[:_SHOWN]}")
        is_right, rule = _FIELDS[name]
        if not is_right(value):
            raise BadRequestError(f"{name} must be {rule}")
    dry_run = fields.pop("dry_run", True)
    return Deletion(fields, dry_run)


def _body(event: Mapping[str, Any]) -> dict[str, Any]:
    body = event.get("body")
    if body is None or body == "":
        return {}
    if not isinstance(body, str):
        raise BadRequestError("body must be text")
    try:
        text = base64.b64decode(body, validate=True) if event.get("isBase64Encoded") is True else body
    except ValueError:
        raise BadRequestError("body must be base64 where isBase64Encoded is true") from None
    try:
        fields = strict_json.parse(text)
    except strict_json.NotJsonError as error:
        raise BadRequestError(f"body must be a JSON object: it {error}") from None
    if not isinstance(fields, dict):
        raise BadRequestError("body must be a JSON object")
    return fields


def _is_text(value: Any) -> bool:
    """Text that isn't empty and that UTF-8 can say (half a surrogate pair can't be sent on)."""
    return isinstance(value, str) and value != "" and not re.search("[\ud800-\udfff]", value)


def _is_days(value: Any) -> bool:
    return type(value) is int and 1 <= value <= _MAX_DAYS


def _is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "namespace": (_is_text, "text that isn't empty"),
    "status": (_is_text, "text that isn't empty"),
    "label_selector": (_is_text, "text that isn't empty"),
    "older_than_days": (_is_days, f"an integer from 1 to {_MAX_DAYS}"),
    "dry_run": (_is_boolean, "true or false"),
}
