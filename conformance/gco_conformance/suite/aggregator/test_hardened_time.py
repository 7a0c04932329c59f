"""The time that an invocation may take, whatever a region does: the aggregator contract's section 5, time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gco_conformance.evidence.routes import ROUTES, Route
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault

REGIONS = ("eu-west-1", "us-east-1")

BUDGET = 26.0
"""Seconds: the 25 of the contract, and one for a machine that is busy with other checks."""
PROMPTLY = 15.0
"""Seconds for an invocation that has nothing to wait for, on a busy machine."""


def prepare(aws: Stage, route: Route) -> None:
    """All is well at first. Then a new process, whose connections are new, too, and meet the faults."""
    aws.works()
    aws.restart()
    for region in REGIONS:
        route.answered_by(aws.region(region))


def is_cut_off(aws: Stage, route: Route, *errors: str) -> None:
    """us-east-1 fails with one of the errors, in time, and eu-west-1's answer is there; afterwards all is well."""
    reply = route.ask(aws)
    reply.came_within(BUDGET)
    error = reply.error_of("us-east-1", *errors)
    reply.accounts_for(route.merged({"eu-west-1": route.answer, "us-east-1": error}))
    aws.region("us-east-1").recovers()
    again = route.ask(aws)
    again.accounts_for(route.merged(dict.fromkeys(REGIONS, route.answer)))
    again.came_within(PROMPTLY)


def on_routes(faults: Mapping[str, WireFault], *everywhere: str) -> pytest.MarkDecorator:
    """Each fault on the status route, and those named on all of them."""
    chosen = [
        pytest.param(fault, route, id=f"{name}-{asked}")
        for name, fault in faults.items()
        for asked, route in ROUTES.items()
        if asked == "status" or name in everywhere
    ]
    return pytest.mark.parametrize(("fault", "route"), chosen)


HANGING: dict[str, WireFault] = {
    "black-hole": faults.BlackHole(),
    "silent-dns": faults.SilentDns(),
    "in-the-handshake": faults.Hang("handshake"),
    "before-the-headers": faults.Hang("before-headers"),
    "in-the-headers": faults.Hang("headers"),
    "in-the-body": faults.Hang("body"),
}


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
@on_routes(HANGING, "before-the-headers", "black-hole")
def test_a_region_that_hangs_is_cut_off(stages: Stages, fault: WireFault, route: Route) -> None:
    """API Gateway gives up after 29 s: who waits longer for one region loses all of them, and what was deleted."""
    with stages.open(*REGIONS) as aws:
        prepare(aws, route)
        aws.region("us-east-1").fails(fault)
        is_cut_off(aws, route, aggregation.REDACTED)


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
def test_a_region_that_fails_late_each_time(stages: Stages) -> None:
    """Attempts share the budget: one that takes nine seconds to fail can't be made four times."""
    with stages.open(*REGIONS) as aws:
        prepare(aws, ROUTES["status"])
        aws.region("us-east-1").fails(faults.Hang("before-headers", seconds=9))
        is_cut_off(aws, ROUTES["status"], aggregation.REDACTED)


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
def test_most_regions_hang(stages: Stages) -> None:
    """Workers that wait for the hanging regions must not be missing for the one that answers."""
    hanging = [f"us-test-{number}" for number in range(1, 25)]
    with stages.open(*hanging, "us-west-2") as aws:
        aws.works()
        aws.restart()
        for region in hanging:
            aws.region(region).fails(faults.Hang())
        route = ROUTES["status"]
        route.answered_by(aws.region("us-west-2"))
        answers: dict[str, Any] = {**dict.fromkeys(hanging, aggregation.REDACTED), "us-west-2": route.answer}
        reply = aws.get("/api/v1/global/status")
        reply.came_within(BUDGET)
        reply.accounts_for(aggregation.status(answers))


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_a_slow_region_is_waited_for(stages: Stages, route: Route) -> None:
    """The budget is there to be used: three seconds are no failure."""
    with stages.open(*REGIONS) as aws:
        prepare(aws, route)
        aws.region("us-east-1").fails(faults.Delay(3))
        route.ask(aws).accounts_for(route.merged(dict.fromkeys(REGIONS, route.answer)))


RETRY_LATER: dict[str, WireFault] = {
    "503-in-12-s": faults.Status(503, retry_after="12"),
    "429-in-12-s": faults.Status(429, retry_after="12"),
    "413-in-12-s": faults.Status(413, retry_after="12"),
    "429-in-an-hour": faults.Status(429, retry_after="3600"),
    "503-in-an-hour": faults.Status(503, retry_after="3600"),
    "503-at-a-date": faults.Status(503, retry_after="Fri, 31 Dec 2038 23:59:59 GMT"),
}


@pytest.mark.requirement("aggregator.failure.retry-after", waits=True)
@on_routes(RETRY_LATER, "429-in-12-s", "429-in-an-hour")
def test_retry_after_is_no_reason_to_be_late(stages: Stages, fault: faults.Status, route: Route) -> None:
    """A region that asks for patience gets what the budget has, not what it asks for."""
    with stages.open(*REGIONS) as aws:
        prepare(aws, route)
        aws.region("us-east-1").fails(fault)
        # An attempt that the budget cuts off has no status.
        is_cut_off(aws, route, f"HTTP {fault.code}", aggregation.REDACTED)


@pytest.mark.requirement("aggregator.failure.retry-after", waits=True)
def test_a_degraded_region_that_says_retry_after(stages: Stages) -> None:
    """On the health path a 503 is the answer: there is nothing to wait for."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        report = {"status": "degraded", "cluster_id": "us", "kubernetes_api": "slow"}
        aws.region("us-east-1").answers("/api/v1/health", json=report).fails(faults.Status(503, retry_after="12"))
        aws.region("eu-west-1").answers("/api/v1/health", json={"status": "healthy"})
        reply = aws.get("/api/v1/global/health")
        reply.came_within(BUDGET)
        reply.accounts_for(aggregation.health({"eu-west-1": {"status": "healthy"}, "us-east-1": report}))


DRIPPING: dict[str, WireFault] = {
    "body": faults.Drip("body", bytes_per_second=1.25),
    "chunks": faults.Drip("chunks", bytes_per_second=1.25),
    "headers": faults.Drip("headers", bytes_per_second=1.25),
    "interim-responses": faults.Interim(100, times=100, every=0.8),
}


@pytest.mark.requirement("aggregator.failure.slow-drip", waits=True)
@on_routes(DRIPPING, "body")
def test_a_region_that_drips_is_cut_off(stages: Stages, fault: WireFault, route: Route) -> None:
    """A time limit for each read never ends an answer that comes a byte at a time."""
    with stages.open(*REGIONS) as aws:
        prepare(aws, route)
        aws.region("us-east-1").fails(fault)
        is_cut_off(aws, route, aggregation.REDACTED)


@pytest.mark.requirement("aggregator.failure.slow-drip")
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
@pytest.mark.parametrize("phase", ["body", "chunks"])
def test_a_slow_line_is_no_failure(stages: Stages, phase: Any, route: Route) -> None:
    """An answer that comes in pieces, and in time, is an answer."""
    with stages.open(*REGIONS) as aws:
        prepare(aws, route)
        aws.region("us-east-1").fails(faults.Drip(phase, bytes_per_second=100))
        route.ask(aws).accounts_for(route.merged(dict.fromkeys(REGIONS, route.answer)))
