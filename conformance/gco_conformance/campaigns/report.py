"""A campaign as JSON values in a report, and as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gco_conformance.campaigns.campaign import LENGTH, Campaign, Run, coverage
from gco_conformance.campaigns.execution import Cell, Failure, Pair
from gco_conformance.report.differing import bounded
from gco_conformance.report.outcome import Outcome
from gco_conformance.scenarios.file import written
from gco_conformance.scenarios.form import written_scenario
from gco_conformance.scenarios.scenario import Scenario
from gco_conformance.scenarios.text import indented
from gco_conformance.scenarios.text import summary as outcomes
from gco_conformance.world.faults import CATALOGUE

_SHOWN = 40
"""Lines of what was seen."""


def scenario_of(campaign: Campaign, run: Run) -> Scenario | None:
    """The scenario that shows a run's failure again; None where it didn't fail."""
    failing, failure = run.failing, run.execution.failure
    if failing is None or failure is None:
        return None
    return failing.scenario(
        title=f"Seed {campaign.seed}, run {run.number}: {failure.message}",
        why=f"Found by a campaign. {_how(run)}",
    )


def scenario_text(campaign: Campaign, run: Run) -> str:
    """The file with that scenario."""
    found = scenario_of(campaign, run)
    if found is None:
        return ""
    comment = f"{command(campaign)}\nfound this in run {run.number}. {_how(run)}"
    return written(found, comment=comment)


def command(campaign: Campaign) -> str:
    """The options with which the campaign is played again."""
    return f"gco-conformance faults --seed {campaign.seed} --steps {campaign.steps}"


def to_json(campaign: Campaign, runs: Sequence[Run]) -> dict[str, Any]:
    """The campaign with all runs that were played, as JSON values; times are in seconds."""
    cells, pairs = coverage(runs)
    return {
        "seed": campaign.seed,
        "steps": campaign.steps,
        "length": LENGTH,
        "runs": [_run(campaign, run) for run in sorted(runs, key=lambda run: run.number)],
        "coverage": coverage_json(cells, pairs),
    }


def coverage_json(cells: Mapping[Cell, int], pairs: Mapping[Pair, int]) -> dict[str, Any]:
    """What was tried, in a fixed order, and during how many requests."""
    return {
        "cells": [
            {"fault": cell[0], "step": cell[1], "route": cell[2], "requests": cells[cell]}
            for cell in sorted(cells)
        ],
        "pairs": [{"faults": list(pair), "requests": pairs[pair]} for pair in sorted(pairs)],
    }


def lines(campaign: Campaign, run: Run, file: str) -> Iterator[str]:
    """What came of a run that didn't pass; `file` is where its scenario was written."""
    yield from _lines(campaign.seed, _run(campaign, run))
    if file:
        yield from indented("", f"gco-conformance faults --scenario {file}")
    elif run.failing is not None:
        text = scenario_text(campaign, run)
        yield from indented("", f"The scenario, which --write-scenario DIR writes:\n{text}")


def told(content: Mapping[str, Any]) -> Iterator[str]:
    """What a whole report says: what didn't pass, and each campaign in two lines."""
    for scenario in content["scenarios"]:
        if scenario["outcome"] != Outcome.PASSED:
            yield f"{scenario['outcome']:<10} {scenario['name']}: {scenario['message']}"
            _, actual = bounded(scenario["expected"] or "", scenario["actual"] or "")
            yield from indented("actual:   ", actual)
    for campaign in content["campaigns"]:
        for run in campaign["runs"]:
            if run["outcome"] != Outcome.PASSED:
                yield from _lines(campaign["seed"], run)
        yield from summary(campaign)


def _lines(seed: int, run: Mapping[str, Any]) -> Iterator[str]:
    yield f"{run['outcome']:<10} {run['seconds']:6.1f} s  seed {seed}, run {run['run']}"
    failure = run["failure"]
    if failure is None:
        yield from indented("", run["message"])
        return
    yield from indented("", f"step {failure['step']}: {failure['message']}")
    expected, actual = bounded(failure["expected"] or "", failure["actual"] or "")
    yield from indented("expected: ", expected)
    yield from indented("actual:   ", actual)
    yield from indented("seen:     ", "\n".join(failure["seen"][-_SHOWN:]) or "nothing reached AWS or a region")
    yield from indented("", run["shrunk"])


def summary(campaign: Mapping[str, Any]) -> Iterator[str]:
    """How a campaign, as JSON has it, came out, and what it has tried."""
    runs, cells, pairs = campaign["runs"], campaign["coverage"]["cells"], campaign["coverage"]["pairs"]
    steps = sum(run["steps"] for run in runs)
    found = outcomes(Outcome(run["outcome"]) for run in runs) or "nothing"
    yield f"seed {campaign['seed']}: {len(runs)} runs, {steps} steps: {found}"
    tried = {cell["fault"] for cell in cells}
    untried = sorted(CATALOGUE.keys() - tried)
    said = (
        f"tried: {len(tried)} of {len(CATALOGUE)} kinds of faults in {len(cells)} combinations of fault, step and "
        f"route, {len(pairs)} pairs of faults"
    )
    yield f"{said}; not tried: {', '.join(untried)}" if untried else said


def _how(run: Run) -> str:
    length = len(run.plan.steps)
    if run.smallest is not None:
        return f"Made smaller from {length} steps to {len(run.smallest.steps)}."
    return "It is as it was played; it hasn't been made smaller."


def _run(campaign: Campaign, run: Run) -> dict[str, Any]:
    found = scenario_of(campaign, run)
    return {
        "run": run.number,
        "outcome": str(run.outcome),
        "steps": run.execution.steps,
        "seconds": round(run.execution.seconds, 3),
        "message": run.execution.failure.message if run.execution.failure else run.execution.untested,
        "failure": _failure(run.smallest_failure or run.execution.failure),
        "shrunk": "" if run.execution.failure is None else _how(run),
        "scenario": None if found is None else written_scenario(found),
    }


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    return {
        "step": failure.step + 1,
        "message": failure.message,
        "expected": failure.expected,
        "actual": failure.actual,
        "seen": list(failure.story),
    }


def is_noteworthy(run: Run) -> bool:
    """Whether a person wants to hear of a run at once."""
    return run.outcome is not Outcome.PASSED
