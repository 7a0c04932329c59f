"""Stacks that are no bridge, and a CloudFormation that stalls: the aggregator contract's section 5, discovery."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault
from gco_conformance.world.regional import STATUS
from gco_conformance.world.stack import ENDPOINT, Stack

REGIONS = ("eu-west-1", "us-east-1")
EU: Mapping[str, Any] = {"cluster_id": "eu", "templates_count": 3}
BUDGET = 26.0
"""Seconds: the 25 of the contract, and one for a machine that is busy with other checks."""


def is_no_bridge(aws: Stage, change: Callable[[Stack], object]) -> None:
    """With us-east-1's stack changed there is no discovery; with the stack as it was, there is."""
    stack = aws.stack("us-east-1")
    change(stack)
    aws.get("/api/v1/global/jobs").has_status(503)
    aws.nobody_was_asked()
    stack.restored()
    aws.works()


GOING = [
    "CREATE_IN_PROGRESS",
    "CREATE_FAILED",
    "ROLLBACK_IN_PROGRESS",
    "ROLLBACK_FAILED",
    "ROLLBACK_COMPLETE",
    "DELETE_IN_PROGRESS",
    "DELETE_FAILED",
    "DELETE_COMPLETE",
    "REVIEW_IN_PROGRESS",
]
STAYING = [
    "CREATE_COMPLETE",
    "UPDATE_IN_PROGRESS",
    "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
    "UPDATE_COMPLETE",
    "UPDATE_FAILED",
    "UPDATE_ROLLBACK_IN_PROGRESS",
    "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
    "UPDATE_ROLLBACK_FAILED",
    "UPDATE_ROLLBACK_COMPLETE",
]


@pytest.mark.requirement("aggregator.discovery.stack-state")
@pytest.mark.parametrize("status", GOING)
def test_a_stack_that_is_not_there_to_stay(stages: Stages, status: str) -> None:
    """Its outputs are still told, or told already, while the API behind them is going or not there yet."""
    with stages.open(*REGIONS) as aws:
        is_no_bridge(aws, lambda stack: stack.status(status))


@pytest.mark.requirement("aggregator.discovery.stack-state")
def test_a_stack_that_is_being_updated_serves(stages: Stages) -> None:
    """A deployment must not take the global API down: while a stack is updated, its API answers."""
    regions = tuple(f"us-test-{number}" for number, _ in enumerate(STAYING, 1))
    with stages.open(*regions) as aws:
        for region, status in zip(regions, STAYING, strict=True):
            aws.stack(region).status(status)
        aws.works()


def twice(stack: Stack, other: str | None = None) -> None:
    """Tell the endpoint a second time, with another URL or the same."""
    (url,) = (value for key, value in stack.told() if key == ENDPOINT)
    stack.outputs([*stack.told(), (ENDPOINT, other or url)])


INEXACT: dict[str, Callable[[Stack], object]] = {
    "another-regions-stack": lambda stack: stack.named("gco-regional-api-eu-west-1"),
    "another-projects-stack": lambda stack: stack.named("acme-regional-api-us-east-1"),
    "name-in-capitals": lambda stack: stack.named("GCO-REGIONAL-API-US-EAST-1"),
    "longer-name": lambda stack: stack.named("gco-regional-api-us-east-1-old"),
    "key-twice": twice,
    "paged": lambda stack: stack.paged(),
}


@pytest.mark.requirement("aggregator.discovery.exact")
@pytest.mark.parametrize("change", INEXACT.values(), ids=INEXACT.keys())
def test_an_answer_that_is_not_exactly_about_that_stack(stages: Stages, change: Callable[[Stack], object]) -> None:
    """Signed requests go where this answer says: what is ambiguous says nothing."""
    with stages.open(*REGIONS) as aws:
        is_no_bridge(aws, change)


@pytest.mark.requirement("aggregator.discovery.exact")
def test_a_stack_that_tells_of_two_deployments(stages: Stages) -> None:
    """The last of them, or the first, may be the one that is gone."""
    with stages.open(*REGIONS) as aws:
        former = aws.world.former_url("us-east-1")
        is_no_bridge(aws, lambda stack: twice(stack, former))


@pytest.mark.requirement("aggregator.discovery.exact")
def test_other_outputs_are_no_matter(stages: Stages) -> None:
    """A stack has many outputs, in any order, and keys that only look alike."""
    with stages.open(*REGIONS) as aws:
        stack = aws.stack("us-east-1")
        others = [("ClusterName", "gco"), (f"{ENDPOINT}Old", "https://example.com"), (ENDPOINT.lower(), "none")]
        stack.outputs([*others, *stack.told(), ("Zone", "")])
        aws.works()


