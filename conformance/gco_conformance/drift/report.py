"""What a run of the gate found, as plain values. Nothing here reads, writes or knows a format."""

from __future__ import annotations

from dataclasses import dataclass

from gco_conformance.drift.finding import Finding, Severity
from gco_conformance.drift.problem import Problem


@dataclass(frozen=True)
class Suppressed:
    """A finding that somebody decided to live with, and why."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Checked:
    """What was looked at."""

    services: int
    paths: int
    rules: int


@dataclass(frozen=True)
class Report:
    """All that is to be told. `findings` are those that count."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    checked: Checked
    suppressed: tuple[Suppressed, ...] = ()
    known: tuple[Finding, ...] = ()
    """Found, and in the baseline."""
    gone: int = 0
    """Entries of the baseline that are found no more."""
    fail_on: Severity = Severity.ERROR
    directory: str = ""
    """The working directory that places are relative to, as a file URL that ends with a slash."""

    @property
    def errors(self) -> int:
        return sum(finding.rule.severity is Severity.ERROR for finding in self.findings)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors

    @property
    def exit_status(self) -> int:
        """0 nothing that counts, 1 findings, 2 something couldn't be read, so that not all was checked."""
        if self.problems:
            return 2
        return int(bool(self.errors or (self.fail_on is Severity.WARNING and self.findings)))

    @property
    def conclusion(self) -> str:
        """All numbers in one line."""
        parts = [f"{_count(self.errors, 'error')}, {_count(self.warnings, 'warning')}"]
        if self.suppressed:
            parts.append(f"{len(self.suppressed)} suppressed")
        if self.known:
            parts.append(f"{len(self.known)} in the baseline")
        if self.problems:
            parts.append(f"{_count(len(self.problems), 'part')} not readable")
        checked = self.checked
        scope = (
            f"{_count(checked.services, 'service')}, {_count(checked.paths, 'path')} and "
            f"{_count(checked.rules, 'rule')} compared"
        )
        return f"{'; '.join(parts)} ({scope})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
