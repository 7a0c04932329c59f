"""The report of a run of scenarios as JSON: `faults-1` in `schemas` describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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


def report(aggregator: str, played: Sequence[Played], *, seconds: float, errors: Sequence[str]) -> dict[str, Any]:
    """What a run of scenarios found, as JSON values."""
    outcomes = [each.outcome for each in played]
    counted = Counter(outcomes)
    return {
        "schema": FORMAT,
        "kit": {"name": "gco-conformance", "version": gco_conformance.__version__},
        "aggregator": aggregator,
        "exit_status": exit_status(outcomes, errors),
        "seconds": round(seconds, 3),
        "errors": list(errors),
        "summary": {str(o): counted[o] for o in Outcome if o is not Outcome.EXPECTED_FAILURE},
        "scenarios": [_scenario(each) for each in played],
        "campaign": None,
    }


def _scenario(played: Played) -> dict[str, Any]:
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
