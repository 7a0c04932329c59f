"""Faults of how an answer is sent: where it breaks off, how slowly it comes, how it's framed."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from gco_conformance.world.faults.fault import Stage, WireFault
from gco_conformance.world.faults.network import PATIENCE
from gco_conformance.world.script import Abort, Close, Cut, Script, Send, Step, Trickle, Wait

Phase = Literal["handshake", "before-headers", "headers", "body", "end"]
"""How far the server gets: nothing but the TCP connection; the request is read; half of the headers, or of the
body, is sent; all is."""


@dataclass(frozen=True)
class _Phased(WireFault):
    phase: Phase = "before-headers"

    @property
    def stage(self) -> Stage:
        return Stage.HANDSHAKE if self.phase == "handshake" else Stage.ANSWER

    def _sent(self, head: bytes, body: bytes) -> Script:
        match self.phase:
            case "headers":
                return [Send(head[: len(head) // 2])]
            case "body":
                return [Send(head + body[: len(body) // 2])]
            case "end":
                return [Send(head + body)]
            case _:
                return []


@dataclass(frozen=True)
class Reset(_Phased):
    """The connection is reset."""

    def script(self, head: bytes, body: bytes) -> Script:
        sent = self._sent(head, body)
        # What has been sent isn't read any more once the reset is there: let it be read before.
        return [*sent, *([Wait(0.1)] if sent else []), Abort()]


@dataclass(frozen=True)
class End(_Phased):
    """The connection ends in good order: an empty response, or one that is cut at that point."""

    def script(self, head: bytes, body: bytes) -> Script:
        return [*self._sent(head, body), Close()]


@dataclass(frozen=True)
class Hang(_Phased):
    """Nothing more comes for so many seconds, then the connection is cut."""

    seconds: float = PATIENCE

    def script(self, head: bytes, body: bytes) -> Script:
        return [*self._sent(head, body), Wait(self.seconds), Cut()]


@dataclass(frozen=True)
class Delay(WireFault):
    """The answer comes whole, after so many seconds, give or take its jitter.

    Delays are spread evenly between the two ends, in an order that is always the same.
    """

    seconds: float = 1.0
    jitter: float = 0.0

    def struck(self, nth: int, /) -> Delay:
        if not self.jitter:
            return self
        # Multiples of the golden ratio leave no gaps and no rhythm, however few they are.
        place = nth * (math.sqrt(5) - 1) / 2 % 1
        return Delay(max(0.0, self.seconds + self.jitter * (2 * place - 1)))

    def script(self, head: bytes, body: bytes) -> Script:
        return [Wait(self.seconds), Send(head + body)]


@dataclass(frozen=True)
class Drip(WireFault):
    """The answer comes a byte at a time, so many a second, from its headers or its body on.

    A dripping body comes with its length, or as chunks of one byte each.
    """

    phase: Literal["headers", "body", "chunks"] = "body"
    bytes_per_second: float = 1.0

    def script(self, head: bytes, body: bytes) -> Script:
        match self.phase:
            case "headers":
                return [Trickle(head + body, self.bytes_per_second)]
            case "chunks":
                chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
                size = len(b"1\r\nx\r\n")
                return [Send(chunked(head)), Trickle(chunks, self.bytes_per_second * size, piece=size)]
            case "body":
                return [Send(head), Trickle(body, self.bytes_per_second)]


@dataclass(frozen=True)
class Interim(WireFault):
    """So many interim responses come before the answer, one every so many seconds."""

    status: int = 103
    times: int = 3
    every: float = 0.0

    def script(self, head: bytes, body: bytes) -> Script:
        interim: list[Step] = [Send(b"HTTP/1.1 %d Interim\r\n\r\n" % self.status), Wait(self.every)]
        return [*(interim * self.times), Send(head + body)]


@dataclass(frozen=True)
class CutBody(WireFault):
    """The connection ends after `keep` bytes of the body, half of them by default."""

    keep: int | None = None

    def script(self, head: bytes, body: bytes) -> Script:
        keep = len(body) // 2 if self.keep is None else self.keep
        return [Send(head + body[:keep]), Cut()]


@dataclass(frozen=True)
class WrongLength(WireFault):
    """`Content-Length` says `by` bytes more than there are (or fewer, when negative), and the connection ends."""

    by: int = 10

    def script(self, head: bytes, body: bytes) -> Script:
        claimed = b"Content-Length: %d" % max(0, len(body) + self.by)
        return [Send(_LENGTH.sub(claimed, head) + body), Close()]


@dataclass(frozen=True)
class Chunks(WireFault):
    """The body comes whole, in chunks of this size instead of with its length: unusual, and right."""

    size: int = 65_536

    def script(self, head: bytes, body: bytes) -> Script:
        pieces = (body[place : place + self.size] for place in range(0, len(body), self.size))
        return [Send(chunked(head) + b"".join(map(_chunk, pieces)) + b"0\r\n\r\n")]


@dataclass(frozen=True)
class Flood(WireFault):
    """After its JSON the body goes on with spaces, in chunks, as long as it is read: up to so many MiB."""

    mib: int = 64

    def script(self, head: bytes, body: bytes) -> Script:
        first, more = (b"%x\r\n%s\r\n" % (len(data), data) for data in (body, b" " * 1024**2))
        return [Send(chunked(head) + first), *([Send(more)] * self.mib), Send(b"0\r\n\r\n")]


@dataclass(frozen=True)
class BadChunk(WireFault):
    """The body comes in chunks, and one has no size, is shorter than its size, or no last one comes."""

    what: Literal["size", "short", "unended"] = "size"

    def script(self, head: bytes, body: bytes) -> Script:
        half = len(body) // 2
        first = _chunk(body[:half])
        rest = {
            "size": b"size\r\n" + body[half:] + b"\r\n0\r\n\r\n",
            "short": b"%x\r\n%s\r\n0\r\n\r\n" % (len(body) - half + 10, body[half:]),
            "unended": _chunk(body[half:]),
        }
        return [Send(chunked(head) + first + rest[self.what]), Close()]


@dataclass(frozen=True)
class ExtraBytes(WireFault):
    """The answer is followed by bytes that belong to nothing; the connection stays open."""

    text: str = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a": "b"}'

    def script(self, head: bytes, body: bytes) -> Script:
        return [Send(head + body + self.text.encode())]


@dataclass(frozen=True)
class DeadConnection(WireFault):
    """A connection that was kept alive turns out to be dead when it's used again: reset, ended, or just silent."""

    STAGE: ClassVar[Stage] = Stage.REUSE

    how: Literal["reset", "ended", "silent"] = "reset"

    def script(self, head: bytes, body: bytes) -> Script:
        death = {"reset": Reset(), "ended": End(), "silent": Hang()}[self.how]
        return death.script(head, body)


def chunked(head: bytes) -> bytes:
    """The head of an answer whose body comes in chunks instead of with its length."""
    return _LENGTH.sub(b"Transfer-Encoding: chunked", head)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""


_LENGTH = re.compile(rb"Content-Length: \d+")
