"""`gco-conformance merge`: parts of a campaign say together what the whole would have said."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gco_conformance.campaigns.campaign import LENGTH, Campaign, Run
from gco_conformance.campaigns.execution import Execution, Failure
from gco_conformance.campaigns.machine import plan
from gco_conformance.campaigns.merge import merge
from gco_conformance.campaigns.report import to_json
from gco_conformance.cli import main
from gco_conformance.errors import UsageError
from gco_conformance.scenarios.report import report
from gco_conformance.world.faults import CATALOGUE

STEPS = 6 * LENGTH
CELLS = (("reset", "body", "jobs"), ("hang", "headers", "status"), ("reset", "body", "jobs"))
FAILURE = Failure(3, "the answer is another", "{}", "[]", ("  0.1 s regional",))


def run(seed: int, number: int, *, failing: bool = False) -> Run:
    made = plan(seed, number, LENGTH)
    pairs = (("hang", "reset"),) if number % 2 else ()
    execution = Execution(
        1.5, 4 if failing else LENGTH, FAILURE if failing else None, "", CELLS[: number % 4], pairs
    )
    return Run(number, made, execution)


def told(campaign: Campaign, *, failing: Sequence[int] = (), errors: Sequence[str] = ()) -> dict[str, Any]:
    runs = [run(campaign.seed, number, failing=number in failing) for number in campaign.own]
    return report("python:a:b", seconds=2.0, errors=errors, campaigns=[to_json(campaign, runs)])


def parts(seed: int, count: int, **options: Any) -> dict[str, dict[str, Any]]:
    return {f"{n}.json": told(Campaign(seed, STEPS, (n, count)), **options) for n in range(1, count + 1)}


def without_times(content: Mapping[str, Any]) -> dict[str, Any]:
    return {**content, "seconds": 0}


def valid(content: Mapping[str, Any]) -> None:
    path = files("gco_conformance.scenarios") / "schemas" / "faults-1.schema.json"
    schema = json.loads(path.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(content)


@pytest.mark.parametrize("failing", [[], [2, 3]])
def test_parts_say_together_what_the_whole_says(failing: list[int]) -> None:
    whole = told(Campaign(1, STEPS), failing=failing)
    joined = merge(parts(1, 4, failing=failing))
    assert without_times(joined) == without_times(whole)
    assert joined["exit_status"] == (1 if failing else 0)
    valid(joined)
    valid(whole)


def test_the_order_of_the_parts_is_no_matter() -> None:
    found = parts(1, 3)
    assert merge(dict(reversed(found.items()))) == merge(found)


def test_several_campaigns_are_told_one_after_the_other() -> None:
    joined = merge({"b": told(Campaign(2, STEPS)), "a": told(Campaign(1, STEPS), failing=[0])})
    assert [campaign["seed"] for campaign in joined["campaigns"]] == [1, 2]
    assert joined["exit_status"] == 1
    assert merge({"joined": joined})["campaigns"] == joined["campaigns"]


def test_what_is_missing_is_no_clean_whole() -> None:
    found = parts(1, 3)
    del found["2.json"]
    joined = merge(found)
    assert joined["errors"] == ["seed 1: no report has run 1, 4"]
    assert joined["exit_status"] == 2


def test_an_interrupted_part_is_told_of() -> None:
    joined = merge(parts(1, 2) | {"2.json": told(Campaign(1, STEPS, (2, 2)), errors=["interrupted"])})
    assert joined["errors"] == ["2.json: interrupted"]
    assert joined["exit_status"] == 2


def test_reports_that_do_not_belong_together_are_refused() -> None:
    twice = {"a.json": told(Campaign(1, STEPS)), "b.json": told(Campaign(1, STEPS))}
    with pytest.raises(UsageError, match=r"run 0 of seed 1 is in two reports: a\.json and b\.json"):
        merge(twice)
    other = copy.deepcopy(twice["b.json"]) | {"aggregator": "http:x"}
    with pytest.raises(
        UsageError, match=r"a\.json is about python:a:b, b\.json about http:x; merge reports of one"
    ):
        merge({"a.json": twice["a.json"], "b.json": other})


def test_the_command_tells_and_writes_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in parts(1, 2, failing=[5]).items():
        (tmp_path / name).write_text(json.dumps(content))
    file = tmp_path / "whole.json"
    arguments = [str(tmp_path / "1.json"), str(tmp_path / "2.json"), f"--report-json={file}"]
    assert main(["merge", *arguments]) == 1
    said = capsys.readouterr().out
    assert "seed 1, run 5\n    step 4: the answer is another\n    expected: {}\n    actual:   []\n" in said
    assert "seed 1: 6 runs, 129 steps: 5 passed, 1 failed\n" in said
    assert (
        f"tried: 2 of {len(CATALOGUE)} kinds of faults in 2 combinations of fault, step and route, 1 pairs" in said
    )
    valid(json.loads(file.read_text()))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "isn't JSON"),
        ("[]", "isn't a report of faults; write one with"),
        ('{"schema": "x"}', "isn't a report"),
    ],
)
def test_what_is_no_report_is_one_line(
    content: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.json").write_text(content)
    assert main(["merge", str(tmp_path / "a.json")]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
    assert main(["merge", str(tmp_path / "none.json")]) == 2
    assert "none.json can't be read: No such file" in capsys.readouterr().err
