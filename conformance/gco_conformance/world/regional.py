"""The regional API of a world: what it answers, and what goes wrong on the way."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from gco_conformance.sealed.trust import Kind as CertificateKind
from gco_conformance.world import gateway
from gco_conformance.world.clock import Clock
from gco_conformance.world.connection import ConnectionLog
from gco_conformance.world.faults import Stage, WireFault
from gco_conformance.world.journal import Headers, Journal, Seen
from gco_conformance.world.order import Arrivals
from gco_conformance.world.script import Close, Do, Script, Send, Step, Wait
from gco_conformance.world.service import JSON, json_reply
from gco_conformance.world.signature import Credentials
from gco_conformance.world.wire import Reply, Request

JOBS, HEALTH, STATUS = "/api/v1/jobs", "/api/v1/health", "/api/v1/status"


class Surroundings(Protocol):
    """What a region needs of its world."""

    @property
    def journal(self) -> Journal: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def arrivals(self) -> Arrivals | None: ...

    def credentials(self, access_key: str) -> Credentials | None: ...


class Doors(Protocol):
    """What a region needs of the servers: to close its door, and to open it again."""

    def refuse(self, host: str) -> None: ...
    def accept(self, host: str) -> None: ...


@dataclass
class _Planned:
    """An answer or a fault, and on which requests (or connections) it is played; None: on all."""

    what: _Answer | WireFault
    ordinals: frozenset[int] | None
    count: int = 0
    fired: int = 0

    def strikes(self) -> bool:
        """Count one more request; give whether it is one of those that are meant."""
        self.count += 1
        meant = self.ordinals is None or self.count in self.ordinals
        self.fired += meant
        return meant


@dataclass(frozen=True)
class _Answer:
    path: str
    method: str | None
    reply: Reply
    after: float

    def covers(self, other: _Answer | WireFault) -> bool:
        """Whether nothing is left of `other` once this one has been set."""
        return isinstance(other, _Answer) and other.path == self.path and self.method in {None, other.method}

    def fits(self, method: str, path: str | None) -> bool:
        return path == self.path and self.method in {None, method}


class _Unset:
    """The default of arguments for which None is a value."""


_UNSET = _Unset()


class Region:
    """The regional API of one region. Healthy, with no jobs, until it is told otherwise.

    Setters take effect at the next request and give the region itself, so that they can be chained.
    """

    def __init__(self, name: str, api_id: str, suffix: str, world: Surroundings, doors: Doors) -> None:
        self.name = name
        self.api_id = api_id
        self._domain = f"execute-api.{name}.{suffix}"
        self.host = f"{api_id}.{self._domain}"
        self._world = world
        self._doors = doors
        self._lock = threading.Lock()
        self._certificate: CertificateKind = "good"
        self._answers: list[_Planned] = []
        self._faults: list[_Planned] = []
        for method, path, value in healthy(name):
            self.answers(path, json=value, method=method)

    @property
    def region(self) -> str:
        return self.name

    @property
    def url(self) -> str:
        """The endpoint, as the stack's output says it."""
        return f"https://{self.host}{gateway.STAGE}"

    @property
    def journal(self) -> Journal:
        return self._world.journal

    def answers(
        self,
        path: str = JOBS,
        *,
        status: int = 200,
        json: object = _UNSET,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        after: float = 0.0,
        method: str | None = None,
        on: Collection[int] | None = None,
    ) -> Region:
        """What is answered from now on to accepted requests for `path` (and `method`, if given).

        The body is `json`, or the very bytes of `body`; `after` is in seconds. With `on`, only those requests
        for the path are meant, the next one being 1. What was set last comes first.
        """
        if body is None:
            reply = json_reply(status, {} if isinstance(json, _Unset) else json)
        else:
            reply = Reply(status, body, (JSON,))
        reply = _with(reply, headers or {})
        answer = _Answer(path, method, reply, after)
        with self._lock:
            if on is None:
                self._answers = [planned for planned in self._answers if not answer.covers(planned.what)]
            self._answers.append(_Planned(answer, _ordinals(on)))
        return self

    def fails(self, fault: WireFault, *, on: Collection[int] | None = None) -> Region:
        """Play a fault from now on, or only on some requests, the next one being 1.

        Faults of the handshake count connections instead; faults of name and port can't be counted.
        """
        if on is not None and fault.stage in {Stage.NAME, Stage.LISTEN}:
            raise ValueError(f"{fault.name} isn't about single requests")
        with self._lock:
            self._faults.append(_Planned(fault, _ordinals(on)))
        if fault.stage is Stage.LISTEN:
            self._doors.refuse(self.host)
        return self

    def recovers(self) -> Region:
        """End all faults, those of the certificate too. Answers stay as they are."""
        with self._lock:
            self._faults.clear()
            self._certificate = "good"
        self._doors.accept(self.host)
        return self

    def serves_certificate(self, kind: CertificateKind) -> Region:
        """Present a certificate of this kind in new connections."""
        self._certificate = kind
        return self

    def requests(self) -> tuple[Seen, ...]:
        """Every request that came through TLS, in order; those with a `status` were refused by the checks."""
        return self.journal.entries("regional", self.name)

    def refused(self) -> tuple[Seen, ...]:
        """The requests that were refused: badly signed, or not what the service's document allows."""
        return tuple(request for request in self.requests() if request.status is not None)

    def fired(self, fault: WireFault) -> int:
        """How often a fault has been played since it was set."""
        with self._lock:
            return sum(planned.fired for planned in self._faults if planned.what == fault)

    # What the servers ask

    def resolves(self) -> bool:
        return self._strikes(Stage.NAME) is None

    def opened(self) -> Script | None:
        fault = self._strikes(Stage.HANDSHAKE)
        return None if fault is None else fault.script(b"", b"")

    def certificate(self) -> tuple[str, CertificateKind]:
        return f"*.{self._domain}", self._certificate

    def answer(self, request: Request, log: ConnectionLog) -> Script:
        now = self._world.clock.now()
        refused = gateway.check(request, host=self.host, region=self.name, find=self._world.credentials, now=now)
        if refused is not None:
            reply, why = refused
            log.request("regional", request, reply, why)
            return self._send(request, _with_own(request, reply, now), None, log)
        log.request("regional", request, None)
        answer = self._answer_to(request.method, gateway.service_path(request))
        fault = self._strikes(Stage.ANSWER)
        reply = _with_own(request, answer.reply, now)
        steps: list[Step] = [Wait(answer.after)] if answer.after else []
        arrivals = self._world.arrivals
        if arrivals is None:
            return [*steps, *self._send(request, reply, fault, log)]
        before, after = lambda: arrivals.wait(self.name), lambda: arrivals.sent(self.name)
        return [*steps, Do(before), *self._send(request, reply, fault, log), Do(after)]

    def _send(self, request: Request, reply: Reply, fault: WireFault | None, log: ConnectionLog) -> Script:
        head, payload = reply.head(), reply.payload(request.method)
        begun = Do(lambda: log.answer(request, reply, "" if fault is None else fault.name))
        if fault is not None:
            return [begun, *fault.script(head, payload)]
        closes = (reply.header("connection") or "").lower() == "close"
        return [begun, Send(head + payload), *([Close()] if closes else [])]

    def _answer_to(self, method: str, path: str | None) -> _Answer:
        with self._lock:
            for planned in reversed(self._answers):
                answer = planned.what
                if isinstance(answer, _Answer) and answer.fits(method, path) and planned.strikes():
                    return answer
        raise LookupError(f"{self.name} has no answer to {method} {path}")

    def _strikes(self, stage: Stage) -> WireFault | None:
        with self._lock:
            for planned in reversed(self._faults):
                fault = planned.what
                if isinstance(fault, WireFault) and fault.stage is stage and planned.strikes():
                    return fault
        return None


