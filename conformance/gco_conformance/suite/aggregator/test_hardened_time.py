"""The time that an invocation may take, whatever a region does: the aggregator contract's section 5, time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault
from gco_conformance.world.regional import JOBS

REGIONS = ("eu-west-1", "us-east-1")
STATUS = "/api/v1/status"
EU: Mapping[str, Any] = {"cluster_id": "eu", "templates_count": 3}

BUDGET = 26.0
"""Seconds: the 25 of the contract, and one for a machine that is busy with other checks."""
PROMPTLY = 15.0
"""Seconds for an invocation that has nothing to wait for, on a busy machine."""


def prepare(aws: Stage) -> None:
    """All is well at first. Then a new process, whose connections are new, too, and meet the faults."""
    aws.works()
    aws.restart()
    aws.region("eu-west-1").answers(STATUS, json=EU)


def is_cut_off(aws: Stage, error: str = aggregation.REDACTED) -> None:
    """us-east-1 is a failed region, in time, and eu-west-1's answer is there; afterwards all is well again."""
    reply = aws.get("/api/v1/global/status")
    reply.came_within(BUDGET)
    reply.accounts_for(aggregation.status({"eu-west-1": EU, "us-east-1": error}))
    aws.region("us-east-1").recovers()
    again = aws.get("/api/v1/global/status")
    again.says(regions_queried=2, regions_successful=2)
    again.came_within(PROMPTLY)


HANGING: dict[str, WireFault] = {
    "black-hole": faults.BlackHole(),
    "silent-dns": faults.SilentDns(),
    "in-the-handshake": faults.Hang("handshake"),
    "before-the-headers": faults.Hang("before-headers"),
    "in-the-headers": faults.Hang("headers"),
    "in-the-body": faults.Hang("body"),
}


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
@pytest.mark.parametrize("fault", HANGING.values(), ids=HANGING.keys())
def test_a_region_that_hangs_is_cut_off(stages: Stages, fault: WireFault) -> None:
    """API Gateway gives up after 29 s: an aggregator that waits longer for one region loses all of them."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("us-east-1").fails(fault)
        is_cut_off(aws)


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
def test_a_region_that_fails_late_each_time(stages: Stages) -> None:
    """Attempts share the budget: one that takes nine seconds to fail can't be made four times."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("us-east-1").fails(faults.Hang("before-headers", seconds=9))
        is_cut_off(aws)


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
def test_most_regions_hang(stages: Stages) -> None:
    """Workers that wait for the hanging regions must not be missing for the one that answers."""
    hanging = [f"us-test-{number}" for number in range(1, 25)]
    with stages.open(*hanging, "us-west-2") as aws:
        aws.works()
        aws.restart()
        for region in hanging:
            aws.region(region).fails(faults.Hang())
        aws.region("us-west-2").answers(STATUS, json=EU)
        answers: dict[str, Any] = {**dict.fromkeys(hanging, aggregation.REDACTED), "us-west-2": EU}
        reply = aws.get("/api/v1/global/status")
        reply.came_within(BUDGET)
        reply.accounts_for(aggregation.status(answers))


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
@pytest.mark.parametrize("path", ["jobs", "health"])
def test_the_answers_of_the_others_are_kept(stages: Stages, path: str) -> None:
    """People look at this list when a region is in trouble: that is when the other regions must be in it."""
    answers: dict[str, Any] = {
        "jobs": {"jobs": [{"metadata": {"name": "a"}}], "total": 1},
        "health": {"status": "healthy", "cluster_id": "eu"},
    }
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("eu-west-1").answers(f"/api/v1/{path}", json=answers[path])
        aws.region("us-east-1").fails(faults.Hang())
        given = {"eu-west-1": answers[path], "us-east-1": aggregation.REDACTED}
        reply = aws.get(f"/api/v1/global/{path}")
        reply.came_within(BUDGET)
        reply.accounts_for(getattr(aggregation, path)(given))


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
def test_a_deletion_that_hangs_somewhere(stages: Stages) -> None:
    """What was deleted in the other regions has been deleted: the answer must tell of it."""
    found: dict[str, Any] = {"total_matched": 3, "deleted_count": 3, "failed_count": 0}
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("eu-west-1").answers(JOBS, json=found, method="DELETE")
        aws.region("us-east-1").fails(faults.Hang())
        reply = aws.delete("/api/v1/global/jobs", {"namespace": "team-a", "dry_run": False})
        given: dict[str, Any] = {"eu-west-1": found, "us-east-1": aggregation.REDACTED}
        reply.came_within(BUDGET)
        reply.accounts_for(aggregation.deletion(given, dry_run=False))


@pytest.mark.requirement("aggregator.failure.deadline", waits=True)
def test_a_slow_region_is_waited_for(stages: Stages) -> None:
    """The budget is there to be used: three seconds are no failure."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("us-east-1").answers(STATUS, json={"cluster_id": "us"}).fails(faults.Delay(3))
        reply = aws.get("/api/v1/global/status")
        reply.accounts_for(aggregation.status({"eu-west-1": EU, "us-east-1": {"cluster_id": "us"}}))


RETRY_LATER: dict[str, WireFault] = {
    "503-in-12-s": faults.Status(503, retry_after="12"),
    "429-in-12-s": faults.Status(429, retry_after="12"),
    "413-in-12-s": faults.Status(413, retry_after="12"),
    "503-in-an-hour": faults.Status(503, retry_after="3600"),
    "503-at-a-date": faults.Status(503, retry_after="Fri, 31 Dec 2038 23:59:59 GMT"),
}


@pytest.mark.requirement("aggregator.failure.retry-after", waits=True)
@pytest.mark.parametrize("fault", RETRY_LATER.values(), ids=RETRY_LATER.keys())
def test_retry_after_is_no_reason_to_be_late(stages: Stages, fault: faults.Status) -> None:
    """A region that asks for patience gets what the budget has, not what it asks for."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("us-east-1").fails(fault)
        is_cut_off(aws, f"HTTP {fault.code}")


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
@pytest.mark.parametrize("fault", DRIPPING.values(), ids=DRIPPING.keys())
def test_a_region_that_drips_is_cut_off(stages: Stages, fault: WireFault) -> None:
    """A time limit for each read never ends an answer that comes a byte at a time."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("us-east-1").answers(
            STATUS, json={"cluster_id": "us", "templates_count": 1, "webhooks_count": 2}
        )
        aws.region("us-east-1").fails(fault)
        is_cut_off(aws)


@pytest.mark.requirement("aggregator.failure.slow-drip")
@pytest.mark.parametrize("phase", ["body", "chunks"])
def test_a_slow_line_is_no_failure(stages: Stages, phase: Any) -> None:
    """An answer that comes in pieces, and in time, is an answer."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        us = {"cluster_id": "us", "templates_count": 4}
        aws.region("us-east-1").answers(STATUS, json=us).fails(faults.Drip(phase, bytes_per_second=100))
        aws.get("/api/v1/global/status").accounts_for(aggregation.status({"eu-west-1": EU, "us-east-1": us}))
