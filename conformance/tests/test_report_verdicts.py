"""An outcome and an exit status never say more than was seen."""

from __future__ import annotations

import dataclasses

import pytest

from gco_conformance.report import verdicts
from gco_conformance.report.model import CheckResult, Outcome, RequirementResult
from gco_conformance.report.verdicts import Declared, requirement_outcome

from .report_samples import broken, failed, passed, report, requirement, skipped

KNOWN = Declared("the router is rewritten", "https://example.org/issues/3")
UNSUPPORTED = Declared("no discriminators", "https://example.org/issues/9")


@pytest.mark.parametrize(
    ("checks", "undeclared", "declared"),
    [
        ([passed()], Outcome.PASSED, Outcome.FAILED),
        ([passed(), skipped()], Outcome.PASSED, Outcome.FAILED),
        ([passed(), failed()], Outcome.FAILED, Outcome.EXPECTED_FAILURE),
        ([skipped(), failed()], Outcome.FAILED, Outcome.EXPECTED_FAILURE),
        ([passed(), failed(), broken()], Outcome.ERROR, Outcome.ERROR),
        ([skipped()], Outcome.NOT_TESTED, Outcome.NOT_TESTED),
        ([], Outcome.NOT_TESTED, Outcome.NOT_TESTED),
    ],
)
def test_checks_make_an_outcome_with_and_without_a_declared_known_failure(
    checks: list[CheckResult], undeclared: Outcome, declared: Outcome
) -> None:
    assert requirement_outcome(checks).outcome == undeclared
    assert requirement_outcome(checks, known_failure=KNOWN).outcome == declared


@pytest.mark.parametrize("checks", [[], [passed()], [failed()], [broken()]])
def test_what_is_declared_unsupported_is_not_tested_with_reason_and_issue(checks: list[CheckResult]) -> None:
    verdict = requirement_outcome(checks, unsupported=UNSUPPORTED)
    assert verdict.outcome == Outcome.NOT_TESTED
    assert "no discriminators" in verdict.reason
    assert verdict.issue == UNSUPPORTED.issue


def test_an_unexpected_pass_says_what_to_do() -> None:
    verdict = requirement_outcome([passed()], known_failure=KNOWN)
    assert verdict.reason == "unexpected pass: remove it from the known failures"


def test_an_expected_failure_carries_the_declared_reason_and_issue() -> None:
    verdict = requirement_outcome([failed()], known_failure=KNOWN)
    assert (verdict.reason, verdict.issue) == (KNOWN.reason, KNOWN.issue)


def test_what_is_not_tested_gives_each_reason_once_in_order() -> None:
    checks = [skipped(message="no door"), skipped(message="no Python"), skipped(message="no door")]
    assert requirement_outcome(checks).reason == "no door; no Python"


def test_a_pass_tells_which_of_its_checks_could_not_be_made() -> None:
    assert (
        requirement_outcome([passed(), skipped(message="no door")]).reason == "1 of 2 checks not tested: no door"
    )


def test_a_requirement_without_checks_has_a_reason() -> None:
    assert requirement_outcome([]).reason == "no check covers it"


PASSES = requirement(passed(), id="composer.a.passes")
FAILS = requirement(failed(), id="composer.a.fails")
BREAKS = requirement(broken(), id="composer.a.breaks")
UNTESTED = requirement(skipped(), id="composer.a.untested")
EXPECTED = requirement(failed(), id="composer.a.expected", known_failure=KNOWN)
STALE = requirement(passed(), id="composer.a.stale", known_failure=KNOWN)


@pytest.mark.parametrize(
    ("requirements", "errors", "status", "text"),
    [
        ([PASSES], [], 0, "PASSED 1 of 1 tested requirement"),
        ([PASSES, UNTESTED], [], 0, "PASSED 1 of 1 tested requirement (1 not tested)"),
        ([PASSES, EXPECTED], [], 0, "PASSED 1 of 2 tested requirements (1 expected to fail)"),
        ([EXPECTED], [], 0, "PASSED 0 of 1 tested requirement (1 expected to fail)"),
        ([PASSES, FAILS], [], 1, "FAILED 1 of 2 tested requirements (1 passed)"),
        ([PASSES, STALE], [], 1, "FAILED 1 of 2 tested requirements (1 passed)"),
        ([PASSES, FAILS, BREAKS], [], 2, "ERROR 1 requirement could not be judged (1 passed, 1 failed)"),
        ([PASSES], ["no"], 2, "ERROR the run met 1 error (1 passed)"),
        ([UNTESTED], [], 2, "ERROR no requirement was tested (1 not tested)"),
        ([], [], 2, "ERROR no requirement was tested"),
    ],
)
def test_the_exit_status_and_its_words(
    requirements: list[RequirementResult], errors: list[str], status: int, text: str
) -> None:
    result = report(*requirements, errors=tuple(errors))
    assert verdicts.conclusion(result) == verdicts.Conclusion(status, text)
    assert result.exit_status == verdicts.exit_status(result) == status


def test_a_failed_should_fails_the_run() -> None:
    assert report(PASSES, dataclasses.replace(FAILS, level="should")).exit_status == 1


def test_the_summary_counts_every_requirement_once() -> None:
    summary = report(PASSES, FAILS, BREAKS, UNTESTED, EXPECTED, STALE).summary
    assert (summary.passed, summary.failed, summary.error) == (1, 2, 1)
    assert (summary.not_tested, summary.expected_failure) == (1, 1)
    assert (summary.requirements, summary.tested, summary.checks) == (6, 4, 6)
