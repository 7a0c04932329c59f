"""Scenario files: round trips lose nothing, and what doesn't fit is told in one line with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gco_conformance.errors import UsageError
from gco_conformance.scenarios import schema
from gco_conformance.scenarios.file import read, written
from gco_conformance.scenarios.form import read_step, written_step
from gco_conformance.scenarios.scenario import Scenario, planned_in
from gco_conformance.scenarios.step import (
    Arrive,
    Asked,
    Certificate,
    Expectation,
    Frozen,
    Planned,
    Redeploy,
    RegionAnswers,
    RegionFails,
    RegionRecovers,
    Request,
    Restart,
    RotateCredentials,
    Span,
    StackBecomes,
    StackFails,
    StackRestored,
    Step,
    TimePasses,
    Whole,
)
from gco_conformance.world import description, faults
from gco_conformance.world.faults import CATALOGUE
from gco_conformance.world.faults import form as fault_form
from gco_fixtures.scenarios import scenario_files

US, EU = "us-east-1", "eu-west-1"
WORLD: dict[str, Any] = {"rotating": True, "regions": {EU: {"jobs": {"json": {"total": 1}}}, US: {}}}
EXPECTATION = Expectation(
    status=200,
    json=({"errors": None},),
    any_of=(Whole(200, {"a": [1, None]}), Whole(503, None)),
    equals={"/total": 3, "": {}},
    mentions={"/error": "limit"},
    absent=("/truncated",),
    headers={"Allow": "GET"},
    errors={US: "HTTP 500"},
    requests={US: Span(1, 1), EU: Span(0, 2)},
    discoveries=Span(2),
    given_up=(US,),
    accepted=True,
    asked=Asked({"limit": "10", "status": None}, ({"dry_run": True},)),
    within=25,
)
STEPS: tuple[Step, ...] = (
    Request("GET", "/api/v1/global/jobs", {"limit": "5"}, None, expect=EXPECTATION),
    Request("GET", "/api/v1/global/jobs", expect=Expectation(json=(None,), errors={})),
    Request("DELETE", "/api/v1/global/jobs", {}, '{"dry_run": false}'),
    Request("DELETE", "/api/v1/global/jobs", {}, '{"dry_run":false}', base64=True),
    Request("DELETE", "/api/v1/global/jobs", {}, '{"a": NaN, "a": 1'),
    RegionFails(US, (Planned(faults.Hang(), (1, 3)), Planned(faults.Member("total", "NaN")))),
    RegionFails(US, (Planned(faults.BlackHole()),)),
    RegionFails(US, (Planned(faults.CutBody(keep=3)),)),
    RegionAnswers(EU, {"health": {"status": 503, "body": "2026-01-01"}}),
    Certificate(US, "expired"),
    RegionRecovers(US),
    Redeploy(US),
    StackFails(US, (Planned(faults.Delay(2.5), (1,)),)),
    StackBecomes(US, "missing"),
    StackBecomes(US, {"status": "ROLLBACK_COMPLETE"}),
    StackRestored(US),
    TimePasses(300.5),
    Frozen(),
    Frozen("reset", 60.0),
    Restart(),
    RotateCredentials(),
    Arrive((US, EU)),
    Arrive(()),
)


def test_the_published_schema_is_made_of_what_scenarios_are_made_of() -> None:
    Draft202012Validator.check_schema(schema.published())
    assert schema.published() == schema.assembled()
    assert schema.published()["$defs"]["region"] == description.schema()["$defs"]["region"]


def test_every_step_that_can_be_taken_can_be_written(tmp_path: Path) -> None:
    scenario = Scenario("Everything", STEPS, WORLD, "Since it is so", ("aggregator.cache.stale",), "every")
    file = tmp_path / "every.yaml"
    file.write_text(written(scenario, comment="one\n\ntwo"), encoding="utf-8")
    assert read(file) == scenario
    assert {type(step) for step in STEPS} == set(Step.__args__)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_fault_can_be_written(name: str, tmp_path: Path) -> None:
    kind = CATALOGUE[name]
    given = {} if name in fault_form.with_defaults() else {"key": "total", "text": "1"}
    file = tmp_path / "fault.yaml"
    steps = (RegionFails(US, (Planned(kind(**given)),)),)
    file.write_text(written(Scenario(name, steps, WORLD)), encoding="utf-8")
    assert read(file).steps == steps


@pytest.mark.parametrize("file", scenario_files(), ids=lambda file: file.stem)
def test_the_declared_scenarios_are_sound(file: Path) -> None:
    scenario = read(file)
    assert scenario.why
    assert scenario.requirements
    assert not scenario.needs_cloudformation_alone
    requests = [step for step in scenario.steps if isinstance(step, Request)]
    assert all(step.expect != Expectation() for step in requests)
    assert all(read_step(written_step(step)) == step for step in scenario.steps)


def test_the_declared_scenarios_are_about_what_goes_wrong_in_production() -> None:
    names = {file.stem for file in scenario_files()}
    assert names >= {
        "stale-cache",
        "health-503",
        "missing-stacks",
        "black-holed-region",
        "rolling-regional-outage",
        "slow-recovery",
        "credential-rotation",
        "certificate-expiry",
        "deployment-in-progress",
    }


def test_a_place_is_that_of_the_step(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(f"title: a\nworld: {{regions: {{{US}: }}}}\nsteps:\n- time-passes: 1\n\n- process: restarts\n")
    assert read(file).places == (f"{file}:4", f"{file}:6")
    assert read(file).place(1) == f"{file}:6"
    assert Scenario("a", (Restart(),), WORLD).place(0) == "step 1"


@pytest.mark.parametrize(
    ("fault", "waits"),
    [("black-hole", True), ("hang", True), ("refuse", False), ("{fault: delay, seconds: 0.2}", False)],
)
def test_who_makes_callers_wait_is_known(fault: str, waits: bool, tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(HEAD + f"- region: {US}\n  fails: {fault}\n")
    assert read(file).waits is waits
    assert len(planned_in(read(file).steps[0])) == 1


HEAD = f"title: a\nworld: {{regions: {{{US}: {{}}}}}}\nsteps:\n"


@pytest.mark.parametrize(
    ("steps", "line", "says"),
    [
        ("[]\n", 3, "steps: "),
        ("- time: 3\n", 4, "steps.1 has an unknown key 'time'; known are request, region, stack, time-passes"),
        ("- {}\n", 4, "steps.1 says too little; One of request, region"),
        (
            "- request: GET /a\n  expects: {}\n",
            5,
            "steps.1 has an unknown key 'expects'; known are request, query",
        ),
        ("- request: get /a\n", 4, "steps.1.request: 'get /a' isn't a valid name"),
        ("- request: GET /a\n  json: 1\n  body: a\n", 4, "steps.1 has both json and body; keep one"),
        ("- request: GET /a\n  expect: {status: 20}\n", 5, "steps.1.expect.status: 20 is less than the minimum"),
        ("- request: GET /a\n  expect:\n    errors: {eu-west-1: a}\n", 4, "the world has no region eu-west-1"),
        ("- region: us-east-1\n  fails: hung\n", 5, "steps.1.fails is 'hung'; it may be unresolved, silent-dns"),
        ("- region: us-east-1\n  fails: member\n", 5, "steps.1.fails is 'member'; it may be"),
        ("- region: us-east-1\n  fails: {fault: hung}\n", 5, "steps.1.fails.fault is 'hung'; it may be"),
        ("- region: us-east-1\n  fails: {phase: body}\n", 5, "steps.1.fails has no fault"),
        ("- region: us-east-1\n  fails: {fault: hang, phase: tail}\n", 5, "fails.phase is 'tail'; it may be"),
        ("- region: us-east-1\n  fails: {fault: hang, fase: body}\n", 5, "unknown key 'fase'; known are fault"),
        ("- region: us-east-1\n  fails:\n  - hang\n  - {fault: member, key: a}\n", 7, "fails.2 has no text"),
        ("- region: us-east-1\n  fails: {fault: refuse, ordinals: [1]}\n", 5, "unknown key 'ordinals'"),
        ("- region: us-east-1\n  fails: {fault: hang, ordinals: [0]}\n", 5, "less than the minimum"),
        ("- region: us-east-1\n", 4, "steps.1 says too little; region and one of fails, answers"),
        ("- region: us-east-1\n  recovers: false\n", 5, "steps.1.recovers"),
        ("- region: us-west-2\n  recovers: true\n", 4, "the world has no region us-west-2; it has us-east-1"),
        ("- stack: us-east-1\n  becomes: gone\n", 5, "steps.1.becomes is 'gone'; it may be missing"),
        ("- arrive: [us-east-1, eu-west-1]\n", 4, "the world has no region eu-west-1"),
        ("- credentials: rotate\n", 4, "can't be rotated; say rotating: true in the world"),
        ("- time-passes: -1\n", 4, "steps.1.time-passes: -1 is less than"),
    ],
)
def test_what_does_not_fit_is_one_line_with_its_place(tmp_path: Path, steps: str, line: int, says: str) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(HEAD.rstrip("\n") + " " + steps if steps.startswith("[") else HEAD + steps)
    with pytest.raises(UsageError) as caught:
        read(file)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: ")
    assert says in message
    assert "\n" not in message


def test_an_unknown_requirement_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(
        HEAD.replace("title: a\n", "title: a\nrequirements:\n- aggregator.cache.stail\n") + "- process: restarts\n"
    )
    with pytest.raises(UsageError, match=r"scenario\.yaml:3: there is no requirement .*; did you mean '"):
        read(file)
