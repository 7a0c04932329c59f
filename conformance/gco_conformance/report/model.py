"""A run's report as plain values. Nothing here reads, writes or knows a format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gco_conformance.report import verdicts
from gco_conformance.report.outcome import Outcome

__all__ = [
    "CheckResult",
    "Environment",
    "Implementation",
    "Kit",
    "Outcome",
    "Report",
    "RequirementResult",
    "Run",
    "Summary",
]


@dataclass(frozen=True)
class CheckResult:
    """What one check of a requirement found. Times are in seconds; `None` and "" mean that there is nothing.

    `expected` and `actual` are text in whatever form reads best (JSON, an exit status, a line).
    """

    id: str
    requirement: str
    outcome: Outcome
    """Passed, failed, not tested or error."""
    seconds: float = 0.0
    message: str = ""
    """What went wrong, or why it was not tested."""
    expected: str | None = None
    actual: str | None = None
    reproduction: str | None = None
    """A shell script that repeats the check without the kit."""
    command: str | None = None
    """One line: the kit's command that repeats only this requirement."""
    why: str | None = None
    """What breaks for the people behind the gateway, or which broken implementation this catches."""
    location: str | None = None
    """The file of the case or of the test."""


@dataclass(frozen=True)
class RequirementResult:
    """A requirement of the catalogue with its outcome, as `verdicts.requirement_outcome` gave it."""

    id: str
    component: str
    profile: str
    """"core" or "hardened"."""
    level: str
    """"must" or "should"."""
    title: str
    sentence: str
    outcome: Outcome
    reason: str = ""
    issue: str | None = None
    checks: tuple[CheckResult, ...] = ()

    @property
    def group(self) -> str:
        """The id without its last part, such as "composer.routing"."""
        return self.id.rpartition(".")[0] or self.id


@dataclass(frozen=True)
class Kit:
    name: str
    version: str


@dataclass(frozen=True)
class Implementation:
    """Who was checked, in its own words, and how it was plugged in. Empty text where that isn't known."""

    name: str
    version: str = ""
    language: str = ""
    url: str = ""
    spec: str = ""
    """What the kit was given, such as "command:./compose {root}"."""


@dataclass(frozen=True)
class Environment:
    python: str
    platform: str
    machine: str
    cpus: int


@dataclass(frozen=True)
class Run:
    """What was asked for, and when."""

    seed: int
    profile: str
    jobs: int
    requirements: tuple[str, ...]
    """The patterns that requirements were selected with, empty for all."""
    started: str
    """ISO 8601 in UTC, such as "2026-01-31T12:00:00Z"."""
    seconds: float


@dataclass(frozen=True)
class Summary:
    """How many requirements came out how."""

    passed: int
    failed: int
    not_tested: int
    expected_failure: int
    error: int
    checks: int

    @property
    def requirements(self) -> int:
        return self.tested + self.not_tested + self.error

    @property
    def tested(self) -> int:
        """Those about which the run says something: passed, failed, or failed as declared."""
        return self.passed + self.failed + self.expected_failure


@dataclass(frozen=True)
class Report:
    """All that a run found. Requirements and their checks keep the order in which they are given."""

    kit: Kit
    implementation: Implementation
    environment: Environment
    run: Run
    requirements: tuple[RequirementResult, ...]
    errors: tuple[str, ...] = ()
    """What broke outside any requirement, one line each."""

    @property
    def summary(self) -> Summary:
        outcomes = Counter(requirement.outcome for requirement in self.requirements)
        return Summary(
            passed=outcomes[Outcome.PASSED],
            failed=outcomes[Outcome.FAILED],
            not_tested=outcomes[Outcome.NOT_TESTED],
            expected_failure=outcomes[Outcome.EXPECTED_FAILURE],
            error=outcomes[Outcome.ERROR],
            checks=sum(len(requirement.checks) for requirement in self.requirements),
        )

    @property
    def exit_status(self) -> int:
        return verdicts.exit_status(self)
