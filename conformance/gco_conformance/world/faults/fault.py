"""What a fault is: a small value with a stage, which is where on the way of a request it strikes."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from gco_conformance.http_messages import Reply, Request
from gco_conformance.world.script import Script, Send


class Stage(enum.Enum):
    """Where a fault strikes, from the name to the last byte. One fault of each stage can strike together."""

    NAME = "name"
    """A look-up of the host's name."""
    LISTEN = "listen"
    """The attempt to connect."""
    HANDSHAKE = "handshake"
    """A connection, instead of the TLS handshake."""
    CERTIFICATE = "certificate"
    """The TLS handshake: who the server says that it is."""
    REPLY = "reply"
    """What is answered: status, headers, body."""
    ANSWER = "answer"
    """How the answer is sent, byte by byte."""
    REUSE = "reuse"
    """As ANSWER, but only to requests that aren't the first on their connection."""

    @property
    def counts(self) -> str:
        """What ordinals number at this stage; empty where single events can't be told apart."""
        return _COUNTS.get(self, "")


_COUNTS = {
    Stage.HANDSHAKE: "connections",
    Stage.CERTIFICATE: "connections",
    Stage.REPLY: "requests",
    Stage.ANSWER: "requests",
    Stage.REUSE: "requests",
}


@dataclass(frozen=True)
class WireFault:
    """A fault. Subclasses are values: two with the same fields are the same fault."""

    STAGE: ClassVar[Stage] = Stage.ANSWER

    @classmethod
    def name_of_kind(cls) -> str:
        """`CutBody` is `cut-body`."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()

    @property
    def name(self) -> str:
        return self.name_of_kind()

    @property
    def stage(self) -> Stage:
        return self.STAGE

    def struck(self, _nth: int, /) -> WireFault:
        """What it is when it strikes for the n-th time, from 1."""
        return self

    def greeting(self) -> Script:
        """What a new connection gets instead of a TLS handshake."""
        return self.script(b"", b"")

    def script(self, head: bytes, body: bytes) -> Script:
        """What is sent instead of the `head` and the `body` of an answer."""
        raise NotImplementedError(f"{self.name} doesn't strike an answer")


@dataclass(frozen=True)
class Scene:
    """An answer, and what it answers. `host_of` gives the host name of a region's API."""

    reply: Reply
    request: Request
    region: str
    host_of: Callable[[str], str]


@dataclass(frozen=True)
class ReplyFault(WireFault):
    """A fault of what is answered. It can strike together with one of how the answer is sent."""

    STAGE: ClassVar[Stage] = Stage.REPLY

    def changed(self, scene: Scene) -> Reply:
        """What is answered instead of `scene.reply`."""
        raise NotImplementedError

    def script(self, head: bytes, body: bytes) -> Script:
        return [Send(head + body)]
