"""Values for the tests of the report: small ones, and Hypothesis strategies for reports of every shape."""

from __future__ import annotations

import dataclasses

from hypothesis import settings
from hypothesis import strategies as st

from gco_conformance.report.model import (
    CheckResult,
    Environment,
    Implementation,
    Kit,
    Outcome,
    Report,
    RequirementResult,
    Run,
)
from gco_conformance.report.verdicts import Declared, requirement_outcome

LONGEST_PREFIX = "composer.routing.longest-prefix"

every_shape = settings(max_examples=60, derandomize=True, deadline=None, database=None)
"""For tests over `reports()`: the same reports each time, however busy the machine."""


def passed(name: str = "case/passes") -> CheckResult:
    return CheckResult(name, LONGEST_PREFIX, Outcome.PASSED, 0.25)


def failed(name: str = "case/fails", message: str = "it went to alpha") -> CheckResult:
    return CheckResult(name, LONGEST_PREFIX, Outcome.FAILED, 0.25, message)


def skipped(name: str = "case/skipped", message: str = "it has no command line") -> CheckResult:
    return CheckResult(name, LONGEST_PREFIX, Outcome.NOT_TESTED, 0.0, message)


def broken(name: str = "case/broken", message: str = "the case can't be read") -> CheckResult:
    return CheckResult(name, LONGEST_PREFIX, Outcome.ERROR, 0.0, message)


def requirement(
    *checks: CheckResult,
    id: str = LONGEST_PREFIX,
    sentence: str = "The match with the most segments MUST win.",
    known_failure: Declared | None = None,
    unsupported: Declared | None = None,
) -> RequirementResult:
    """A requirement whose outcome follows from its checks and from what is declared about it."""
    verdict = requirement_outcome(checks, known_failure=known_failure, unsupported=unsupported)
    return RequirementResult(
        id=id,
        component=id.split(".")[0],
        profile="core",
        level="must",
        title="the longest prefix wins",
        sentence=sentence,
        outcome=verdict.outcome,
        reason=verdict.reason,
        issue=verdict.issue,
        checks=tuple(dataclasses.replace(check, requirement=id) for check in checks),
    )


def report(*requirements: RequirementResult, errors: tuple[str, ...] = (), seed: int = 42) -> Report:
    return Report(
        kit=Kit("gco-conformance", "0.1.0"),
        implementation=Implementation(
            "my-composer", "2.1", "Go", "https://example.org/my-composer", "command:./compose {root}"
        ),
        environment=Environment("3.11.9", "Linux-6.1", "x86_64", 2),
        run=Run(seed, "all", 4, (), "2026-01-31T12:00:00Z", 12.345),
        requirements=requirements,
        errors=errors,
    )


# What an implementation may print: every character, control characters and lone surrogates among them.
ANY_TEXT = st.text(max_size=30)
_SOME_TEXT = st.text(min_size=1, max_size=30)
_SECONDS = st.floats(0, 1000)
_WORD = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=12)


def _checks(id: str) -> st.SearchStrategy[CheckResult]:
    return st.builds(
        CheckResult,
        id=_SOME_TEXT,
        requirement=st.just(id),
        outcome=st.sampled_from([Outcome.PASSED, Outcome.FAILED, Outcome.NOT_TESTED, Outcome.ERROR]),
        seconds=_SECONDS,
        message=ANY_TEXT,
        expected=st.none() | ANY_TEXT,
        actual=st.none() | ANY_TEXT,
        reproduction=st.none() | ANY_TEXT,
        command=st.none() | ANY_TEXT,
        why=st.none() | ANY_TEXT,
        location=st.none() | ANY_TEXT,
    )


_DECLARED = st.none() | st.builds(Declared, reason=_SOME_TEXT, issue=st.none() | ANY_TEXT)


@st.composite
def _requirements(draw: st.DrawFn, id: str) -> RequirementResult:
    checks = draw(st.lists(_checks(id), max_size=4))
    # Mostly undeclared: a declaration hides what the checks say.
    declared = draw(st.sampled_from(["nothing", "nothing", "known failure", "unsupported"]))
    declaration = draw(_DECLARED)
    result = requirement(
        *checks,
        id=id,
        sentence=draw(ANY_TEXT),
        known_failure=declaration if declared == "known failure" else None,
        unsupported=declaration if declared == "unsupported" else None,
    )
    return dataclasses.replace(
        result,
        profile=draw(st.sampled_from(["core", "hardened"])),
        level=draw(st.sampled_from(["must", "should"])),
        title=draw(ANY_TEXT),
    )


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report of any shape, whose outcomes follow from its checks."""
    names = draw(st.lists(st.tuples(_WORD, _WORD), max_size=5, unique=True))
    requirements = [draw(_requirements(f"composer.{group}.{name}")) for group, name in names]
    return Report(
        kit=Kit(draw(_SOME_TEXT), draw(ANY_TEXT)),
        implementation=Implementation(*(draw(ANY_TEXT) for _ in range(5))),
        environment=Environment(draw(ANY_TEXT), draw(ANY_TEXT), draw(ANY_TEXT), draw(st.integers(0, 512))),
        run=Run(
            seed=draw(st.integers()),
            profile=draw(st.sampled_from(["core", "hardened", "all"])),
            jobs=draw(st.integers(1, 64)),
            requirements=tuple(draw(st.lists(ANY_TEXT, max_size=2))),
            started="2026-01-31T12:00:00Z",
            seconds=draw(_SECONDS),
        ),
        requirements=tuple(requirements),
        errors=tuple(draw(st.lists(ANY_TEXT, max_size=2))),
    )
