"""Joining reports of `gco-conformance faults`: what the parts of a campaign say together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gco_conformance.campaigns.campaign import Campaign
from gco_conformance.campaigns.execution import Cell, Pair
from gco_conformance.campaigns.report import coverage_json
from gco_conformance.errors import UsageError
from gco_conformance.scenarios.report import FORMAT, report


def read(path: Path) -> dict[str, Any]:
    """A report that `gco-conformance faults --report-json` has written. Raises `UsageError`."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} isn't JSON: {error}") from None
    if not isinstance(found, dict) or found.get("schema") != FORMAT:
        raise UsageError(f"{path} isn't a report of faults", "write one with gco-conformance faults --report-json")
    return found


def merge(reports: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What reports, by name, say together; of a campaign in parts, the same as without parts but for times.

    A campaign of which runs are missing is told among the errors. Raises `UsageError` for reports of different
    aggregators, or when a run is in two of them.
    """
    spec = _one_aggregator(reports)
    parts: dict[tuple[int, int], list[tuple[str, Mapping[str, Any]]]] = {}
    for name, content in reports.items():
        for campaign in content["campaigns"]:
            parts.setdefault((campaign["seed"], campaign["steps"]), []).append((name, campaign))
    campaigns = [_joined(found) for _, found in sorted(parts.items())]
    errors = [f"{name}: {error}" for name, content in reports.items() for error in content["errors"]]
    errors += [problem for campaign in campaigns for problem in _missing(campaign)]
    return report(
        spec,
        seconds=sum(content["seconds"] for content in reports.values()),
        errors=errors,
        scenarios=[scenario for content in reports.values() for scenario in content["scenarios"]],
        campaigns=campaigns,
    )


def _one_aggregator(reports: Mapping[str, Mapping[str, Any]]) -> str:
    specs = {content["aggregator"]: name for name, content in reports.items()}
    if len(specs) > 1:
        (one, first), (other, second), *_ = specs.items()
        raise UsageError(f"{first} is about {one}, {second} about {other}", "merge reports of one aggregator")
    return str(next(iter(specs)))


def _joined(parts: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    owner: dict[int, str] = {}
    cells, pairs = Counter[Cell](), Counter[Pair]()
    for name, part in parts:
        for run in part["runs"]:
            if run["run"] in owner:
                where = f"{owner[run['run']]} and {name}"
                raise UsageError(f"run {run['run']} of seed {part['seed']} is in two reports: {where}")
            owner[run["run"]] = name
        for cell in part["coverage"]["cells"]:
            cells[cell["fault"], cell["step"], cell["route"]] += cell["requests"]
        for pair in part["coverage"]["pairs"]:
            pairs[tuple(pair["faults"])] += pair["requests"]
    runs = sorted((run for _, part in parts for run in part["runs"]), key=lambda run: int(run["run"]))
    return {**parts[0][1], "runs": runs, "coverage": coverage_json(cells, pairs)}


def _missing(campaign: Mapping[str, Any]) -> list[str]:
    there = {run["run"] for run in campaign["runs"]}
    absent = [number for number in Campaign(campaign["seed"], campaign["steps"]).runs if number not in there]
    return [f"seed {campaign['seed']}: no report has run {_listed(absent)}"] if absent else []


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:10]))
    return f"{shown} and {len(numbers) - 10} more" if len(numbers) > 10 else shown
