"""What a host name shows to clients before and around its answers, and the faults that strike there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Protocol

from gco_conformance.http_messages import Reply, Request
from gco_conformance.sealed.names import Unanswered
from gco_conformance.sealed.trust import Kind as CertificateKind
from gco_conformance.world.connection import ConnectionLog
from gco_conformance.world.faults import (
    BadCertificate,
    BlackHole,
    Hang,
    ReplyFault,
    Scene,
    SilentDns,
    Stage,
    WireFault,
)
from gco_conformance.world.plan import Plan
from gco_conformance.world.script import Close, Do, Script, Send


class Doors(Protocol):
    """What a host needs of the servers: to close its door, in whatever way, and to open it again."""

    def refuse(self, host: str) -> None: ...
    def swallow(self, host: str) -> None: ...
    def accept(self, host: str) -> None: ...
    def hang_up(self, host: str, *, abruptly: bool) -> int: ...


class Front:
    """The faults of one host, of every stage, and what becomes of requests and answers under them."""

    def __init__(self, host: str, doors: Doors) -> None:
        self.plan = Plan()
        self._host = host
        self._doors = doors

    def fails(self, fault: WireFault, on: Collection[int] | None = None) -> None:
        """Play a fault from now on, or on some events only: see `Plan.add`."""
        self.plan.add(fault, on)
        if isinstance(fault, BlackHole):
            self._doors.swallow(self._host)
        elif fault.stage is Stage.LISTEN:
            self._doors.refuse(self._host)

    def recovers(self) -> None:
        """End all faults."""
        self.plan.end()
        self._doors.accept(self._host)

    def hangs_up(self, how: Literal["ended", "reset"] = "ended") -> int:
        """End all open connections now, or reset them. Gives how many there were."""
        return self._doors.hang_up(self._host, abruptly=how == "reset")

    # What the servers ask

    def resolves(self) -> bool:
        self.plan.strike(Stage.LISTEN)  # of those who then can't connect the kernel says nothing
        fault = self.plan.strike(Stage.NAME)
        if isinstance(fault, SilentDns):
            raise Unanswered
        return fault is None

    def opened(self) -> Script | None:
        fault = self.plan.strike(Stage.HANDSHAKE)
        return None if fault is None else fault.greeting()

    def certificate_kind(self) -> CertificateKind:
        fault = self.plan.strike(Stage.CERTIFICATE)
        return fault.kind if isinstance(fault, BadCertificate) else "good"


class Answering:
    """How a host sends its answers: which of the faults of a plan strike, and what is then written down."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def changed(self, scene: Scene) -> tuple[Reply, str]:
        """What is answered, and the name of the fault if one has changed it."""
        fault = self._plan.strike(Stage.REPLY)
        return (fault.changed(scene), fault.name) if isinstance(fault, ReplyFault) else (scene.reply, "")

    def script(self, request: Request, reply: Reply, log: ConnectionLog, changed_by: str = "") -> Script:
        """The answer as it is sent."""
        fault = self._fault(log)
        names = ", ".join(filter(None, [changed_by, fault.name if fault else ""]))
        begun = Do(lambda: log.answer(request, reply, names))
        if fault is not None:
            return [begun, *fault.script(reply.head(), reply.payload(request.method))]
        return [begun, *plainly(reply, request.method)]

    def _fault(self, log: ConnectionLog) -> WireFault | None:
        if self._plan.stands(BlackHole):
            return Hang()
        dead = self._plan.strike(Stage.REUSE) if log.requests > 1 else None
        return dead or self._plan.strike(Stage.ANSWER)


def plainly(reply: Reply, method: str) -> Script:
    """An answer to a method, sent whole; the connection ends after it if the answer says so."""
    closes = (reply.header("connection") or "").lower() == "close"
    return [Send(reply.head() + reply.payload(method)), *([Close()] if closes else [])]