def healthy(region: str) -> tuple[tuple[str, str, dict[str, Any]], ...]:
    """What a region answers until it is told otherwise: method, path, and JSON with status 200."""
    cluster = f"gco-{region}"
    deletion = {"dry_run": True, "total_matched": 0, "deleted_count": 0, "failed_count": 0}
    status = {
        "cluster_id": cluster,
        "region": region,
        "templates_count": 2,
        "webhooks_count": 1,
        "resource_limits": {"max_cpu": "10", "max_memory": "32Gi"},
        "allowed_namespaces": ["default", "gco-jobs"],
    }
    health = {"status": "healthy", "cluster_id": cluster, "region": region, "kubernetes_api": "healthy"}
    return (
        ("GET", JOBS, {"jobs": [], "total": 0}),
        ("DELETE", JOBS, deletion),
        ("GET", HEALTH, health),
        ("GET", STATUS, status),
    )


def _ordinals(on: Collection[int] | None) -> frozenset[int] | None:
    if on is not None and (not on or min(on) < 1):
        raise ValueError("requests are counted from 1")
    return None if on is None else frozenset(on)


def _with(reply: Reply, headers: Mapping[str, str]) -> Reply:
    """The answer with headers of its own, which replace those of the same name."""
    given = {name.lower() for name in headers}
    kept = tuple((name, value) for name, value in reply.headers if name.lower() not in given)
    return Reply(reply.status, reply.body, (*kept, *headers.items()))


def _with_own(request: Request, reply: Reply, now: float) -> Reply:
    given = {name.lower() for name, _ in reply.headers}
    own: Headers = tuple(each for each in gateway.own_headers(request, now) if each[0].lower() not in given)
    return Reply(reply.status, reply.body, own + reply.headers)
