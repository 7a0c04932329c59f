"""HTTP/1.1 on the server's side of a raw socket: requests exactly as sent.

No server framework is used, since those refuse to send what a broken or overloaded server sends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gco_conformance.http_messages import Headers, Request

_LONGEST_LINE = 65_536
_MOST_HEADERS = 200
_LARGEST_BODY = 64 * 1024 * 1024


class Malformed(Exception):
    """What arrived isn't an HTTP/1.1 request; the text says why."""


class Readable(Protocol):
    def readline(self, limit: int = -1, /) -> bytes: ...
    def read(self, size: int = -1, /) -> bytes: ...


def read_request(stream: Readable, go_on: Callable[[], None]) -> Request | None:
    """The next request of a connection, None when the client has closed it in between two of them.

    `go_on` is called when the client waits for `100 Continue`. Raises `Malformed`, and `OSError` as the
    stream does.
    """
    line = _line(stream)
    if line == "":
        return None
    parts = line.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise Malformed(f"not a request line: {line[:80]!r}")
    method, target, version = parts
    headers = _headers(stream)
    request = Request(method, target, headers, version=version)
    if (request.header("expect") or "").lower() == "100-continue":
        go_on()
    return Request(method, target, headers, _body(stream, request), version)


def _line(stream: Readable) -> str:
    """One line without its end; "" at the end of the stream before any byte of it."""
    raw = stream.readline(_LONGEST_LINE)
    if raw in {b"\r\n", b"\n"}:  # RFC 9112, 2.2: empty lines before a request are skipped
        raw = stream.readline(_LONGEST_LINE)
    if raw and not raw.endswith(b"\n"):
        raise Malformed(f"the connection ended within {raw[:80]!r}")
    return raw.rstrip(b"\r\n").decode("latin-1")


def _headers(stream: Readable) -> Headers:
    headers: list[tuple[str, str]] = []
    while (raw := stream.readline(_LONGEST_LINE)) not in {b"\r\n", b"\n"}:
        name, colon, value = raw.decode("latin-1").partition(":")
        if not raw.endswith(b"\n") or not colon or not name or name != name.strip():
            raise Malformed(f"not a header line: {raw[:80]!r}")
        if len(headers) == _MOST_HEADERS:
            raise Malformed(f"more than {_MOST_HEADERS} headers")
        headers.append((name, value.strip(" \t\r\n")))
    return tuple(headers)


def _body(stream: Readable, request: Request) -> bytes:
    coding = request.header("transfer-encoding")
    length = request.header("content-length")
    if coding is not None:
        if coding.lower() != "chunked" or length is not None:
            raise Malformed(f"Transfer-Encoding {coding!r} with Content-Length {length!r}")
        return _chunks(stream)
    if length is None:
        return b""
    if not (length.isascii() and length.isdigit()):
        raise Malformed(f"Content-Length {length!r}")
    return _exactly(stream, int(length))


def _chunks(stream: Readable) -> bytes:
    body = bytearray()
    while True:
        size_text = stream.readline(_LONGEST_LINE).partition(b";")[0].strip()
        try:
            size = int(size_text, 16)
        except ValueError:
            raise Malformed(f"not the size of a chunk: {size_text[:80]!r}") from None
        if size == 0:
            _headers(stream)  # trailers say nothing that is of use here
            return bytes(body)
        body += _exactly(stream, size)
        if stream.readline(3) not in {b"\r\n", b"\n"}:
            raise Malformed("a chunk is longer than its size says")
        if len(body) > _LARGEST_BODY:
            raise Malformed(f"a body of more than {_LARGEST_BODY} bytes")


def _exactly(stream: Readable, size: int) -> bytes:
    if size > _LARGEST_BODY:
        raise Malformed(f"a body of {size} bytes")
    data = stream.read(size)
    if len(data) != size:
        raise Malformed(f"the connection ended after {len(data)} of {size} bytes of the body")
    return data
