"""The report of a run of scenarios as JSON: `faults-1` in `schemas` describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import gco_conformance
from gco_conformance.report.outcome import Outcome
from gco_conformance.scenarios.player import Played

FORMAT = "gco-conformance-faults/1"


def exit_status(outcomes: Sequence[Outcome], errors: Sequence[str] = ()) -> int:
    """0: what was tested passed; 1: something failed; 2: nothing was tested, or it was interrupted or broke."""
    if errors or Outcome.ERROR in outcomes:
        return 2
    if Outcome.FAILED in outcomes:
        return 1
    return 0 if Outcome.PASSED in outcomes else 2


def report(
    aggregator: str,
    *,
    seconds: float,
    errors: Sequence[str],
    scenarios: Sequence[Mapping[str, Any]] = (),
    campaigns: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What a run of scenarios or campaigns found, as JSON values. Every outcome in it counts."""
    told = [*scenarios, *(run for campaign in campaigns for run in campaign["runs"])]
    outcomes = [Outcome(each["outcome"]) for each in told]
    counted = Counter(outcomes)
    return {
        "schema": FORMAT,
        "kit": {"name": "gco-conformance", "version": gco_conformance.__version__},
        "aggregator": aggregator,
        "exit_status": exit_status(outcomes, errors),
        "seconds": round(seconds, 3),
        "errors": list(errors),
        "summary": {str(o): counted[o] for o in Outcome if o is not Outcome.EXPECTED_FAILURE},
        "scenarios": list(scenarios),
        "campaigns": list(campaigns),
    }


def scenario(played: Played) -> dict[str, Any]:
    """What came of a scenario, as JSON values."""
    return {
        "name": played.scenario.name,
        "title": played.scenario.title,
        "requirements": list(played.scenario.requirements),
        "outcome": str(played.outcome),
        "seconds": round(played.seconds, 3),
        "place": played.place,
        "message": played.message,
        "expected": played.expected,
        "actual": played.actual,
        "seen": list(played.story),
    }
