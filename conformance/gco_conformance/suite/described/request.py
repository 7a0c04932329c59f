"""From a case of Schemathesis to the event that API Gateway makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from jsonschema import Draft202012Validator

from gco_conformance.importing import ALONE
from gco_fixtures.global_api import global_document

if TYPE_CHECKING:
    import requests
    from hypothesis.strategies import SearchStrategy
    from schemathesis import Case

BASE_URL = "https://global.example"


class Standing(Enum):
    """What the aggregator contract makes of a request. `DOUBTFUL` is what it leaves open, as `limit=+5`."""

    RIGHT = 1
    WRONG = 2
    DOUBTFUL = 3


@dataclass(frozen=True, eq=False)
class Request:
    """A case, the HTTP request that it is, and the event as which that arrives. The event is what tells it."""

    case: Case[Any]
    sent: requests.PreparedRequest
    event: Mapping[str, Any]

    def __repr__(self) -> str:
        return json.dumps(self.event, sort_keys=True)

    @property
    def standing(self) -> Standing:
        body = self.event["body"]
        found = [of_query(self.event["queryStringParameters"] or {}), *([] if body is None else [of_body(body)])]
        return next((each for each in (Standing.WRONG, Standing.DOUBTFUL) if each in found), Standing.RIGHT)


def asked(cases: SearchStrategy[Case[Any]]) -> SearchStrategy[Request]:
    """The requests that cases are."""
    return cases.map(request_of)


def request_of(case: Case[Any]) -> Request:
    with ALONE:
        import requests

    given = case.as_transport_kwargs(base_url=BASE_URL)
    parts = {name: given.get(name) for name in ("method", "url", "headers", "params", "data", "json")}
    sent = requests.Request(**parts).prepare()
    return Request(case, sent, _event(sent))


def _event(sent: requests.PreparedRequest) -> dict[str, Any]:
    """API Gateway decodes the query, of which the last value of a name counts, and has no empty body."""
    url = urlsplit(sent.url or "")
    query = dict(parse_qsl(url.query, keep_blank_values=True))
    body = sent.body if isinstance(sent.body, (bytes, str)) else b""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return {
        "resource": "/{proxy+}",
        "httpMethod": sent.method,
        "path": url.path,
        "headers": {"Accept": "application/json"} | ({"Content-Type": "application/json"} if text else {}),
        "queryStringParameters": query or None,
        "body": text or None,
        "isBase64Encoded": False,
    }


def of_query(query: Mapping[str, str]) -> Standing:
    limit = query.get("limit")
    if query.keys() - {"namespace", "status", "limit"}:
        return Standing.DOUBTFUL
    if limit is None:
        return Standing.RIGHT
    if re.fullmatch("-?(?:0|[1-9][0-9]*)", limit):
        return Standing.RIGHT if len(limit) <= 4 and 1 <= int(limit) <= 1000 else Standing.WRONG
    return Standing.DOUBTFUL if not limit.strip() or _is_number(limit) else Standing.WRONG


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def of_body(text: str) -> Standing:
    try:
        body = json.loads(text)
    except ValueError:
        return Standing.WRONG
    if not isinstance(body, dict):
        return Standing.WRONG
    clear = {name: value for name, value in body.items() if not _is_doubtful(value)}
    if not _deletion().is_valid(clear):
        return Standing.WRONG
    return Standing.RIGHT if clear == body else Standing.DOUBTFUL


def _is_doubtful(value: object) -> bool:
    """Null and empty text may be taken for absent, and 30.0 for an integer."""
    return value is None or value == "" or (isinstance(value, float) and value.is_integer())


@cache
def _deletion() -> Draft202012Validator:
    return Draft202012Validator(global_document()["components"]["schemas"]["DeletionRequest"])
