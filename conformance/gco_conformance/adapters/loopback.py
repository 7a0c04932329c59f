"""A small HTTP/1.1 server on loopback: a thread for each connection, each reply in one send."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, cast

BODY_BOUND: Final = 64 * 1024 * 1024
"""Bytes of a body that are taken at all; a longer one ends the connection."""
_CHUNK: Final = 64 * 1024
_JOIN: Final = 0.5


@dataclass(frozen=True, eq=False)
class Request:
    """A request as it came. Names of headers and trailers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    trailers: Mapping[str, str]
    is_connected: Callable[[], bool]


@dataclass(frozen=True)
class Reply:
    """What goes back; the length of the body is added to the headers."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Answerer = Callable[[Request], Reply | None]
"""Answers a request; `None` closes the connection without a reply."""


class LoopbackServer:
    """Listens on a free port of 127.0.0.1 from the beginning."""

    def __init__(self, answer: Answerer) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._closed = False
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, name="loopback", daemon=True)
        self._accepting.start()

    def finish(self) -> None:
        """Give what has been sent already a moment to be answered."""
        deadline = time.monotonic() + _JOIN
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=_JOIN) as last:
            last.shutdown(socket.SHUT_WR)
            last.recv(1)  # connections are accepted in order: now all that were there before have a thread
        with self._lock:
            threads = list(self._connections.values())
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def close(self) -> None:
        """Close every connection. An answerer that waits must have been told to end."""
        with self._lock:
            self._closed = True
            connections = dict(self._connections)
        for connection in (self._listener, *connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._accepting.join(_JOIN)
        self._listener.close()
        for thread in connections.values():
            if thread is not threading.current_thread():
                thread.join(_JOIN)

    def _accept(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection, peer), name="loopback", daemon=True)
            with self._lock:
                if self._closed:
                    connection.close()
                    return
                self._connections[connection] = thread
            thread.start()

    def _serve(self, connection: socket.socket, peer: Any) -> None:
        try:
            with suppress(OSError):
                _Connection(connection, peer, self._answer)
        finally:
            with self._lock:
                del self._connections[connection]
            connection.close()


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, connection: socket.socket, peer: Any, answer: Answerer) -> None:
        self._answerer = answer
        super().__init__(connection, peer, cast(Any, None))

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what matters of a conversation is in the invocation."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        try:
            body, trailers = self._read()
        except ValueError:
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body, trailers, self._is_connected)
        reply = self._answerer(request)
        if reply is None:
            self.close_connection = True
            return
        lines = [f"{self.protocol_version} {reply.status} {HTTPStatus(reply.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        lines += [f"Content-Length: {len(reply.body)}", "", ""]
        self.connection.sendall("\r\n".join(lines).encode("latin-1", "replace") + reply.body)

    def _read(self) -> tuple[bytes, dict[str, str]]:
        """The body and the trailers. Raises `ValueError` when they are cut off, too long or misformed."""
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self._exactly(int(self.headers.get("Content-Length") or 0)), {}
        body = bytearray()
        while size := int(self.rfile.readline(_CHUNK).partition(b";")[0], 16):
            body += self._exactly(size, len(body))
            self.rfile.readline(_CHUNK)
        trailers = {}
        while line := self.rfile.readline(_CHUNK).strip():
            name, _, value = line.decode("latin-1").partition(":")
            trailers[name.strip().lower()] = value.strip()
        return bytes(body), trailers

    def _exactly(self, size: int, before: int = 0) -> bytes:
        if not 0 <= size <= BODY_BOUND - before:
            raise ValueError(f"a body of {size} bytes")
        data = self.rfile.read(size)
        if len(data) != size:
            raise ValueError("the body is cut off")
        return data

    def _is_connected(self) -> bool:
        try:
            readable, _, _ = select.select([self.connection], [], [], 0)
            return not readable or bool(self.connection.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):
            return False
