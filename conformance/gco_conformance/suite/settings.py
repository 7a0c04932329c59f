"""What a run of the suite was asked to do, checked before anything starts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gco_conformance.adapters.implementation import Declared, Implementation, load
from gco_conformance.checkouts.directory import read_checkout
from gco_conformance.errors import UsageError
from gco_conformance.report import verdicts
from gco_conformance.requirements import COMPONENTS, Requirement
from gco_conformance.requirements import load as load_catalogue

EXAMPLES = 3
"""Requests of each kind for an operation of a composed document in use, unless asked otherwise."""


def reference() -> Implementation:
    """The references, in this interpreter's environment, whatever the PATH."""
    return Implementation(
        "",
        "",
        "",
        "",
        composer=f"stdio:{sys.executable} -m gco_reference serve",
        aggregator="python:gco_reference.aggregator:handler",
    )


@dataclass(frozen=True)
class Settings:
    """The implementation under test, the requirements to check, and how.

    `known_failures` and `unsupported` are by requirement id; `timeout` is in seconds, for one call. With
    `fail_fast` the further checks of a requirement that has failed are left out; with `real_time` minutes are
    waited for where an aggregator's clock can't be moved. An `unsealed` run seals no network for the aggregator,
    but confines a handler in Python to it.
    """

    implementation: Implementation
    requirements: tuple[Requirement, ...]
    known_failures: dict[str, verdicts.Declared]
    unsupported: dict[str, verdicts.Declared]
    patterns: tuple[str, ...]
    profile: str
    seed: int
    jobs: int
    timeout: float
    fail_fast: bool
    real_time: bool
    unsealed: bool
    report_json: Path | None
    report_junit: Path | None
    checkouts: tuple[str, ...] = ()
    examples: int = EXAMPLES


def read(options: pytest.Config) -> Settings:
    """The settings that pytest's options give. Raises `UsageError`."""
    implementation = _implementation(
        options.getoption("implementation"), options.getoption("composer"), options.getoption("aggregator")
    )
    components = [name for name in COMPONENTS if getattr(implementation, name) is not None]
    jobs, timeout = options.getoption("jobs"), options.getoption("timeout")
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: at least one call has to be made at a time")
    if not timeout > 0:
        raise UsageError(f"--timeout {timeout:g}: a call needs more than no time")
    examples, checkouts = options.getoption("examples"), tuple(options.getoption("checkout"))
    if examples < 0:
        raise UsageError(f"--examples {examples}: fewer than none can't be made")
    if checkouts and not examples:
        raise UsageError("--examples 0 leaves the checkouts of --checkout out", "give a number, or no checkout")
    for directory in checkouts:
        read_checkout(Path(directory))  # so that a slip is told before anything starts
    patterns = tuple(options.getoption("requirement") or ())
    profile = options.getoption("profile")
    requirements = _selected(patterns, profile, components)
    return Settings(
        implementation=implementation,
        requirements=requirements,
        known_failures=_by_requirement(implementation.known_failures),
        unsupported=_by_requirement(implementation.unsupported),
        patterns=patterns,
        profile=profile,
        seed=options.getoption("seed"),
        jobs=jobs or os.cpu_count() or 1,
        timeout=timeout,
        fail_fast=options.getoption("fail_fast"),
        real_time=options.getoption("real_time"),
        unsealed=_unsealed(implementation.aggregator) if options.getoption("unsealed") else False,
        report_json=_report_file(options.getoption("report_json")),
        report_junit=_report_file(options.getoption("report_junit")),
        checkouts=checkouts,
        examples=examples,
    )


def _implementation(file: str | None, composer: str | None, aggregator: str | None) -> Implementation:
    if file is not None:
        implementation = load(Path(file))
        return replace(
            implementation,
            composer=composer or implementation.composer,
            aggregator=aggregator or implementation.aggregator,
        )
    if composer is None and aggregator is None:
        return reference()
    return Implementation("", "", "", "", composer=composer, aggregator=aggregator)


def runs_unsealed(aggregator: str | None) -> bool:
    """Whether what an aggregator does can be confined without a sealed network."""
    return sys.platform == "linux" and (aggregator or "").strip().startswith("python:")


def _unsealed(aggregator: str | None) -> bool:
    if not runs_unsealed(aggregator):
        other = repr(aggregator) if aggregator else "a run without an aggregator"
        hint = "name python:MODULE_OR_FILE:HANDLER, or leave it out: others need a sealed network"
        raise UsageError(f"--unsealed is for a handler in Python on Linux, not for {other}", hint)
    return True


def _selected(patterns: Sequence[str], profile: str, components: Sequence[str]) -> tuple[Requirement, ...]:
    """What is asked for by pattern, or everything about the components that are there."""
    catalogue = load_catalogue()
    if patterns:
        return catalogue.select(patterns, profile=profile)
    return tuple(r for name in components for r in catalogue.select(component=name, profile=profile))


def _by_requirement(declared: Iterable[Declared]) -> dict[str, verdicts.Declared]:
    """The declarations by requirement id, globs expanded. One that matches nothing is an error."""
    found: dict[str, verdicts.Declared] = {}
    for entry in declared:
        for requirement in load_catalogue().select([entry.requirement]):
            found[requirement.id] = verdicts.Declared(entry.reason, entry.issue or None)
    return found


def _report_file(name: str | None) -> Path | None:
    """Where a report goes: known to be possible before the run rather than after it."""
    if name is None:
        return None
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{path}: is a directory, not a file to write a report to")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: there is no directory {path.absolute().parent} to write the report in")
    return path
