"""The gateway as a WSGI application, for servers and for tests of clients."""

from __future__ import annotations

import http
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from gco_conformance.gateway.routed import Gateway
from gco_conformance.http_messages import Request

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

RAW = "REQUEST_URI"
"""Where servers put the target as it was sent. Where they don't, an encoded slash can't be told from a slash."""


def application(gateway: Gateway) -> WSGIApplication:
    """A WSGI application that answers as the gateway does."""

    def answer(environment: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        request = _request(environment)
        reply = gateway.answer(request)
        try:
            phrase = http.HTTPStatus(reply.status).phrase
        except ValueError:
            phrase = "Status"
        payload = reply.payload(request.method)
        start(f"{reply.status} {phrase}", [*reply.headers, ("Content-Length", str(len(payload)))])
        return [payload]

    return answer


def _request(environment: WSGIEnvironment) -> Request:
    target = environment.get(RAW)
    if target is None:
        query = environment.get("QUERY_STRING", "")
        target = quote(environment.get("PATH_INFO", "/").encode("latin-1"), safe="/:@!$&'()*+,;=~-._")
        target += f"?{query}" if query else ""
    headers = [
        (key[5:].replace("_", "-").lower(), value) for key, value in environment.items() if key[:5] == "HTTP_"
    ]
    for key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environment.get(key):
            headers.append((key.replace("_", "-").lower(), environment[key]))
    length = environment.get("CONTENT_LENGTH") or "0"
    body = environment["wsgi.input"].read(int(length)) if length.isdigit() and int(length) else b""
    return Request(environment["REQUEST_METHOD"], target, tuple(headers), body)
