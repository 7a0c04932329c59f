"""What a campaign plans: a seed gives its steps, and each answer that is expected makes sense by itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from gco_conformance.campaigns.campaign import LENGTH, Campaign
from gco_conformance.campaigns.effect import Answer, outcomes
from gco_conformance.campaigns.machine import plan
from gco_conformance.campaigns.plan import Plan
from gco_conformance.campaigns.question import question_of
from gco_conformance.campaigns.state import WorldState
from gco_conformance.campaigns.vocabulary import PROMPT_FAULTS, REFUSED, STACK_FAULTS, WAITING_FAULTS
from gco_conformance.model.aggregation import REDACTED
from gco_conformance.model.kept_map import KeptMap, use
from gco_conformance.scenarios.file import read, written
from gco_conformance.scenarios.scenario import makes_wait
from gco_conformance.scenarios.step import (
    Frozen,
    Planned,
    Redeploy,
    RegionAnswers,
    RegionFails,
    RegionRecovers,
    Request,
    Restart,
    Span,
    StackBecomes,
    StackFails,
    Step,
    TimePasses,
)
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault

EU, US = "eu-west-1", "us-east-1"
GET, DELETE = Request("GET", "/api/v1/global/status"), Request("DELETE", "/api/v1/global/jobs")


@cache
def plans() -> list[Plan]:
    return [plan(seed, run, LENGTH) for seed in (1, 2) for run in range(8)]


def test_a_seed_and_a_number_give_a_run() -> None:
    assert plan(1, 3, LENGTH) == plans()[3]
    assert len({repr(each) for each in plans()}) == len(plans())
    assert all(len(each.steps) == LENGTH for each in plans())


def requests() -> Iterator[Request]:
    return (step for each in plans() for step in each.steps if isinstance(step, Request))


def test_runs_ask_often_and_of_everything() -> None:
    asked = list(requests())
    assert len(asked) > len(plans()) * LENGTH / 4
    assert {(each.method, each.path.rpartition("/")[2]) for each in asked} >= {
        ("GET", "jobs"),
        ("DELETE", "jobs"),
        ("GET", "health"),
        ("GET", "status"),
    }


def test_a_run_makes_callers_wait_once_at_most() -> None:
    for each in plans():
        state = WorldState(each.regions, rotating=each.rotating)
        waits = 0
        for step in each.steps:
            assert state.allows(step)
            waits += isinstance(step, Request) and state.next_waits
            assert state.take(step) == step
        assert waits <= 1


def bodies(request: Request) -> list[Any]:
    expect = request.expect
    return [*expect.json, *(whole.json for whole in expect.any_of)]


def test_every_region_is_in_an_expected_answer_once_and_sums_equal_their_parts() -> None:
    judged = 0
    for request in requests():
        for body in bodies(request):
            if "error" in body:
                continue
            judged += 1
            rows = body.get("regions") or body.get("region_results") or body.get("region_summaries") or []
            named = [row["region"] for row in (*rows, *(body.get("errors") or ()))]
            assert len(named) == len(set(named)) == body.get("total_regions", body.get("regions_queried"))
            if "jobs" in body:
                assert body["total"] == sum(row["total"] for row in rows)
                assert body["count"] == len(body["jobs"]) <= body["limit"]
            if "region_results" in body:
                assert body["total_deleted"] == sum(row["deleted"] for row in rows)
    assert judged > 50


def test_a_run_is_a_scenario(tmp_path: Any) -> None:
    for number, each in enumerate(plans()[:4]):
        file = tmp_path / f"{number}.yaml"
        file.write_text(written(each.scenario(title="A run", why="")), encoding="utf-8")
        assert read(file).steps == each.steps


def test_parts_are_the_whole() -> None:
    whole = list(Campaign(1, 510).own)
    parts = [list(Campaign(1, 510, (first, 4)).own) for first in range(1, 5)]
    assert whole == list(range(21))
    assert sorted(number for part in parts for number in part) == whole


def test_what_cannot_be_done_to_an_aggregator_is_left_out() -> None:
    for each in plans():
        fixed = each.feasible(moves_time=False, starts_cold=False)
        assert not any(isinstance(step, (TimePasses, Frozen, Restart)) for step in fixed.steps)
        assert each.feasible(moves_time=True, starts_cold=True) == each


def test_faults_that_cost_time_are_known() -> None:
    assert not any(makes_wait(fault) for fault in (*PROMPT_FAULTS, *STACK_FAULTS))
    assert all(makes_wait(fault) for fault in WAITING_FAULTS)


@pytest.mark.parametrize(
    ("age", "found", "discovers", "at"),
    [
        (299.9, {"a": 2}, False, 0.0),
        (300.0, {"a": 2}, True, 300.0),
        (300.0, None, True, 0.0),
        (3599.9, None, True, 0.0),
        (3600.0, None, True, None),
        (3600.0, {"a": 2}, True, 3600.0),
    ],
)
def test_a_map_is_kept_as_long_as_the_contract_says(
    age: float, found: dict[str, object] | None, discovers: bool, at: float | None
) -> None:
    used = use(KeptMap({"a": 1}, 0.0), age, found)
    assert (used.discovers, None if used.map is None else used.map.at) == (discovers, at)
    assert use(None, age, None).map is None


BODY = {"jobs": [], "total": 3}
FAILED = (REDACTED,)


@pytest.mark.parametrize(
    ("route", "status", "standing", "expected"),
    [
        ("jobs", 200, [], (BODY,)),
        ("jobs", 500, [], ("HTTP 500",)),
        ("health", 503, [], (BODY,)),
        ("status", 503, [], ("HTTP 503",)),
        ("jobs", 200, [faults.Refuse()], FAILED),
        ("jobs", 200, [faults.BadCertificate(), faults.Status(500)], FAILED),
        ("jobs", 200, [faults.CutBody()], FAILED),
        ("jobs", 200, [faults.Status(500), faults.CutBody()], (REDACTED, "HTTP 500")),
        ("health", 503, [faults.CutBody()], (REDACTED, "HTTP 503")),
        ("jobs", 200, [faults.Status(500), faults.Reset()], FAILED),
        ("jobs", 200, [faults.Status(500), faults.End("headers")], (REDACTED, "HTTP 500")),
        ("jobs", 200, [faults.End("headers")], FAILED),
        ("jobs", 200, [faults.Status(500), faults.Status(404)], ("HTTP 404",)),
        ("jobs", 200, [faults.Status(404), faults.Chunks(7)], ("HTTP 404",)),
        ("jobs", 200, [faults.Redirect(307)], ("HTTP 307",)),
        ("jobs", 200, [faults.End("end")], (BODY,)),
        ("jobs", 200, [faults.Drip("body", 0.5)], FAILED),
        ("jobs", 200, [faults.Delay(0.2)], (BODY,)),
        ("health", 503, [faults.Body("<html>")], ("HTTP 503",)),
        ("jobs", 200, [faults.Member("total", "null")], FAILED),
        ("status", 200, [faults.Member("total", "null")], (BODY,)),
        ("status", 200, [faults.Member("total", "NaN")], FAILED),
        ("jobs", 200, [faults.DuplicateMember("total", "1")], FAILED),
        ("status", 200, [faults.DuplicateMember("deleted_count", "1")], (BODY,)),
        ("jobs", 200, [faults.HugeBody(1024)], (BODY,)),
        ("jobs", 200, [faults.HugeBody()], FAILED),
        ("status", 503, [faults.HugeBody()], (REDACTED, "HTTP 503")),
        ("jobs", 200, [faults.Flood()], FAILED),
        ("jobs", 200, [faults.Status(500), faults.Flood()], (REDACTED, "HTTP 500")),
    ],
)
def test_what_a_fault_does_to_an_answer(
    route: str, status: int, standing: list[WireFault], expected: tuple[Any, ...]
) -> None:
    assert outcomes(route, Answer(status, BODY), standing) == expected


def after(*steps: Step) -> Request:
    """The last step, with what is expected of it; those before it have to be possible."""
    state = WorldState((EU, US), rotating=False)
    told: list[Step] = []
    for step in steps:
        assert state.allows(step), step
        told.append(state.take(step))
    assert isinstance(told[-1], Request)
    return told[-1]


def errors(request: Request) -> list[Any]:
    return [body["errors"] for body in bodies(request)]


def once(fault: WireFault, ordinal: int = 1) -> RegionFails:
    return RegionFails(US, (Planned(fault, (ordinal,)),))


def fails(fault: WireFault) -> RegionFails:
    return RegionFails(US, (Planned(fault),))


LOST = [{"region": US, "error": REDACTED}]


def test_a_get_may_be_sent_again_and_a_deletion_may_not() -> None:
    assert errors(after(GET, once(faults.Reset()), GET)) == [LOST, None]
    deletion = after(GET, once(faults.Reset()), DELETE)
    assert errors(deletion) == [LOST]
    assert deletion.expect.requests[US] == Span(0, 1)
    assert errors(after(GET, once(faults.Reset()), GET, DELETE)) == [None]
    assert errors(after(GET, once(faults.Reset(), 2), GET)) == [None]
    assert errors(after(GET, once(faults.Reset(), 2), GET, DELETE)) == [LOST]


def test_a_connection_that_died_costs_no_get_and_perhaps_a_deletion() -> None:
    assert errors(after(GET, Frozen("reset"), GET)) == [None]
    assert None in errors(after(GET, Frozen("reset"), DELETE))
    assert LOST in errors(after(GET, Frozen("reset"), DELETE))
    assert errors(after(GET, Frozen("reset"), GET, DELETE)) == [None]
    assert errors(after(GET, Frozen("reset"), Restart(), DELETE)) == [None]


@pytest.mark.parametrize("fault", [faults.Unresolved(), faults.SilentDns()])
def test_a_name_that_was_looked_up_may_be_known(fault: WireFault) -> None:
    known = after(GET, fails(fault), GET)
    assert errors(known) == [LOST, None]
    assert US not in known.expect.requests  # any number may come
    assert after(GET, fails(fault), DELETE).expect.requests[US] == Span(0, 1)
    for unknown in (
        after(fails(fault), GET),
        after(GET, fails(fault), Restart(), GET),
        after(fails(fault), GET, GET),
    ):
        assert errors(unknown) == [LOST]
        assert unknown.expect.requests[US] == Span(0, 0)


def test_a_flood_must_be_given_up_as_long_as_it_comes() -> None:
    assert after(fails(faults.Flood()), GET).expect.given_up == (US,)
    assert after(fails(faults.Flood()), DELETE).expect.given_up == (US,)
    assert after(fails(faults.Flood()), fails(faults.Reset()), GET).expect.given_up == ()
    assert after(fails(faults.Flood()), RegionRecovers(US), GET).expect.given_up == ()


def test_a_region_that_moved_is_lost_until_it_is_found() -> None:
    moved = after(GET, Redeploy(US), GET)
    assert errors(moved) == [LOST]
    assert (moved.expect.requests[US], moved.expect.discoveries) == (Span(0, 0), Span(0, 0))
    assert errors(after(GET, Redeploy(US), TimePasses(300), GET)) == [None]
    assert errors(after(GET, Redeploy(US), Restart(), GET)) == [None]


def test_discovery_fails_closed_and_an_old_map_bridges_it() -> None:
    missing = StackBecomes(US, "missing")
    broken, slow = (StackFails(US, (Planned(fault),)) for fault in (faults.End("headers"), faults.Delay(0.2)))
    assert after(slow, broken, GET).expect.status == 503
    assert after(broken, slow, GET).expect.status == 200  # of two faults at one point, the last strikes
    cold = after(missing, GET)
    assert (cold.expect.status, cold.expect.requests) == (503, {EU: Span(0, 0), US: Span(0, 0)})
    stale = after(GET, missing, TimePasses(1800), GET)
    assert (stale.expect.status, stale.expect.discoveries) == (200, Span(1))
    assert after(GET, missing, TimePasses(3600), GET).expect.status == 503


def test_what_would_leave_the_kit_in_doubt_cannot_come() -> None:
    state = WorldState((EU, US), rotating=False)
    assert not state.allows(RegionRecovers(US))
    assert not state.allows(Frozen())
    for step in (GET, once(faults.Reset())):
        state.take(step)
    assert not state.allows(fails(faults.Status(500)))
    assert not state.allows(Frozen("reset"))
    assert not state.allows(RegionAnswers(US, {"status": {"status": 503, "json": {}}}))
    assert not state.allows(TimePasses(250))  # 50 s before the map is old: nobody knows whether it will be


@pytest.mark.parametrize(
    "refused",
    [refused for kind in REFUSED for refused in kind],
    ids=lambda refused: f"{refused[4]}-{refused[3] or refused[2]}",
)
def test_a_request_that_is_refused_reaches_nobody(refused: Any) -> None:
    method, path, query, body, mentions = refused
    asked = after(GET, Request(method, path, query, body))
    assert question_of(asked) is None
    assert asked.expect.status == 400
    assert asked.expect.requests == {EU: Span(0, 0), US: Span(0, 0)}
    assert asked.expect.mentions == ({"/error": mentions} if mentions else {})