STALLS: dict[str, tuple[str, WireFault]] = {
    "before-the-headers": ("us-east-1", faults.Hang()),
    "in-the-body": ("us-east-1", faults.Hang("body")),
    "drips": ("us-east-1", faults.Drip("body", bytes_per_second=1.25)),
    # Faults that strike before it's known who asks need a region that no other check uses.
    "black-hole": ("ap-northeast-3", faults.BlackHole()),
    "in-the-handshake": ("ap-southeast-4", faults.Hang("handshake")),
    "silent-dns": ("ca-west-1", faults.SilentDns()),
}


@pytest.mark.requirement("aggregator.discovery.deadline", waits=True)
@pytest.mark.parametrize(("region", "fault"), STALLS.values(), ids=STALLS.keys())
def test_a_stalled_discovery_is_cut_off(stages: Stages, region: str, fault: WireFault) -> None:
    """Without a map there is nothing to answer: 503, and before API Gateway itself gives up."""
    with stages.open("eu-west-1", region) as aws:
        aws.works()
        aws.restart()
        aws.stack(region).fails(fault)
        reply = aws.get("/api/v1/global/jobs")
        reply.came_within(BUDGET)
        reply.has_status(503)
        aws.nobody_was_asked()
        aws.stack(region).restored()
        aws.works()


@pytest.mark.requirement("aggregator.discovery.deadline", waits=True, moves_time=True)
@pytest.mark.parametrize("fault", [faults.Hang(), faults.Drip("body", 1.25)], ids=lambda fault: fault.name)
def test_a_stalled_discovery_leaves_time_for_the_old_map(stages: Stages, fault: WireFault) -> None:
    """The map of five minutes ago is still good, if there is time left to use it."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.time_passes(301)
        aws.stack("us-east-1").fails(fault)
        mark = aws.mark()
        reply = aws.get("/api/v1/global/status")
        reply.came_within(BUDGET)
        reply.says(regions_queried=2, regions_successful=2)
        aws.expect(bool(aws.descriptions(mark)), "an attempt to discover")


@pytest.mark.requirement("aggregator.discovery.deadline", waits=True, moves_time=True)
def test_a_stalled_discovery_and_a_hanging_region(stages: Stages) -> None:
    """They share one budget: two limits after one another are one too many."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.time_passes(301)
        aws.stack("us-east-1").fails(faults.Hang())
        aws.region("us-east-1").fails(faults.Hang())
        aws.region("eu-west-1").answers(STATUS, json=EU)
        reply = aws.get("/api/v1/global/status")
        reply.came_within(BUDGET)
        reply.accounts_for(aggregation.status({"eu-west-1": EU, "us-east-1": aggregation.REDACTED}))


@pytest.mark.requirement("aggregator.discovery.deadline", waits=True, moves_time=True)
def test_a_map_that_is_too_old_does_not_bridge_a_stall(stages: Stages) -> None:
    """The rules of staleness hold for a discovery that was cut off, too."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.time_passes(3600)
        aws.stack("us-east-1").fails(faults.Hang())
        mark = aws.mark()
        reply = aws.get("/api/v1/global/status")
        reply.came_within(BUDGET)
        reply.has_status(503)
        aws.nobody_was_asked(mark)


@pytest.mark.requirement("aggregator.discovery.deadline", waits=True, moves_time=True)
@pytest.mark.parametrize("code", ["Throttling", "ServiceUnavailable"])
def test_a_throttling_cloudformation_is_not_waited_for(stages: Stages, code: str) -> None:
    """Attempts and the pauses between them end with the budget, and the old map bridges that."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.time_passes(301)
        aws.stack("us-east-1").error(code, 400 if code == "Throttling" else 503)
        aws.stack("us-east-1").fails(faults.Delay(4))
        reply = aws.get("/api/v1/global/status")
        reply.came_within(BUDGET)
        reply.says(regions_queried=2, regions_successful=2)


@pytest.mark.requirement("aggregator.discovery.parallel", waits=True)
def test_regions_are_discovered_in_parallel(stages: Stages) -> None:
    """One after the other, the first caller of a new process waits for the sum of all regions."""
    regions = ("ap-northeast-1", "ap-southeast-2", "eu-central-1", "eu-west-1", "us-east-1", "us-west-2")
    pace = 1.5
    with stages.open(*regions) as aws:
        aws.works()
        aws.restart()
        for region in regions:
            aws.stack(region).slow(pace)
        mark = aws.mark()
        aws.works()
        calls = [min(seen.at for seen in aws.descriptions(mark, region)) for region in regions]
        spread = max(calls) - min(calls)
        aws.expect(
            spread < (len(regions) - 1) * pace * 0.7,
            f"all regions described at the same time, each taking {pace} s, not over {spread:.1f} s",
        )
