"""TLS connections whose every read knows the deadline, and those that are kept for the next invocation."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from typing import Any

from urllib3.connection import HTTPSConnection

from gco_reference.aggregator.budget import Deadline

CONNECT = 5.0  # seconds for name, TCP and TLS: a region that can't even do that by then is down
KEPT_IDLE = 20.0  # seconds; what was idle for longer, frozen or not, may be dead without a sign of it
_HTTPS = 443


class LimitedSocket(ssl.SSLSocket):
    """A socket on which an exchange has one deadline and one bound, however its bytes come.

    A socket's own time-out starts anew with each read, so a peer that drips is never cut off by it. This is the
    one place that all bytes pass: status line, headers, framing and body.
    """

    deadline: Deadline
    bytes_left: int

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(self.deadline.time_out())
        received = super().recv_into(buffer, nbytes, flags)
        self.bytes_left -= received
        if self.bytes_left < 0:
            raise OSError("the answer is too large")
        return received


class _FinalResponse(http.client.HTTPResponse):
    """http.client knows the interim response 100 alone; RFC 9110 (section 15.2) wants all of them skipped."""

    def begin(self) -> None:
        super().begin()
        while 100 <= self.status < 200 and self.status != http.client.SWITCHING_PROTOCOLS:
            vars(self)["headers"] = None  # or it would take itself to have begun already
            super().begin()


class Connection:
    """One open connection to a host."""

    def __init__(self, host: str, tls: LimitedSocket) -> None:
        self.host = host
        self.tls = tls
        self.http = HTTPSConnection(host)
        self.http.response_class = _FinalResponse
        self.http.sock = tls
        self.http.auto_open = 0  # a closed connection is never opened again behind our back
        self.last_used = time.monotonic()

    def limit(self, deadline: Deadline, size: int) -> None:
        """From now on the exchange must end by `deadline` and bring at most `size` bytes."""
        self.tls.deadline = deadline
        self.tls.bytes_left = size
        self.http.timeout = deadline.time_out()  # for what is sent

    def usable(self) -> bool:
        """Whether it is worth trying: young, open, and silent (what speaks unasked is closing or confused)."""
        return time.monotonic() - self.last_used < KEPT_IDLE and self.http.is_connected

    def close(self) -> None:
        self.http.close()


class Connections:
    """Opens connections and keeps one for each host. Used by many threads, each with another host."""

    def __init__(self) -> None:
        self._trust = ssl.create_default_context()  # once: reading the bundle costs as much as many handshakes
        self._trust.sslsocket_class = LimitedSocket
        self._kept: dict[str, Connection] = {}

    def open(self, host: str, deadline: Deadline) -> Connection:
        """A new connection, with certificate and name verified. Raises `OSError`, `ValueError` for odd names."""
        connecting = deadline.at_most(CONNECT)
        plain = socket.create_connection((host, _HTTPS), timeout=connecting.time_out())
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.settimeout(connecting.time_out())
            tls = self._trust.wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise
        assert isinstance(tls, LimitedSocket)
        return Connection(host, tls)

    def take_kept(self, host: str) -> Connection | None:
        """The kept connection to a host, if there is one that looks alive; it is the caller's now."""
        connection = self._kept.pop(host, None)
        if connection is not None and not connection.usable():
            connection.close()
            return None
        return connection

    def keep(self, connection: Connection) -> None:
        """Keeps a connection whose last answer was read to its end."""
        connection.last_used = time.monotonic()
        replaced = self._kept.pop(connection.host, None)
        self._kept[connection.host] = connection
        if replaced is not None:
            replaced.close()

    def close(self) -> None:
        """Closes what is kept."""
        while self._kept:
            self._kept.popitem()[1].close()
