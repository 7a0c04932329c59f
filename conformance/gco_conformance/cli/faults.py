"""`gco-conformance faults`: declared scenarios and seeded campaigns of faults against an aggregator."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

STEPS = 500
REFERENCE = "python:gco_reference.aggregator:handler"


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "faults",
        help="play scenarios and campaigns of faults against an aggregator",
        description="Play declared scenarios, or a campaign that a seed gives, against an aggregator in a "
        "simulated AWS.",
        epilog="exit status: 0 all that was tested passed; 1 something failed; 2 usage, start or kit error, "
        "interrupted, or nothing was tested",
    )
    parser.add_argument(
        "--aggregator",
        metavar="SPEC",
        default=REFERENCE,
        help="the aggregator under test, as in 'gco-conformance run' (default: the reference)",
    )
    parser.add_argument(
        "--scenario",
        metavar="FILE",
        action="append",
        default=[],
        help="a scenario file, or a directory with some; may be given several times",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="play a campaign: the same seed, the same steps")
    parser.add_argument("--steps", type=int, metavar="M", help=f"how many steps it has (default: {STEPS})")
    parser.add_argument("--shard", metavar="I/N", help="play the I-th of N parts of the campaign")
    parser.add_argument(
        "--write-scenario", metavar="DIR", help="where runs that fail are written, as scenarios that fail as well"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="how much happens at the same time (default: CPUs)")
    parser.add_argument("--report-json", metavar="FILE", help="write the report as JSON")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    given = {name: getattr(arguments, name) for name in ("seed", "steps", "shard", "write_scenario")}
    is_campaign = any(value is not None for value in given.values())
    if bool(arguments.scenario) == is_campaign:
        problem = "scenarios and a campaign are two things" if is_campaign else "there is nothing to play"
        raise UsageError(
            problem, "name scenario files with --scenario FILE, or a campaign with --seed N --steps M"
        )
    asked = {
        "aggregator": arguments.aggregator,
        "jobs": _jobs(arguments.jobs),
        "report_json": report_file(arguments.report_json),
    }
    if is_campaign:
        return _inside("gco_conformance.campaigns.inside:main", {**asked, **_campaign(**given)})
    asked["scenarios"] = _scenario_files(arguments.scenario)
    return _inside("gco_conformance.scenarios.inside:main", asked)


def _campaign(
    *, seed: int | None, steps: int | None, shard: str | None, write_scenario: str | None
) -> dict[str, Any]:
    from pathlib import Path

    if steps is not None and steps < 1:
        raise UsageError(f"--steps {steps}: a campaign has at least one step")
    if write_scenario is not None:
        try:
            Path(write_scenario).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{write_scenario}: can't be the directory for scenarios: {error.strerror}") from None
    return {
        "seed": seed or 0,
        "steps": STEPS if steps is None else steps,
        "shard": (1, 1) if shard is None else _shard(shard),
        "write_scenario": write_scenario or "",
    }


def _shard(text: str) -> tuple[int, int]:
    first, slash, shards = text.partition("/")
    if not (slash and first.isdecimal() and shards.isdecimal() and 1 <= int(first) <= int(shards)):
        raise UsageError(f"--shard {text}: isn't a part of a whole", "write 1/4 for the first of four")
    return int(first), int(shards)


def _inside(function: str, asked: dict[str, Any]) -> int:
    import json

    from gco_conformance.adapters.spec import parse_aggregator
    from gco_conformance.extras import missing
    from gco_conformance.sealed.namespaces import available
    from gco_conformance.sealed.reexecute import reexecute

    parse_aggregator(asked["aggregator"], timeout=1.0)  # only looked at here, so that a slip is told at once
    reason = missing("aggregator") or available()
    if reason:
        raise UsageError(f"no world can be made here: {reason}")
    return reexecute([function, json.dumps(asked)])


def _scenario_files(names: list[str]) -> list[str]:
    from pathlib import Path

    from gco_conformance.scenarios.file import read

    files: list[Path] = []
    for name in names:
        path = Path(name)
        found = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
        if not found:
            raise UsageError(f"{path}: there is no scenario in it", "scenario files end in .yaml")
        files += found
    for file in files:
        read(file)  # so that a slip is told before anything starts
    return [str(file) for file in files]


def _jobs(given: int | None) -> int:
    import os

    if given is not None and given < 1:
        raise UsageError(f"--jobs {given}: at least one thing has to happen at a time")
    return given or os.cpu_count() or 1


def report_file(name: str | None) -> str:
    """Where the report goes: known to be possible before the run rather than after it."""
    from pathlib import Path

    if name is None:
        return ""
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{path}: is a directory, not a file to write a report to")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no directory {path.absolute().parent} to write the report in")
    return str(path)
