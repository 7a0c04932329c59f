"""Faults of a connection, from the name to the last byte, as small values.

A fault has a stage: where on the way of a request it strikes. Faults of an answer turn the bytes that would have
been sent into a script of what is sent instead.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from gco_conformance.world.script import Abort, Close, Cut, Script, Send, Wait

Phase = Literal["handshake", "before-headers", "headers", "body"]
"""How far the server gets: nothing but the TCP connection; the request is read; half of the headers, or of the
body, is sent."""


class Stage(enum.Enum):
    """Where a fault strikes."""

    NAME = "name"
    LISTEN = "listen"
    HANDSHAKE = "handshake"
    ANSWER = "answer"


@dataclass(frozen=True)
class WireFault:
    """A fault of the wire. Subclasses are values: two with the same fields are the same fault."""

    STAGE: ClassVar[Stage] = Stage.ANSWER

    @property
    def name(self) -> str:
        """`CutBody` is `cut-body`."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def stage(self) -> Stage:
        return self.STAGE

    def script(self, head: bytes, body: bytes) -> Script:
        """What is sent instead of `head` and `body`; both are empty when the stage is the handshake."""
        raise NotImplementedError(f"{self.name} doesn't strike an answer")


@dataclass(frozen=True)
class Unresolved(WireFault):
    """The name isn't known to the DNS."""

    STAGE: ClassVar[Stage] = Stage.NAME


@dataclass(frozen=True)
class Refuse(WireFault):
    """Nobody listens: connections are refused, and open ones end."""

    STAGE: ClassVar[Stage] = Stage.LISTEN


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
            case _:
                return []


@dataclass(frozen=True)
class Reset(_Phased):
    """The connection is reset."""

    def script(self, head: bytes, body: bytes) -> Script:
        return [*self._sent(head, body), Abort()]


@dataclass(frozen=True)
class Hang(_Phased):
    """Nothing more comes for so many seconds, then the connection is cut."""

    seconds: float = 60.0

    def script(self, head: bytes, body: bytes) -> Script:
        return [*self._sent(head, body), Wait(self.seconds), Cut()]


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
class BadChunk(WireFault):
    """The body comes in chunks, and the size of the second one isn't a number."""

    def script(self, head: bytes, body: bytes) -> Script:
        half = len(body) // 2
        first = b"%x\r\n%s\r\n" % (half, body[:half]) if half else b""
        chunks = first + b"size\r\n" + body[half:] + b"\r\n0\r\n\r\n"
        return [Send(_LENGTH.sub(b"Transfer-Encoding: chunked", head) + chunks), Close()]


_LENGTH = re.compile(rb"Content-Length: \d+")
