"""A DNS server that knows the kit's own names, denies all others, and tells of every look-up."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

ADDRESS: Final = "127.0.0.53"
PORT: Final = 53


class Unanswered(Exception):
    """Raised by a `Resolve`: the query gets no answer at all."""


Resolve = Callable[[str], str | None]
"""Gives the IPv4 address of a name (lower case, without a final dot), `None` where there is no such name."""
Seen = Callable[[str, str, bool], None]
"""Is told name, type (as "A") and whether the name exists, before the answer is sent."""

_HEADER: Final = struct.Struct("!6H")
_QUESTION: Final = struct.Struct("!2H")
_TYPES: Final = {1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA"}
_TYPES.update({33: "SRV", 64: "SVCB", 65: "HTTPS", 255: "ANY"})
_INTERNET: Final = 1
_LONGEST: Final = 4096
_SECONDS_TO_LIVE: Final = 0  # a name may be answered differently at any time


@dataclass(frozen=True)
class Question:
    """What a DNS query asks (RFC 1035, section 4.1). `raw` is its question section, as sent."""

    identifier: int
    recursion: bool
    name: str
    type: int
    internet: bool
    raw: bytes

    @property
    def type_name(self) -> str:
        return _TYPES.get(self.type, f"TYPE{self.type}")  # RFC 3597


class NameServer:
    """Answers over UDP, on every one of `addresses`, from a thread of its own until `close`.

    A name that `resolve` knows has an A record and nothing else; any other gets NXDOMAIN. `resolve` and `seen`
    are called from that thread; an exception of theirs is answered with SERVFAIL and raised again by `close`.
    Raises `OSError` when an address can't be had.
    """

    def __init__(
        self, resolve: Resolve, seen: Seen, *, addresses: tuple[str, ...] = (ADDRESS,), port: int = PORT
    ) -> None:
        self._resolve = resolve
        self._seen = seen
        self._error: Exception | None = None
        self._sockets: list[socket.socket] = []
        self._stopping, self._stop = socket.socketpair()
        try:
            for address in addresses:
                self._sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK))
                self._sockets[-1].bind((address, port))
        except OSError:
            self._close_sockets()
            raise
        self._thread = threading.Thread(target=self._serve, name="names", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The UDP port of the first address."""
        return int(self._sockets[0].getsockname()[1])

    def close(self) -> None:
        """Stop answering. Raises what a callback raised."""
        self._stop.close()
        self._thread.join()
        self._close_sockets()
        if self._error is not None:
            raise self._error

    def _close_sockets(self) -> None:
        for each in (*self._sockets, self._stopping, self._stop):
            each.close()

    def _serve(self) -> None:
        watched = [*self._sockets, self._stopping]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if self._stopping in ready:
                return
            for each in ready:
                # Whoever asked may have gone, which a datagram socket reports at its next use.
                with contextlib.suppress(OSError):
                    query, asker = each.recvfrom(_LONGEST)
                    reply = self._reply(query)
                    if reply is not None:
                        each.sendto(reply, asker)

    def _reply(self, query: bytes) -> bytes | None:
        question = read(query)
        if question is None:
            return None
        try:
            address = self._resolve(question.name) if question.internet else None
            self._seen(question.name, question.type_name, address is not None)
            return answer(question, address)
        except Unanswered:
            self._seen(question.name, question.type_name, False)
            return None
        except Exception as error:
            self._error = self._error or error
            return _message(question, code=2)


def read(query: bytes) -> Question | None:
    """Parse a query; `None` for anything that isn't a standard query with one question."""
    try:
        identifier, flags, questions, *_ = _HEADER.unpack_from(query)
        labels: list[str] = []
        place = _HEADER.size
        while length := query[place]:
            label = query[place + 1 : place + 1 + length]
            if length > 63 or len(label) < length:
                return None
            labels.append(label.decode("ascii", "backslashreplace").lower())
            place += 1 + length
        kind, family = _QUESTION.unpack_from(query, place + 1)
    except (struct.error, IndexError):
        return None
    is_query = not flags & 0xF800  # neither a response nor another operation
    if not is_query or questions != 1 or place - _HEADER.size > 254:
        return None
    raw = query[_HEADER.size : place + 1 + _QUESTION.size]
    return Question(identifier, bool(flags & 0x0100), ".".join(labels), kind, family == _INTERNET, raw)


def answer(question: Question, address: str | None) -> bytes:
    """The response: the A record where it was asked for, an empty one for other types, NXDOMAIN for `None`."""
    if address is None:
        return _message(question, code=3)
    if question.type_name not in ("A", "ANY"):
        return _message(question)
    at_question = 0xC000 | _HEADER.size
    record = struct.pack("!3HIH", at_question, 1, _INTERNET, _SECONDS_TO_LIVE, 4) + socket.inet_aton(address)
    return _message(question, record)


def _message(question: Question, record: bytes = b"", *, code: int = 0) -> bytes:
    # The question goes back exactly as sent: resolvers that vary its case compare it.
    flags = 0x8480 | (0x0100 if question.recursion else 0) | code  # an authoritative, recursive response
    return _HEADER.pack(question.identifier, flags, 1, bool(record), 0, 0) + question.raw + record


class Zone:
    """Names, and suffixes of names, with their addresses. May be changed while it is used."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._suffixes: dict[str, str] = {}

    def add(self, name: str, address: str) -> None:
        """Give a name its address; `*.example.com` stands for all names below example.com."""
        name = name.lower().rstrip(".")
        if name.startswith("*."):
            self._suffixes[name[2:]] = address
        else:
            self._names[name] = address

    def remove(self, name: str) -> None:
        name = name.lower().rstrip(".")
        self._names.pop(name, None)
        self._suffixes.pop(name.removeprefix("*."), None)

    def resolve(self, name: str) -> str | None:
        if (address := self._names.get(name)) is not None:
            return address
        parts = name.split(".")
        for start in range(1, len(parts)):
            if (address := self._suffixes.get(".".join(parts[start:]))) is not None:
                return address
        return None
