"""Failing runs are made smaller: as small as can be, within bounds, and never into another failure."""

from __future__ import annotations

from collections.abc import Sequence

from gco_conformance.campaigns.campaign import LENGTH
from gco_conformance.campaigns.machine import plan
from gco_conformance.campaigns.plan import Plan
from gco_conformance.campaigns.shrink import shrunk
from gco_conformance.campaigns.state import WorldState
from gco_conformance.scenarios.step import (
    Planned,
    RegionAnswers,
    RegionFails,
    Request,
    Restart,
    StackBecomes,
    StackRestored,
    Step,
    TimePasses,
)
from gco_conformance.world import faults

EU, US = "eu-west-1", "us-east-1"
STATUS, JOBS = Request("GET", "/api/v1/global/status"), Request("GET", "/api/v1/global/jobs")
DEGRADED = RegionAnswers(EU, {"health": {"json": {"status": "degraded"}}})
LONG = (
    STATUS,
    DEGRADED,
    StackBecomes(US, "missing"),
    TimePasses(10),
    StackRestored(US),
    RegionFails(US, (Planned(faults.Status(500)),)),
    Restart(),
    STATUS,
    TimePasses(120),
    JOBS,
)


def made(*steps: Step) -> Plan:
    state = WorldState((EU, US, "us-west-2"), rotating=False)
    return Plan((EU, US, "us-west-2"), False, tuple(state.take(step) for step in steps if state.allows(step)))


class Aggregator:
    """Fails when it's asked for jobs while us-east-1 answers with a 500."""

    def __init__(self) -> None:
        self.asked = 0

    def fails(self, plans: Sequence[Plan]) -> list[Plan | None]:
        self.asked += len(plans)
        return [self._failing(each) for each in plans]

    def _failing(self, plan: Plan) -> Plan | None:
        broken = False
        for number, step in enumerate(plan.steps):
            broken |= isinstance(step, RegionFails)
            if broken and isinstance(step, Request) and step.path == JOBS.path:
                return plan.until(number)
        return None


def test_what_is_left_is_needed() -> None:
    smallest = shrunk(made(*LONG), Aggregator().fails, together=2)
    assert smallest is not None
    assert [type(step) for step in smallest.steps] == [RegionFails, Request]
    assert smallest.regions == (EU, US)


def test_what_is_expected_is_thought_out_anew() -> None:
    smallest = shrunk(made(*LONG), Aggregator().fails, together=1)
    assert smallest is not None
    assert smallest == smallest.without(())
    last = smallest.steps[-1]
    assert isinstance(last, Request)
    assert last.expect.discoveries is not None
    assert last.expect.discoveries.least == 2  # it's now the first request, and there are two regions


def test_a_run_that_does_not_fail_again_is_not_made_smaller() -> None:
    assert shrunk(made(*LONG), lambda plans: [None] * len(plans), together=2) is None


def test_the_search_is_bounded() -> None:
    aggregator = Aggregator()
    whole = made(*LONG)
    few = shrunk(whole, aggregator.fails, together=4, tries=5)
    assert aggregator.asked <= 5 + 4
    assert few is not None
    late = Aggregator()
    assert shrunk(whole, late.fails, together=1, seconds=-1) is None
    assert late.asked == 0


def test_nothing_is_tried_twice() -> None:
    tried: list[str] = []

    def fails(plans: Sequence[Plan]) -> list[Plan | None]:
        tried.extend(map(repr, plans))
        return Aggregator().fails(plans)

    shrunk(plan(1, 2, LENGTH), lambda plans: [each.until(len(each.steps)) for each in plans], together=3)
    shrunk(made(*LONG), fails, together=3)
    assert len(tried) == len(set(tried))
