"""JUnit consumers see every check under its requirement, and never another verdict than the exit status."""

from __future__ import annotations

import dataclasses
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given

from gco_conformance.report.json_writer import to_json
from gco_conformance.report.junit import to_junit
from gco_conformance.report.model import CheckResult, Outcome, Report
from gco_conformance.report.verdicts import Declared

from .report_samples import (
    LONGEST_PREFIX,
    broken,
    every_shape,
    failed,
    passed,
    report,
    reports,
    requirement,
    skipped,
)

KNOWN = Declared("the router is rewritten", "https://example.org/issues/3")


def parsed(any_report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(to_junit(any_report))


def result_of(case: ElementTree.Element) -> tuple[str, str]:
    """The tag of a test case's result ("" when it passed) and its `type`."""
    for child in case:
        if child.tag != "properties":
            return child.tag, child.get("type", "")
    return "", ""


def outcome_of(cases: list[ElementTree.Element]) -> str:
    """What a consumer of JUnit concludes about a requirement from its test cases."""
    results = [result_of(case) for case in cases]
    tags = [tag for tag, _ in results]
    if "error" in tags:
        return "error"
    if "failure" in tags:
        return "failed"
    if ("skipped", "expected-failure") in results:
        return "expected-failure"
    return "passed" if "" in tags else "not-tested"


@every_shape
@given(reports())
def test_junit_json_and_exit_status_agree(any_report: Report) -> None:
    root = parsed(any_report)
    document = json.loads(to_json(any_report))
    by_requirement: dict[str, list[ElementTree.Element]] = {}
    for case in root.iter("testcase"):
        by_requirement.setdefault(case.attrib["classname"], []).append(case)
    for item in document["requirements"]:
        assert outcome_of(by_requirement[item["id"]]) == item["outcome"], item["id"]
    assert document["verdict"]["exit_status"] == any_report.exit_status
    seen = (
        2
        if next(root.iter("error"), None) is not None
        else 1
        if next(root.iter("failure"), None) is not None
        else 0
    )
    assert seen == any_report.exit_status


@every_shape
@given(reports())
def test_the_counts_are_those_of_the_test_cases(any_report: Report) -> None:
    text = to_junit(any_report)
    assert text.isascii()
    root = ElementTree.fromstring(text)
    for element in (root, *root.iter("testsuite")):
        for count, tag in (
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped",) * 2,
        ):
            assert int(element.attrib[count]) == len(list(element.iter(tag)))


def test_a_case_carries_the_id_of_its_requirement_in_a_suite_per_group() -> None:
    root = parsed(
        report(
            requirement(passed("routing-order/last")),
            requirement(passed(), id="composer.routing.tie-first"),
            requirement(passed(), id="composer.output.check"),
        )
    )
    assert [suite.get("name") for suite in root] == ["composer.routing", "composer.output"]
    case = root[0].find("testcase")
    assert case is not None
    assert case.get("name") == f"{LONGEST_PREFIX}: routing-order/last"
    assert case.get("classname") == LONGEST_PREFIX
    properties = {item.get("name"): item.get("value") for item in case.iter("property")}
    assert properties == {
        "requirement": LONGEST_PREFIX,
        "profile": "core",
        "level": "must",
        "outcome": "passed",
    }


@pytest.mark.parametrize(
    ("check", "tag", "message"),
    [
        (failed(message="it went to alpha"), "failure", "it went to alpha"),
        (broken(message="no such file"), "error", "no such file"),
        (skipped(message="no command line"), "skipped", "no command line"),
    ],
)
def test_an_outcome_has_its_own_element_with_the_message(check: CheckResult, tag: str, message: str) -> None:
    [element] = parsed(report(requirement(passed("other"), check))).iter(tag)
    assert element.get("message") == message
    assert element.get("type") == check.outcome


def test_a_failure_tells_how_to_repeat_it() -> None:
    check = dataclasses.replace(
        failed(), expected="beta", actual="alpha", reproduction="cd x\nmake", command="run it"
    )
    [element] = parsed(report(requirement(check))).iter("failure")
    assert element.text
    for told in ("MUST win", "beta", "alpha", "cd x\nmake", "run it"):
        assert told in element.text


def test_an_expected_failure_is_skipped_with_its_reason() -> None:
    root = parsed(report(requirement(failed(), passed(), known_failure=KNOWN)))
    assert not list(root.iter("failure"))
    [element] = root.iter("skipped")
    assert element.get("message") == "expected failure: the router is rewritten (https://example.org/issues/3)"


def test_an_unexpected_pass_is_a_failure() -> None:
    root = parsed(report(requirement(passed(), known_failure=KNOWN)))
    [element] = root.iter("failure")
    assert "unexpected pass" in element.get("message", "")


@pytest.mark.parametrize("checks", [[], [passed()], [failed()]])
def test_what_is_declared_unsupported_is_one_skipped_case(checks: list[CheckResult]) -> None:
    root = parsed(report(requirement(*checks, unsupported=Declared("no routes", "https://example.org/9"))))
    [element] = root[0].iter("skipped")
    assert element.get("message") == "unsupported: no routes (https://example.org/9)"
    assert not list(root[0].iter("failure"))


def test_an_error_of_the_run_and_a_run_without_tests_are_errors() -> None:
    [element] = parsed(report(requirement(passed()), errors=("it doesn't start",))).iter("error")
    assert element.get("message") == "it doesn't start"
    [element] = parsed(report()).iter("error")
    assert element.get("message") == "no requirement was tested"


def test_characters_that_xml_forbids_are_replaced() -> None:
    [element] = parsed(report(requirement(failed(message="a\x00b\x1bc\udcffd\uffffe")))).iter("failure")
    assert element.get("message") == "a\ufffdb\ufffdc\ufffdd\ufffde"


def test_the_requirement_s_outcome_stands_even_when_no_check_carries_it() -> None:
    odd = dataclasses.replace(requirement(passed()), outcome=Outcome.ERROR, reason="the kit broke")
    [element] = parsed(report(odd)).iter("error")
    assert element.get("message") == "the kit broke"
