"""From checks to a requirement's outcome, and from requirements to the exit status. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gco_conformance.report.outcome import Outcome

if TYPE_CHECKING:
    from gco_conformance.report.model import CheckResult, Report, Summary

ALL_PASSED: Final = 0
SOME_FAILED: Final = 1
BROKEN: Final = 2

UNEXPECTED_PASS: Final = "unexpected pass: remove it from the known failures"
NOTHING_TESTED: Final = "no requirement was tested"
_NO_CHECK: Final = "no check covers it"


@dataclass(frozen=True)
class Declared:
    """What an implementation says of itself about a requirement: known to fail, or not supported."""

    reason: str
    issue: str | None = None
    """Where it is followed up, a URL."""


@dataclass(frozen=True)
class Verdict:
    """A requirement's outcome with its reason ("" for a plain pass) and the URL that was declared with it."""

    outcome: Outcome
    reason: str = ""
    issue: str | None = None


@dataclass(frozen=True)
class Conclusion:
    """The verdict on a whole run: the exit status and the same in words."""

    exit_status: int
    text: str


def requirement_outcome(
    checks: Sequence[CheckResult],
    *,
    known_failure: Declared | None = None,
    unsupported: Declared | None = None,
) -> Verdict:
    """What the checks of one requirement say together.

    A declaration of no support stands whatever ran. An error outweighs a failure, since it leaves the
    requirement unjudged, and no declaration excuses it. A known failure must fail: when it passes, the
    declaration is stale, and that is a failure.
    """
    if unsupported is not None:
        return Verdict(Outcome.NOT_TESTED, f"unsupported: {unsupported.reason}", unsupported.issue)
    if _count(checks, Outcome.ERROR):
        return Verdict(Outcome.ERROR, _share(checks, Outcome.ERROR, "could not be judged"))
    if _count(checks, Outcome.FAILED):
        if known_failure is not None:
            return Verdict(Outcome.EXPECTED_FAILURE, known_failure.reason, known_failure.issue)
        return Verdict(Outcome.FAILED, _share(checks, Outcome.FAILED, "failed"))
    if not _count(checks, Outcome.PASSED):
        return Verdict(Outcome.NOT_TESTED, "; ".join(_reasons(checks)) or _NO_CHECK)
    if known_failure is not None:
        return Verdict(Outcome.FAILED, UNEXPECTED_PASS, known_failure.issue)
    if _count(checks, Outcome.NOT_TESTED):
        share = _share(checks, Outcome.NOT_TESTED, "not tested")
        return Verdict(Outcome.PASSED, ": ".join([share, "; ".join(_reasons(checks))]).removesuffix(": "))
    return Verdict(Outcome.PASSED)


def conclusion(report: Report) -> Conclusion:
    """The run's verdict. A run that broke, or that tested nothing, is never a success."""
    summary = report.summary
    broken = []
    if report.errors:
        broken.append(f"the run met {_number(len(report.errors), 'error')}")
    if summary.error:
        broken.append(f"{_number(summary.error, 'requirement')} could not be judged")
    if broken:
        return Conclusion(BROKEN, f"ERROR {' and '.join(broken)}{_rest(summary, 'passed', 'failed')}")
    of_tested = f"of {_number(summary.tested, 'tested requirement')}"
    if summary.failed:
        return Conclusion(SOME_FAILED, f"FAILED {summary.failed} {of_tested}{_rest(summary, 'passed')}")
    if not summary.tested:
        return Conclusion(BROKEN, f"ERROR {NOTHING_TESTED}{_rest(summary)}")
    return Conclusion(ALL_PASSED, f"PASSED {summary.passed} {of_tested}{_rest(summary)}")


def exit_status(report: Report) -> int:
    """0: all tested requirements passed; 1: one failed, even a SHOULD; 2: an error, or nothing was tested."""
    return conclusion(report).exit_status


def _count(checks: Iterable[CheckResult], outcome: Outcome) -> int:
    return sum(check.outcome == outcome for check in checks)


def _share(checks: Sequence[CheckResult], outcome: Outcome, what: str) -> str:
    return f"{_count(checks, outcome)} of {_number(len(checks), 'check')} {what}"


def _reasons(checks: Iterable[CheckResult]) -> list[str]:
    """Why checks were not tested: each reason once, in the order of the checks."""
    messages = (check.message for check in checks if check.outcome == Outcome.NOT_TESTED)
    return [reason for reason in dict.fromkeys(messages) if reason]


def _rest(summary: Summary, *also: str) -> str:
    """The counts that the sentence before doesn't give, in brackets."""
    counts = {
        "passed": summary.passed if "passed" in also else 0,
        "failed": summary.failed if "failed" in also else 0,
        "expected to fail": summary.expected_failure,
        "not tested": summary.not_tested,
    }
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    return f" ({', '.join(parts)})" if parts else ""


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
