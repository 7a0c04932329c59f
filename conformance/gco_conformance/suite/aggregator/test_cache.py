"""The map of regional APIs that a warm process keeps: fresh, stale, and too old. Time is moved, not waited for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.world import faults

REGIONS = ("eu-west-1", "us-east-1")
EDGE = 15.0
"""Seconds before a bound: more than a check's own run takes on a busy machine."""


def discovered(aws: Stage) -> bool:
    """Ask for jobs, which has to succeed; tell whether CloudFormation was asked."""
    mark = aws.mark()
    aws.works()
    return bool(aws.descriptions(mark))


@pytest.mark.requirement("aggregator.cache.fresh", moves_time=True)
def test_a_fresh_map_is_used_without_asking(stages: Stages) -> None:
    """CloudFormation throttles after a few calls a second: a busy aggregator must not ask for each request."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.expect(discovered(aws), "a cold start that discovers")
        aws.expect(not discovered(aws), "no discovery right after one")
        aws.time_passes(300 - EDGE)
        aws.expect(not discovered(aws), f"no discovery {300 - EDGE:g} s after one")


@pytest.mark.requirement("aggregator.cache.refresh", moves_time=True)
def test_an_old_map_is_discovered_again(stages: Stages) -> None:
    """After five minutes what moved must be found where it is now."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.time_passes(300)
        aws.expect(discovered(aws), "a discovery 300 s after the last")
        aws.expect(not discovered(aws), "no discovery right after that")


@pytest.mark.requirement("aggregator.cache.refresh", moves_time=True)
def test_a_map_ages_while_it_is_used(stages: Stages) -> None:
    """A map counts from its discovery: one that gets younger by being used is never discovered again."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.time_passes(300 - EDGE)
        aws.works()
        aws.time_passes(EDGE)
        aws.expect(discovered(aws), "a discovery 300 s after the last, whatever was asked meanwhile")


@pytest.mark.requirement("aggregator.cache.refresh", moves_time=True)
def test_the_new_map_is_used(stages: Stages) -> None:
    """A redeployed API has another id; requests must go there and no longer to the old one."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.world.redeploy("us-east-1")
        aws.time_passes(300)
        aws.works()


@pytest.mark.requirement("aggregator.cache.stale", moves_time=True)
@pytest.mark.parametrize("age", [300, 3600 - EDGE])
def test_a_stale_map_bridges_a_failed_discovery(stages: Stages, age: float) -> None:
    """CloudFormation may fail for a while without the global API failing with it."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.stack("us-east-1").error("AccessDenied", 403)
        aws.time_passes(age)
        aws.works()


@pytest.mark.requirement("aggregator.cache.stale", moves_time=True)
def test_one_failed_region_keeps_the_whole_old_map(stages: Stages) -> None:
    """A map that is half old and half new was never true: one region's failure keeps the old one."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.stack("eu-west-1").missing()
        aws.stack("us-east-1").output(aws.world.former_url("us-east-1"))
        aws.time_passes(301)
        aws.works()


FAILURES: dict[str, Callable[[Stage, str], object]] = {
    "http": lambda aws, region: aws.stack(region).output(aws.region(region).url.replace("https:", "http:")),
    "no-output": lambda aws, region: aws.stack(region).outputs([]),
    "no-stack": lambda aws, region: aws.stack(region).missing(),
    "dropped": lambda aws, region: aws.stack(region).drops(),
    "no-xml": lambda aws, region: aws.stack(region).fails(faults.Body("<html>")),
    "refused": lambda aws, region: aws.stack(region).fails(faults.Reset("handshake")),
    "rolled-back": lambda aws, region: aws.stack(region).status("ROLLBACK_COMPLETE"),
    "another-name": lambda aws, region: aws.stack(region).named("gco-regional-api-elsewhere"),
    "several": lambda aws, region: aws.stack(region).several(),
    "paged": lambda aws, region: aws.stack(region).paged(),
}


@pytest.mark.requirement("aggregator.cache.stale", moves_time=True)
@pytest.mark.parametrize("failure", FAILURES)
def test_every_failure_of_discovery_is_bridged(stages: Stages, failure: str) -> None:
    """A stack that somebody spoilt is no other matter than a CloudFormation that fails."""
    # A reset strikes the host of CloudFormation, which other checks share in other regions than this.
    region = "il-central-1" if failure == "refused" else "us-east-1"
    with stages.open("eu-west-1", region) as aws:
        aws.needs_moved_time()
        aws.works()
        FAILURES[failure](aws, region)
        aws.time_passes(301)
        aws.works()


@pytest.mark.requirement("aggregator.cache.stale-bound", moves_time=True)
def test_a_map_that_is_too_old_is_not_used(stages: Stages) -> None:
    """After an hour nobody knows any more where the APIs are: 503, and no request to where they were."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.stack("us-east-1").error("AccessDenied", 403)
        aws.time_passes(3600)
        mark = aws.mark()
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.nobody_was_asked(mark)
        aws.stack("us-east-1").restored()
        aws.works()


@pytest.mark.requirement("aggregator.cache.retry-while-stale", moves_time=True)
def test_a_fallback_does_not_make_the_map_younger(stages: Stages) -> None:
    """Otherwise an aggregator whose discovery fails would serve the old map for ever."""
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        aws.stack("us-east-1").error("AccessDenied", 403)
        aws.time_passes(1800)
        aws.expect(discovered(aws), "an attempt to discover at 1800 s")
        aws.expect(discovered(aws), "another attempt with the next request")
        aws.time_passes(1800)
        aws.get("/api/v1/global/jobs").has_status(503)


@pytest.mark.requirement("aggregator.cache.complete-only")
def test_an_incomplete_map_is_never_kept(stages: Stages) -> None:
    """What was found of a failed discovery must not be served as if it were all."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").missing()
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.nobody_was_asked()


@pytest.mark.requirement("aggregator.cache.cold-start")
def test_nothing_survives_a_cold_start(stages: Stages) -> None:
    """A new process knows nothing: a map that lives on in a file or elsewhere has no age."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.stack("us-east-1").missing()
        aws.works()
        aws.restart()
        aws.get("/api/v1/global/jobs").has_status(503)
