"""`gco-conformance run`: check an implementation against its requirements."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_VALUES = (
    "composer",
    "aggregator",
    "implementation",
    "profile",
    "seed",
    "examples",
    "jobs",
    "timeout",
    "report_json",
    "report_junit",
)
_FLAGS = ("fail_fast", "real_time", "unsealed")


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "run",
        help="check an implementation against its requirements",
        description="Check a composer, an aggregator or both; without options, the references.",
        epilog="exit status: 0 all tested requirements passed; 1 a requirement failed; "
        "2 usage, start or kit error",
    )
    parser.add_argument(
        "--composer",
        metavar="SPEC",
        help="the composer under test: command:COMMAND with {root} for the checkout, "
        "python:MODULE_OR_FILE:FUNCTION[:EXCEPTION], or stdio:COMMAND (default: the reference)",
    )
    parser.add_argument(
        "--aggregator",
        metavar="SPEC",
        help="the aggregator under test: python:MODULE_OR_FILE:HANDLER, runtime:COMMAND with the Lambda "
        "Runtime API, http:COMMAND with {port}, http:URL or rie:URL (default: the reference)",
    )
    parser.add_argument("--implementation", metavar="FILE", help="an implementation.toml that names it")
    parser.add_argument("--profile", choices=("core", "hardened", "all"), default="all")
    parser.add_argument(
        "--requirement",
        action="append",
        default=[],
        metavar="ID-OR-GLOB",
        help="check only these; may be given several times",
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="the same seed gives the same generated cases (default: 0)"
    )
    parser.add_argument(
        "--checkout",
        action="append",
        default=[],
        metavar="DIR",
        help="use the composed document of this checkout, too: one check of each kind for each of its operations; "
        "may be given several times",
    )
    parser.add_argument(
        "--examples",
        type=int,
        metavar="N",
        help="requests of each kind for an operation of a composed document in use; 0 for none (default: 3)",
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="calls at the same time (default: CPUs)")
    parser.add_argument(
        "--timeout",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how long one call of a composer may take (default: 10); an invocation of an aggregator has 60",
    )
    parser.add_argument(
        "--fail-fast", action="store_true", help="leave out the further checks of a requirement that has failed"
    )
    parser.add_argument(
        "--real-time",
        action="store_true",
        help="wait up to an hour for caches to age where an aggregator's clock can't be moved",
    )
    parser.add_argument(
        "--unsealed",
        action="store_true",
        help="check an aggregator python:… where no network can be sealed: names and connections are patched in "
        "its process, which doesn't keep in native code or programs that it starts",
    )
    parser.add_argument("--report-json", metavar="FILE", help="write the report as JSON")
    parser.add_argument("--report-junit", metavar="FILE", help="write the report as JUnit XML")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    from gco_conformance.suite.launch import launch

    options = [f"--requirement={pattern}" for pattern in arguments.requirement]
    options += [f"--{name.replace('_', '-')}" for name in _FLAGS if getattr(arguments, name)]
    options += [f"--checkout={directory}" for directory in arguments.checkout]
    for name in _VALUES:
        value = getattr(arguments, name)
        if value is not None:
            options.append(f"--{name.replace('_', '-')}={value}")
    return launch(options)
