"""Values and requests with one thing about them changed: what is right in all else shows what a change does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from gco_conformance.gateway.service import is_json
from gco_conformance.http_messages import Request

MOST = 60
"""Variations of one value."""

_OTHERS: tuple[Any, ...] = (None, True, 0, -1, 1.5, "", "x", "x" * 70, [], {})
_TEXTS = ("", "0", "-1", "1000000", "1.5", "x", "x" * 70)


def of_value(value: Any) -> Iterator[Any]:
    """The value itself, and as many times changed in one place, outer places first."""
    yield value
    for number, changed in enumerate(_changed(value)):
        if number == MOST:
            return
        yield changed


def _changed(value: Any) -> Iterator[Any]:
    yield from (other for other in _OTHERS if other != value or type(other) is not type(value))
    if isinstance(value, dict):
        yield from ({key: item for key, item in value.items() if key != left_out} for left_out in value)
        yield {**value, "more": 1}
        for key in value:
            yield from ({**value, key: changed} for changed in _changed(value[key]))
    elif isinstance(value, list) and value:
        yield [*value, value[0]]
        yield from ([changed, *value[1:]] for changed in _changed(value[0]))


def of_request(request: Request, template: str) -> Iterator[Request]:
    """A request with another body or none, and with each parameter changed or left out.

    `template` is the end of the request's path as it is documented.
    """
    yield from _other_bodies(request)
    path, _, query = request.target.partition("?")
    yield from (replace(request, target=other) for other in _other_paths(path, query, template))
    pairs = query.split("&") if query else []
    for index, pair in enumerate(pairs):
        name = pair.partition("=")[0]
        for changed in ([], *([f"{name}={text}"] for text in _TEXTS)):
            other = "&".join([*pairs[:index], *changed, *pairs[index + 1 :]])
            yield replace(request, target=f"{path}?{other}" if other else path)
    for index, (name, _) in enumerate(request.headers):
        if name.lower() != "content-type":
            for rest in ((), *(((name, text),) for text in _TEXTS if text)):
                yield replace(request, headers=(*request.headers[:index], *rest, *request.headers[index + 1 :]))


def _other_bodies(request: Request) -> Iterator[Request]:
    if not request.body:
        return
    yield replace(request, body=b"")
    media_type = (request.header("content-type") or "").partition(";")[0].strip().lower()
    try:
        value = json.loads(request.body) if is_json(media_type) else None
    except ValueError:
        value = None
    if value is not None:
        yield from (replace(request, body=json.dumps(other).encode()) for other in of_value(value))


def _other_paths(path: str, query: str, template: str) -> Iterator[str]:
    segments, documented = path.split("/"), template.split("/")
    before = len(segments) - len(documented)
    for index, segment in enumerate(documented):
        if "{" in segment and before >= 0:
            for text in filter(None, _TEXTS):
                other = "/".join([*segments[: before + index], quote(text), *segments[before + index + 1 :]])
                yield f"{other}?{query}" if query else other
