"""One HTTPS request and its answer: sent once, read within the deadline and the bound, redirects not followed."""

from __future__ import annotations

import http.client
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from gco_reference.aggregator.budget import Deadline
from gco_reference.aggregator.connections import Connection

BODY_BOUND = 8 * 1024 * 1024  # bytes, decoded (contract section 5, size)
_HEAD_BOUND = 256 * 1024  # bytes of status line, headers and framing, in addition
_PIECE = 64 * 1024
_FAILURES = (OSError, ValueError, HTTPError, http.client.HTTPException, zlib.error)


class UnreadableError(ValueError):
    """An answer whose framing, coding or size is wrong."""


class ExchangeError(Exception):
    """There is no usable answer; the cause says why, for the log."""


class NoAnswerError(ExchangeError):
    """No answer began: nothing is known about what became of the request."""


class BadAnswerError(ExchangeError):
    """An answer began and couldn't be read to its end."""


@dataclass(frozen=True)
class Request:
    method: str
    host: str
    target: str  # path and query, encoded as they are sent
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"https://{self.host}{self.target}"


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes  # decoded; empty where the status made it unwanted


@dataclass(frozen=True)
class Limits:
    begin: Deadline  # until the status line and the headers are there
    end: Deadline  # until the body is


def exchange(
    connection: Connection,
    request: Request,
    sign: Callable[[Request], Mapping[str, str]],
    limits: Limits,
    wants_body: Callable[[int], bool],
) -> tuple[Answer, bool]:
    """The answer, and whether the connection can be used again; if not, it is closed.

    `sign` gives the headers and is called right before they are sent. Raises `ExchangeError`, and what `sign`
    raises, with the connection closed.
    """
    answer, reusable = None, False
    try:
        response = _send(connection, request, sign(request), limits.begin)
        if not wants_body(response.status):
            return Answer(response.status, b""), False
        answer = Answer(response.status, _read(connection, response, limits.end))
        reusable = connection.http.sock is not None  # the server may have said that it closes
        return answer, reusable
    finally:
        if not reusable:
            connection.close()


def _send(
    connection: Connection, request: Request, headers: Mapping[str, str], deadline: Deadline
) -> BaseHTTPResponse:
    try:
        connection.limit(deadline, BODY_BOUND + _HEAD_BOUND)
        connection.http.request(
            request.method,
            request.target,
            body=request.body or None,
            headers=headers,
            preload_content=False,
            decode_content=False,
        )
        return connection.http.getresponse()
    except _FAILURES as error:
        raise NoAnswerError("no answer") from error


def _read(connection: Connection, response: BaseHTTPResponse, deadline: Deadline) -> bytes:
    try:
        connection.limit(deadline, BODY_BOUND + _HEAD_BOUND)
        _check_framing(response.headers)
        pieces = response.stream(_PIECE, decode_content=False)
        return b"".join(_bounded(_decoded(pieces, response.headers.get("Content-Encoding", ""))))
    except _FAILURES as error:
        raise BadAnswerError("no readable answer") from error


def _check_framing(headers: Mapping[str, str]) -> None:
    """Refuses what leaves open where the body ends; libraries guess then (RFC 9112, section 6.3)."""
    length, coding = headers.get("Content-Length"), headers.get("Transfer-Encoding")
    if length is not None and (coding is not None or not re.fullmatch("[0-9]+", length)):
        raise UnreadableError("the answer's Content-Length isn't one length")
    if coding is not None and coding.lower() != "chunked":
        raise UnreadableError("the answer has another Transfer-Encoding than chunked")


def _decoded(pieces: Iterable[bytes], coding: str) -> Iterable[bytes]:
    """The pieces without their content coding. None was asked for, but a proxy may have put one on."""
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        yield from pieces
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise UnreadableError("the answer has an unknown Content-Encoding")
    decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # tells gzip from zlib by itself
    for piece in pieces:
        while piece and not decoder.eof:
            yield decoder.decompress(piece, _PIECE)  # at most so much at a time, however well it is packed
            piece = decoder.unconsumed_tail
        if decoder.eof and (piece or decoder.unused_data):
            raise UnreadableError("the answer goes on after its compressed end")
    yield decoder.flush()
    if not decoder.eof:
        raise UnreadableError("the compressed answer breaks off")


def _bounded(pieces: Iterable[bytes]) -> Iterable[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > BODY_BOUND:
            raise UnreadableError("the answer is too large")
        yield piece
