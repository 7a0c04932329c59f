"""Attempts, redirects, connections that died and bodies without end: the aggregator contract's section 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from gco_conformance.evidence.routes import ROUTES, Route
from gco_conformance.evidence.stage import Stages
from gco_conformance.evidence.violation import NotTested
from gco_conformance.model import aggregation
from gco_conformance.model.aggregation import Answers
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault
from gco_conformance.world.regional import JOBS, STATUS

REGIONS = ("eu-west-1", "us-east-1")
EU: Mapping[str, Any] = {"cluster_id": "eu", "templates_count": 3}
US: Mapping[str, Any] = {"cluster_id": "us"}
DELETED: Mapping[str, Any] = {"total_matched": 3, "deleted_count": 2, "failed_count": 1}
MIB = 1024 * 1024
BOUND = 8 * MIB


def deletion_fails_once(stages: Stages, failing: Mapping[str, tuple[WireFault, str]]) -> None:
    """Each region gets the deletion once and fails with its error; what eu-west-1 deleted is told."""
    names = {f"us-{name}-1": name for name in failing}
    with stages.open(*names, "eu-west-1") as aws:
        aws.works()  # connections that are kept from here on mustn't make a difference
        for region in (*names, "eu-west-1"):
            aws.region(region).answers(JOBS, json=DELETED, method="DELETE")
        for region, name in names.items():
            aws.region(region).fails(failing[name][0])
        mark = aws.mark()
        reply = aws.delete("/api/v1/global/jobs", {"namespace": "team-a", "dry_run": False})
        for region in names:
            sent = [seen.method for seen in aws.requests(region, since=mark)]
            aws.expect(sent == ["DELETE"], f"one DELETE to {region}, not {' and '.join(sent) or 'none'}")
        errors: dict[str, Any] = {region: failing[name][1] for region, name in names.items()}
        reply.accounts_for(aggregation.deletion({**errors, "eu-west-1": DELETED}, dry_run=False))


LOST: dict[str, WireFault] = {
    "reset": faults.Reset("before-headers"),
    "reset-in-the-headers": faults.Reset("headers"),
    "reset-in-the-body": faults.Reset("body"),
    "no-answer": faults.End("before-headers"),
    "half-an-answer": faults.CutBody(),
    "bad-chunk": faults.BadChunk(),
    "not-json": faults.Body("<html>"),
}


@pytest.mark.requirement("aggregator.failure.delete-once")
@pytest.mark.parametrize("name", LOST)
def test_a_deletion_whose_answer_is_lost_is_not_sent_again(stages: Stages, name: str) -> None:
    """It may have been carried out: sent again, it deletes what has come since, and its first count is lost."""
    deletion_fails_once(stages, {name: (LOST[name], aggregation.REDACTED)})


@pytest.mark.requirement("aggregator.failure.delete-once", waits=True)
def test_a_deletion_that_hangs_is_not_sent_again(stages: Stages) -> None:
    """The region is still at it: a second one beside it makes that worse."""
    hanging = {"silent": faults.Hang(), "in-the-body": faults.Hang("body"), "late": faults.Hang(seconds=5)}
    deletion_fails_once(stages, {name: (fault, aggregation.REDACTED) for name, fault in hanging.items()})


@pytest.mark.requirement("aggregator.failure.delete-once")
@pytest.mark.parametrize("retry_after", ["", "1"], ids=["plain", "retry-after"])
def test_a_deletion_that_fails_is_not_sent_again(stages: Stages, retry_after: str) -> None:
    """Whether anything was deleted is unknown, whatever the status invites to."""
    codes = (400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504)
    failing = {f"{code}": (faults.Status(code, retry_after), f"HTTP {code}") for code in codes}
    deletion_fails_once(stages, failing)


CODES = {
    "ca-test-1": 301,
    "ca-test-2": 302,
    "ca-test-3": 303,
    "ca-test-4": 307,
    "ca-test-5": 308,
    "ca-test-6": 300,
}
TARGETS: dict[str, dict[str, str]] = {
    "same-host": {"path": "/prod/api/v1/health"},
    "other-region": {"to": "eu-west-1"},
    "http": {"scheme": "http"},
}


@pytest.mark.requirement("aggregator.failure.no-redirects")
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_a_redirect_is_an_answer_and_not_followed(stages: Stages, target: Mapping[str, Any], route: Route) -> None:
    """Discovery vouches for one address: neither the token nor a deletion must go where that one points."""
    with stages.open(*CODES, "eu-west-1") as aws:
        # No connection is kept yet: on one that seems dead a GET may well be sent twice.
        for region, code in CODES.items():
            aws.region(region).fails(faults.Redirect(code, **target))
        route.answered_by(aws.region("eu-west-1"))
        mark = aws.mark()
        reply = route.ask(aws)
        for region in (*CODES, "eu-west-1"):
            found = len(aws.requests(region, since=mark))
            aws.expect(found == 1, f"one request to {region}, not {found}")
        errors = {region: f"HTTP {code}" for region, code in CODES.items()}
        reply.accounts_for(route.merged({**errors, "eu-west-1": route.answer}))


@pytest.mark.requirement("aggregator.failure.no-redirects")
def test_a_redirect_to_nowhere(stages: Stages) -> None:
    """A 3xx without a place to go to, or with nothing to say, is that status."""
    with stages.open("ap-southeast-2", *REGIONS) as aws:
        aws.works()
        aws.region("ap-southeast-2").fails(faults.Status(302))
        aws.region("us-east-1").fails(faults.Status(304))
        aws.region("eu-west-1").answers(STATUS, json=EU)
        answers: dict[str, Any] = {"ap-southeast-2": "HTTP 302", "eu-west-1": EU, "us-east-1": "HTTP 304"}
        aws.get("/api/v1/global/status").accounts_for(aggregation.status(answers))


@pytest.mark.requirement("aggregator.failure.dead-keepalive", moves_time=True)
@pytest.mark.parametrize("seconds", [0, 600])
@pytest.mark.parametrize("how", ["ended", "reset"])
def test_a_connection_that_died_while_the_process_was_frozen(
    stages: Stages, how: Literal["ended", "reset"], seconds: float
) -> None:
    """Lambda freezes a process between invocations; servers don't wait. The next caller must not pay for that."""
    with stages.open(*REGIONS) as aws:
        if seconds:
            aws.needs_moved_time()
            aws.works()
        aws.works()
        with aws.frozen():
            ended = [aws.region(region).hangs_up(how) for region in REGIONS]
            aws.time_passes(seconds)
        if not any(ended):
            raise NotTested("no connection is kept alive")
        aws.works()


