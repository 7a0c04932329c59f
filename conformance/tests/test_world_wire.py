"""Requests are read exactly as they were sent; what isn't HTTP/1.1 is told from what is."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.http_messages import Reply, Request
from gco_conformance.world.wire import Malformed, read_request


def read(raw: bytes) -> Request | None:
    return read_request(io.BytesIO(raw), lambda: None)


def test_a_request_keeps_its_raw_form() -> None:
    request = read(
        b"GET /prod/api/v1/jobs?namespace=a%20b+c&limit=1 HTTP/1.1\r\n"
        b"Host: h\r\nx-Custom:  a  b \r\nX-CUSTOM: c\r\n\r\n"
    )
    assert request is not None
    assert request.method == "GET"
    assert request.path == "/prod/api/v1/jobs"
    assert request.query == "namespace=a%20b+c&limit=1"
    assert request.headers == (("Host", "h"), ("x-Custom", "a  b"), ("X-CUSTOM", "c"))
    assert request.header("x-custom") == "a  b,c"
    assert request.body == b""


def test_a_body_of_a_given_length_is_read_to_its_end_and_no_further() -> None:
    stream = io.BytesIO(b"DELETE / HTTP/1.1\r\nContent-Length: 4\r\n\r\n{}\r\nGET /next HTTP/1.1\r\n\r\n")
    first = read_request(stream, lambda: None)
    second = read_request(stream, lambda: None)
    assert first is not None
    assert second is not None
    assert first.body == b"{}\r\n"
    assert second.target == "/next"
    assert read_request(stream, lambda: None) is None


@given(st.lists(st.binary(min_size=1, max_size=50)), st.booleans())
def test_a_body_in_chunks_is_put_together(chunks: list[bytes], decorated: bool) -> None:
    extension, trailer = (b';a="b"', b"X-Sum: 1\r\n") if decorated else (b"", b"")
    framed = b"".join(b"%x%s\r\n%s\r\n" % (len(chunk), extension, chunk) for chunk in chunks)
    request = read(
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + framed + b"0\r\n" + trailer + b"\r\n"
    )
    assert request is not None
    assert request.body == b"".join(chunks)


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTT",
        b"GET / HTTP/1.1\r\nHost: h\r\n",
        b"GET / HTTP/1.1\r\nHost h\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
        b"GET / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 300 + b"\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n",
    ],
)
def test_what_is_no_request_is_malformed(raw: bytes) -> None:
    with pytest.raises(Malformed):
        read(raw)


def test_a_client_that_waits_is_told_to_go_on_before_its_body_is_read() -> None:
    told: list[int] = []
    stream = io.BytesIO(b"PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab")
    request = read_request(stream, lambda: told.append(stream.tell()))
    assert request is not None
    assert request.body == b"ab"
    assert len(told) == 1
    assert told[0] == len(stream.getvalue()) - 2


@pytest.mark.parametrize(
    ("version", "connection", "kept"),
    [
        ("HTTP/1.1", None, True),
        ("HTTP/1.1", "close", False),
        ("HTTP/1.1", "Close", False),
        ("HTTP/1.0", None, False),
        ("HTTP/1.0", "Keep-Alive", True),
    ],
)
def test_whether_a_connection_is_kept_alive(version: str, connection: str | None, kept: bool) -> None:
    headers = () if connection is None else (("Connection", connection),)
    assert Request("GET", "/", headers, version=version).keeps_alive is kept


def test_an_answer_says_its_length() -> None:
    reply = Reply(422, b"{}", (("Content-Type", "application/json"),))
    assert reply.head() + reply.payload("GET") == (
        b"HTTP/1.1 422 Unprocessable Entity\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    )


def test_an_answer_that_must_not_have_a_body_has_none() -> None:
    assert Reply(204, b"x").head() == b"HTTP/1.1 204 No Content\r\n\r\n"
    assert Reply(204, b"x").payload("GET") == b""
    assert Reply(200, b"x").payload("HEAD") == b""
    assert b"Content-Length: 1" in Reply(200, b"x").head()


def test_a_status_without_a_name_can_be_sent() -> None:
    assert Reply(599).head().startswith(b"HTTP/1.1 599 \r\n")
