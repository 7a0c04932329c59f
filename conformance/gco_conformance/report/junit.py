"""The report as JUnit XML, in the dialect that CI systems read.

One suite per group of requirements, one test case per check. A suite is red exactly when the exit status is
not 0: what no check carries (an unexpected pass, an error outside the checks, a run that tested nothing) gets
a test case of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from gco_conformance.report import verdicts
from gco_conformance.report.model import CheckResult, Outcome, Report, RequirementResult

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS: Final = {
    Outcome.FAILED: "failure",
    Outcome.ERROR: "error",
    Outcome.NOT_TESTED: "skipped",
    Outcome.EXPECTED_FAILURE: "skipped",
}


@dataclass(frozen=True)
class _Case:
    classname: str
    name: str
    outcome: Outcome
    seconds: float = 0.0
    message: str = ""
    detail: str = ""
    properties: tuple[tuple[str, str], ...] = ()


def to_junit(report: Report) -> str:
    """The report as XML in ASCII (other characters as references), so that any encoding keeps it whole.

    Characters that XML 1.0 forbids become U+FFFD.
    """
    suites: dict[str, list[_Case]] = {}
    for requirement in report.requirements:
        suites.setdefault(requirement.group, []).extend(_cases(requirement))
    if run_cases := list(_run_cases(report)):
        suites[report.kit.name] = run_cases
    root = ElementTree.Element("testsuites", {"name": _clean(report.kit.name)})
    everything = [case for cases in suites.values() for case in cases]
    root.attrib.update(_counts(everything), time=_time(report.run.seconds))
    for name, cases in suites.items():
        root.append(_suite(name, cases, report))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=False).decode("ascii")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _cases(requirement: RequirementResult) -> Iterator[_Case]:
    outcomes = set()
    for check in requirement.checks:
        outcome = _outcome_in(requirement, check)
        outcomes.add(outcome)
        yield _Case(
            classname=requirement.id,
            name=f"{requirement.id}: {check.id}",
            outcome=outcome,
            seconds=check.seconds,
            message=_message(requirement, check, outcome),
            detail=_detail(requirement, check),
            properties=_properties(requirement),
        )
    unsaid = requirement.outcome in (Outcome.FAILED, Outcome.ERROR) and requirement.outcome not in outcomes
    if unsaid or not requirement.checks:
        yield _Case(
            classname=requirement.id,
            name=requirement.id,
            outcome=requirement.outcome,
            message=_with_issue(requirement),
            detail=requirement.sentence,
            properties=_properties(requirement),
        )


def _run_cases(report: Report) -> Iterator[_Case]:
    for number, error in enumerate(report.errors, start=1):
        yield _Case(report.kit.name, f"{report.kit.name}: error {number}", Outcome.ERROR, message=error)
    if not (report.errors or report.summary.error or report.summary.tested):
        name = f"{report.kit.name}: something is tested"
        yield _Case(report.kit.name, name, Outcome.ERROR, message=verdicts.NOTHING_TESTED)


def _outcome_in(requirement: RequirementResult, check: CheckResult) -> Outcome:
    """A check's outcome as its requirement's declarations turn it."""
    if requirement.outcome == Outcome.NOT_TESTED:
        return Outcome.NOT_TESTED
    if requirement.outcome == Outcome.EXPECTED_FAILURE and check.outcome == Outcome.FAILED:
        return Outcome.EXPECTED_FAILURE
    return check.outcome


def _message(requirement: RequirementResult, check: CheckResult, outcome: Outcome) -> str:
    if outcome == Outcome.EXPECTED_FAILURE:
        return f"expected failure: {_with_issue(requirement)}"
    if outcome == Outcome.NOT_TESTED and check.outcome != Outcome.NOT_TESTED:
        return _with_issue(requirement)
    return check.message or _with_issue(requirement)


def _with_issue(requirement: RequirementResult) -> str:
    return f"{requirement.reason} ({requirement.issue})" if requirement.issue else requirement.reason


def _detail(requirement: RequirementResult, check: CheckResult) -> str:
    parts = {
        "requirement": requirement.sentence,
        "why": check.why,
        "message": check.message,
        "expected": check.expected,
        "actual": check.actual,
        "location": check.location,
        "repeat": check.command,
        "reproduce": check.reproduction,
    }
    return "\n".join(
        f"{label}:\n{text}" if "\n" in text else f"{label}: {text}" for label, text in parts.items() if text
    )


def _properties(requirement: RequirementResult) -> tuple[tuple[str, str], ...]:
    return (
        ("requirement", requirement.id),
        ("profile", requirement.profile),
        ("level", requirement.level),
        ("outcome", requirement.outcome),
    )


def _suite(name: str, cases: list[_Case], report: Report) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": _clean(name)})
    suite.attrib.update(_counts(cases), time=_time(sum(case.seconds for case in cases)))
    suite.set("timestamp", _clean(report.run.started))
    facts = (
        ("kit", f"{report.kit.name} {report.kit.version}"),
        ("implementation", f"{report.implementation.name} {report.implementation.version}".rstrip()),
        ("spec", report.implementation.spec),
        ("profile", report.run.profile),
        ("seed", str(report.run.seed)),
    )
    suite.append(_property_list(facts))
    for case in cases:
        attributes = {"classname": case.classname, "name": case.name, "time": _time(case.seconds)}
        element = ElementTree.SubElement(suite, "testcase", {k: _clean(v) for k, v in attributes.items()})
        if case.properties:
            element.append(_property_list(case.properties))
        if case.outcome in _TAGS:
            attributes = {"message": " ".join(case.message.split()), "type": case.outcome}
            result = ElementTree.SubElement(
                element, _TAGS[case.outcome], {k: _clean(v) for k, v in attributes.items()}
            )
            result.text = _clean(case.detail) or None
    return suite


def _property_list(properties: tuple[tuple[str, str], ...]) -> ElementTree.Element:
    element = ElementTree.Element("properties")
    for name, value in properties:
        ElementTree.SubElement(element, "property", {"name": name, "value": _clean(value)})
    return element


def _counts(cases: list[_Case]) -> dict[str, str]:
    tags = [_TAGS.get(case.outcome) for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
    }


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