@pytest.mark.requirement("aggregator.failure.dead-keepalive", waits=True)
@pytest.mark.parametrize("route", ["status", "jobs", "health"])
@pytest.mark.parametrize("how", ["reset", "ended", "silent"])
def test_a_connection_that_turns_out_to_be_dead(
    stages: Stages, how: Literal["reset", "ended", "silent"], route: str
) -> None:
    """Between the two sides something has forgotten the connection: it is dead without a sign."""
    asked = ROUTES[route]
    with stages.open(*REGIONS) as aws:
        aws.works()
        for region in REGIONS:
            asked.answered_by(aws.region(region))
        aws.region("us-east-1").fails(faults.DeadConnection(how))
        asked.ask(aws).accounts_for(asked.merged(dict.fromkeys(REGIONS, asked.answer)))


HUGE: dict[str, tuple[WireFault, ...]] = {
    "with-its-length": (faults.HugeBody(BOUND + 1),),
    "in-chunks": (faults.HugeBody(BOUND + 1), faults.Chunks()),
    "far-too-large": (faults.HugeBody(3 * BOUND), faults.Chunks()),
    "gzip": (faults.CompressionBomb(BOUND + 1, "gzip"),),
    "far-too-large-gzip": (faults.CompressionBomb(32 * MIB, "gzip"),),
    "deflate": (faults.CompressionBomb(32 * MIB, "deflate"),),
    "gzip-in-gzip": (faults.CompressionBomb(32 * MIB, "gzip", times=2),),
}


@pytest.mark.requirement("aggregator.failure.body-bound")
@pytest.mark.parametrize("shape", HUGE.values(), ids=HUGE)
def test_a_body_beyond_the_bound_fails_its_region(stages: Stages, shape: tuple[WireFault, ...]) -> None:
    """All regions' bodies share the function's memory: one without a bound takes the others with it."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        for route in ROUTES.values():
            for region in REGIONS:
                route.answered_by(aws.region(region))
            for fault in shape:
                aws.region("us-east-1").fails(fault)
            answers: Answers = {"eu-west-1": route.answer, "us-east-1": aggregation.REDACTED}
            route.ask(aws).accounts_for(route.merged(answers))
            aws.region("us-east-1").recovers()
            route.ask(aws).accounts_for(route.merged(dict.fromkeys(REGIONS, route.answer)))


@pytest.mark.requirement("aggregator.failure.body-bound")
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
@pytest.mark.parametrize("status", [200, 500])
def test_what_lies_beyond_the_bound_is_not_read(stages: Stages, status: int, route: Route) -> None:
    """To refuse a body that has been read is too late: it has taken the memory, be it an error page."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        route.answered_by(aws.region("eu-west-1"))
        us = aws.region("us-east-1").answers(route.path, status=status, json=route.answer, method=route.method)
        # Clients may read on a little before they look, and the buffers of both sides may take 36 MiB.
        flood = faults.Flood(mib=64)
        us.fails(flood)
        reply = route.ask(aws)
        aws.expect(not us.sent_whole, f"a body of {flood.mib} MiB given up, not read to its end")
        error = aggregation.REDACTED if status == 200 else f"HTTP {status}"
        reply.accounts_for(route.merged({"eu-west-1": route.answer, "us-east-1": error}))


@pytest.mark.requirement("aggregator.failure.body-bound")
@pytest.mark.parametrize("more", [(), (faults.Chunks(),)], ids=["with-its-length", "in-chunks"])
def test_a_body_within_the_bound_is_read(stages: Stages, more: tuple[WireFault, ...]) -> None:
    """Eight MiB are what a region with thousands of jobs may need."""
    with stages.open(*REGIONS) as aws:
        aws.region("eu-west-1").answers(STATUS, json=EU)
        aws.region("us-east-1").answers(STATUS, json=US)
        for fault in (faults.HugeBody(BOUND - 1), *more):
            aws.region("us-east-1").fails(fault)
        aws.get("/api/v1/global/status").accounts_for(aggregation.status({"eu-west-1": EU, "us-east-1": US}))
