"""The regional API of a world: what it answers, and what goes wrong on the way."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from gco_conformance.http_messages import Headers, Reply, Request
from gco_conformance.sealed.trust import Kind as CertificateKind
from gco_conformance.world import gateway
from gco_conformance.world.clock import Clock
from gco_conformance.world.connection import ConnectionLog
from gco_conformance.world.faults import BadCertificate, Scene, Stage, WireFault
from gco_conformance.world.front import Answering, Doors, Front, plainly
from gco_conformance.world.journal import Journal, Seen
from gco_conformance.world.order import Arrivals
from gco_conformance.world.plan import ordinals
from gco_conformance.world.script import Do, Script, Step, Wait
from gco_conformance.world.service import JSON, json_reply
from gco_conformance.world.signature import Credentials

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
    def host_of(self, region: str) -> str: ...


@dataclass
class _Answer:
    """What is answered to which requests; `on` are their ordinals among those that fit, None means all."""

    path: str
    method: str | None
    reply: Reply
    after: float
    on: frozenset[int] | None
    count: int = 0

    def covers(self, other: _Answer) -> bool:
        """Whether nothing is left of `other` once this one has been set."""
        return self.on is None and other.path == self.path and self.method in {None, other.method}

    def is_given_to(self, method: str, path: str | None) -> bool:
        """Whether this answers a request, which is counted if it fits."""
        if path != self.path or self.method not in {None, method}:
            return False
        self.count += 1
        return self.on is None or self.count in self.on


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
        self._front = Front(self.host, doors)
        self._answering = Answering(self._front.plan)
        self._lock = threading.Lock()
        self._answers: list[_Answer] = []
        self.sent_whole = False
        """Whether the last answer has gone out to its last byte."""
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
        answer = _Answer(path, method, reply, after, ordinals(on))
        with self._lock:
            self._answers = [other for other in self._answers if not answer.covers(other)]
            self._answers.append(answer)
        return self

    def answers_as(self, other: Region) -> Region:
        """Answer everything as another region does."""
        self._answers = [dataclasses.replace(answer) for answer in other._answers]
        return self

    def fails(self, fault: WireFault, *, on: Collection[int] | None = None) -> Region:
        """Play a fault from now on, or only on some requests, the next one being 1.

        Faults of the handshake count connections instead; faults of name and port can't be counted.
        """
        self._front.fails(fault, on)
        return self

    def recovers(self) -> Region:
        """End all faults, those of the certificate too. Answers stay as they are."""
        self._front.recovers()
        return self

    def serves_certificate(self, kind: CertificateKind) -> Region:
        """Present a certificate of this kind in new connections."""
        self._front.plan.end(Stage.CERTIFICATE)
        return self if kind == "good" else self.fails(BadCertificate(kind))

    def hangs_up(self, how: Literal["ended", "reset"] = "ended") -> int:
        """End all open connections now. Gives how many there were."""
        return self._front.hangs_up(how)

    def requests(self) -> tuple[Seen, ...]:
        """Every request that came through TLS, in order; those with a `status` were refused by the checks."""
        return self.journal.entries("regional", self.name)

    def refused(self) -> tuple[Seen, ...]:
        """The requests that were refused: badly signed, or not what the service's document allows."""
        return tuple(request for request in self.requests() if request.status is not None)

    def fired(self, fault: WireFault) -> int:
        """How often a fault has been played since it was planned. Faults of name and port count look-ups."""
        return self._front.plan.fired(fault)

    def unfired(self) -> tuple[WireFault, ...]:
        """The faults that were planned and never played."""
        return self._front.plan.unfired()

    # What the servers ask

    def resolves(self) -> bool:
        return self._front.resolves()

    def opened(self) -> Script | None:
        return self._front.opened()

    def certificate(self) -> tuple[str, CertificateKind]:
        return f"*.{self._domain}", self._front.certificate_kind()

    def answer(self, request: Request, log: ConnectionLog) -> Script:
        now = self._world.clock.now()
        refused = gateway.check(request, host=self.host, region=self.name, find=self._world.credentials, now=now)
        if refused is not None:
            reply, why = refused
            log.request("regional", request, reply, why)
            reply = _with_own(request, reply, now)
            return [Do(lambda: log.answer(request, reply)), *plainly(reply, request.method)]
        log.request("regional", request, None)
        answer = self._answer_to(request.method, gateway.service_path(request))
        reply, changed_by = self._answering.changed(Scene(answer.reply, request, self.name, self._world.host_of))
        self.sent_whole = False
        script = self._answering.script(request, _with_own(request, reply, now), log, changed_by)
        sent = [*script, Do(self._is_sent_whole)]
        steps: list[Step] = [Wait(answer.after)] if answer.after else []
        arrivals = self._world.arrivals
        if arrivals is None:
            return [*steps, *sent]
        return [*steps, Do(lambda: arrivals.wait(self.name)), *sent, Do(lambda: arrivals.sent(self.name))]

    def _is_sent_whole(self) -> None:
        self.sent_whole = True

    def _answer_to(self, method: str, path: str | None) -> _Answer:
        with self._lock:
            for answer in reversed(self._answers):
                if answer.is_given_to(method, path):
                    return answer
        raise LookupError(f"{self.name} has no answer to {method} {path}")


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


def _with(reply: Reply, headers: Mapping[str, str]) -> Reply:
    """The answer with headers of its own, which replace those of the same name."""
    given = {name.lower() for name in headers}
    kept = tuple((name, value) for name, value in reply.headers if name.lower() not in given)
    return Reply(reply.status, reply.body, (*kept, *headers.items()))


def _with_own(request: Request, reply: Reply, now: float) -> Reply:
    given = {name.lower() for name, _ in reply.headers}
    own: Headers = tuple(each for each in gateway.own_headers(request, now) if each[0].lower() not in given)
    return Reply(reply.status, reply.body, own + reply.headers)
