"""One HTTP request and its response, within a limit of time, and what they are as API Gateway's proxy has them."""

from __future__ import annotations

import base64
import binascii
import http.client
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

_CHUNK: Final = 64 * 1024
_PATH_SAFE: Final = "/%:@!$&'()*+,;=~"
_NOT_SENT_ON: Final = frozenset(
    ("connection", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade")
)
_LATE: Final = "no response in time"


@dataclass(frozen=True)
class Url:
    """Where a server is: `http://host:port`, and the path under which it has everything."""

    scheme: str
    host: str
    port: int
    base: str = ""

    @classmethod
    def parse(cls, text: str) -> Url:
        """Raises `ValueError` with what is wrong."""
        parts = urlsplit(text)
        if parts.scheme not in ("http", "https"):
            raise ValueError(f"{text!r} doesn't begin with http:// or https://")
        if not parts.hostname or parts.query or parts.fragment or "@" in parts.netloc or " " in text:
            raise ValueError(f"{text!r} should be scheme, host, port and path alone")
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        return cls(parts.scheme, parts.hostname, port, parts.path.rstrip("/"))


@dataclass(frozen=True)
class HttpRequest:
    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


@dataclass(frozen=True)
class HttpResponse:
    """`body` is cut off after the bound and one byte."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)


def exchange(url: Url, request: HttpRequest, *, time_limit: float, bound: int) -> HttpResponse:
    """Send a request and read the response, both in `time_limit` seconds in all.

    Raises `TimeoutError`, another `OSError`, or `http.client.HTTPException`.
    """
    deadline = time.monotonic() + time_limit
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.host, url.port, timeout=time_limit)
    try:
        connection.connect()
        late = threading.Event()
        watch = threading.Timer(deadline - time.monotonic(), _cut_off, (connection.sock, late))
        watch.daemon = True
        watch.start()
        try:
            response = _exchanged(connection, url, request, bound)
        except (OSError, http.client.HTTPException) as error:
            raise TimeoutError(_LATE) if late.is_set() else error from None
        except ValueError as error:
            raise http.client.HTTPException(str(error)) from None
        finally:
            watch.cancel()
            watch.join()
        if late.is_set():  # headers that were cut off look complete
            raise TimeoutError(_LATE)
        return response
    finally:
        connection.close()


def _exchanged(connection: http.client.HTTPConnection, url: Url, request: HttpRequest, bound: int) -> HttpResponse:
    connection.putrequest(request.method, url.base + request.target, skip_accept_encoding=True)
    for name, value in request.headers:
        connection.putheader(name, value.encode("utf-8", "surrogatepass"))
    if request.body or request.method not in ("GET", "HEAD", "OPTIONS"):
        connection.putheader("Content-Length", str(len(request.body)))
    connection.endheaders(request.body or None)
    response = connection.getresponse()
    body = bytearray()
    while len(body) <= bound and (chunk := response.read(min(_CHUNK, bound + 1 - len(body)))):
        body += chunk
    if len(body) <= bound and response.length:
        raise http.client.IncompleteRead(bytes(body[:80]), response.length)
    return HttpResponse(response.status, tuple(response.getheaders()), bytes(body))


def _cut_off(connection: socket.socket, late: threading.Event) -> None:
    late.set()
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def request_of(event: Mapping[str, Any]) -> HttpRequest:
    """The plain request that an API Gateway proxy event stands for."""
    query = event.get("multiValueQueryStringParameters") or event.get("queryStringParameters") or {}
    body = event.get("body") or ""
    content = body.encode("utf-8", "surrogatepass")
    if event.get("isBase64Encoded"):
        with suppress(binascii.Error):
            content = base64.b64decode(body)
    given = event.get("multiValueHeaders") or event.get("headers") or {}
    headers = tuple(
        (name, str(value))
        for name, values in given.items()
        if name.lower() not in _NOT_SENT_ON
        for value in (values if isinstance(values, list) else [values])
    )
    target = quote(event.get("path") or "/", safe=_PATH_SAFE, errors="replace")
    if query:
        target += "?" + urlencode(query, doseq=True, quote_via=quote, errors="replace")
    return HttpRequest(event.get("httpMethod") or "GET", target, headers, content)


def result_of(response: HttpResponse) -> dict[str, Any]:
    """The result that a function behind API Gateway's proxy would give for a plain response."""
    headers: dict[str, str] = {}
    for name, value in response.headers:
        if name.lower() not in _NOT_SENT_ON:
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    result: dict[str, Any] = {"statusCode": response.status, "headers": headers}
    try:
        return {**result, "body": response.body.decode("utf-8")}
    except UnicodeDecodeError:
        return {**result, "body": base64.b64encode(response.body).decode("ascii"), "isBase64Encoded": True}
