"""The part of `gco-conformance faults --seed` that runs inside the sealed network."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gco_conformance.campaigns.campaign import Campaign, Run, play
from gco_conformance.campaigns.report import is_noteworthy, lines, scenario_text, summary, to_json
from gco_conformance.errors import KitError
from gco_conformance.report.outcome import Outcome
from gco_conformance.scenarios.inside import INTERRUPTED, broken, own_output, tell_errors, write
from gco_conformance.scenarios.report import report
from gco_conformance.simulation.under_test import aggregator

UNFINISHED = "not finished: the report holds what had been played when it was written"
BETWEEN_DRAFTS = 1.0
"""Seconds after which the report is written again, so that a campaign that is killed leaves what it did."""
STRAYS = "names were looked up that belong neither to AWS nor to a region"


def main(arguments: Sequence[str]) -> int:
    """Play a campaign and tell how it came out; the one argument is a JSON object of what was asked for."""
    (text,) = arguments
    asked = json.loads(text)
    said = own_output()
    campaign = Campaign(asked["seed"], asked["steps"], tuple(asked["shard"]))
    runs: dict[int, Run] = {}
    errors: list[str] = []
    strays: list[str] = []
    began = written = time.monotonic()

    def content(*problems: str) -> dict[str, Any]:
        known = list(runs.values())
        return _report(asked["aggregator"], campaign, known, strays, problems, time.monotonic() - began)

    def told(run: Run) -> None:
        nonlocal written
        runs[run.number] = run
        if time.monotonic() - written > BETWEEN_DRAFTS:
            write(asked["report_json"], content(UNFINISHED))
            written = time.monotonic()

    write(asked["report_json"], content(UNFINISHED))
    try:
        with aggregator(asked["aggregator"], seed=campaign.seed) as (stages, network):
            play(campaign, stages, jobs=asked["jobs"], told=told)
            strays = network.strays()
    except KeyboardInterrupt:
        errors.append(INTERRUPTED)
    except KitError:
        raise
    except Exception as error:
        errors.append(broken(error))
    found = content(*errors)
    write(asked["report_json"], found)
    for run in sorted(filter(is_noteworthy, runs.values()), key=lambda run: run.number):
        said(*lines(campaign, run, _written(campaign, run, asked["write_scenario"])))
    for scenario in found["scenarios"]:
        said(f"failed: {scenario['message']}: {scenario['actual']}")
    said(*summary(found["campaigns"][0]))
    tell_errors(found)
    return int(found["exit_status"])


def _report(
    spec: str,
    campaign: Campaign,
    runs: Sequence[Run],
    strays: Sequence[str],
    errors: Sequence[str],
    seconds: float,
) -> dict[str, Any]:
    scenarios = [_strayed(campaign, strays)] if strays else []
    campaigns = [to_json(campaign, runs)]
    return report(spec, seconds=seconds, errors=errors, scenarios=scenarios, campaigns=campaigns)


def _strayed(campaign: Campaign, strays: Sequence[str]) -> dict[str, Any]:
    """Names can't be told apart by the run that looked them up: they count for the campaign as a whole."""
    return {
        "name": f"seed-{campaign.seed}-other-hosts",
        "title": f"Seed {campaign.seed}: nobody but AWS and the regions is looked for",
        "requirements": ["aggregator.request.target"],
        "outcome": str(Outcome.FAILED),
        "seconds": 0.0,
        "place": "",
        "message": STRAYS,
        "expected": "look-ups of CloudFormation and of the regional APIs only",
        "actual": ", ".join(strays),
        "seen": [],
    }


def _written(campaign: Campaign, run: Run, folder: str) -> str:
    """Write a failing run as a scenario, where that is wanted; give the file's name."""
    text = scenario_text(campaign, run)
    if not folder or not text:
        return ""
    file = Path(folder, f"seed-{campaign.seed}-run-{run.number}.yaml")
    file.write_text(text, encoding="utf-8")
    return str(file)
