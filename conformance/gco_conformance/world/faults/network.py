"""Faults on the way to a server: its name, its port, its TLS handshake, its certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gco_conformance.world.faults.fault import Stage, WireFault
from gco_conformance.world.script import Close, Cut, Hear, Script, Send, Wait

PATIENCE = 60.0
"""Seconds that a server waits at most for a client to go away: longer than any invocation may take."""


@dataclass(frozen=True)
class Unresolved(WireFault):
    """The name isn't known to the DNS."""

    STAGE: ClassVar[Stage] = Stage.NAME


@dataclass(frozen=True)
class SilentDns(WireFault):
    """Queries for the name are never answered."""

    STAGE: ClassVar[Stage] = Stage.NAME


@dataclass(frozen=True)
class Refuse(WireFault):
    """Nobody listens: connections are refused, and open ones end."""

    STAGE: ClassVar[Stage] = Stage.LISTEN


@dataclass(frozen=True)
class BlackHole(WireFault):
    """Packets vanish: no SYN is answered, and what arrives on open connections isn't either."""

    STAGE: ClassVar[Stage] = Stage.LISTEN


@dataclass(frozen=True)
class BadCertificate(WireFault):
    """The certificate doesn't verify, for one of these reasons."""

    STAGE: ClassVar[Stage] = Stage.CERTIFICATE

    kind: Literal["unknown-ca", "expired", "not-yet-valid", "wrong-name"] = "unknown-ca"


@dataclass(frozen=True)
class TlsAlert(WireFault):
    """The server aborts the handshake with an alert: its number as in RFC 8446, 6; 40 is handshake_failure."""

    STAGE: ClassVar[Stage] = Stage.HANDSHAKE

    description: int = 40

    def greeting(self) -> Script:
        return [Hear(PATIENCE), Send(b"\x15\x03\x03\x00\x02\x02" + bytes([self.description])), Close()]


@dataclass(frozen=True)
class OldTls(WireFault):
    """The server speaks no TLS newer than 1.1, which RFC 8996 forbids."""

    STAGE: ClassVar[Stage] = Stage.HANDSHAKE

    def greeting(self) -> Script:
        # A ServerHello of TLS 1.1: version, random, no session, TLS_RSA_WITH_AES_128_CBC_SHA, no compression.
        hello = b"\x03\x02" + bytes(range(32)) + b"\x00" + b"\x00\x2f" + b"\x00"
        message = b"\x02" + len(hello).to_bytes(3, "big") + hello
        record = b"\x16\x03\x02" + len(message).to_bytes(2, "big") + message
        return [Hear(PATIENCE), Send(record), Hear(1.0), Cut()]


@dataclass(frozen=True)
class NotTls(WireFault):
    """The port speaks plain HTTP."""

    STAGE: ClassVar[Stage] = Stage.HANDSHAKE

    def greeting(self) -> Script:
        text = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        return [Hear(PATIENCE), Send(text), Wait(0.1), Close()]
