"""`gco-conformance faults`: declared scenarios and seeded campaigns of faults against an aggregator."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

REFERENCE = "python:gco_reference.aggregator:handler"


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "faults",
        help="play scenarios of faults against an aggregator",
        description="Play declared scenarios against an aggregator, in a simulated AWS.",
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
    parser.add_argument("--jobs", type=int, metavar="N", help="how much happens at the same time (default: CPUs)")
    parser.add_argument("--report-json", metavar="FILE", help="write the report as JSON")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    if not arguments.scenario:
        raise UsageError("there is nothing to play", "name scenario files: --scenario FILE")
    asked = {
        "aggregator": arguments.aggregator,
        "jobs": _jobs(arguments.jobs),
        "report_json": _report_file(arguments.report_json),
        "scenarios": _scenario_files(arguments.scenario),
    }
    return _inside("gco_conformance.scenarios.inside:main", asked)


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


def _report_file(name: str | None) -> str:
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
