"""The report as JUnit XML: a test for each rule that holds, and one for each finding.

A finding that counts for the exit status is a failure, one that doesn't is skipped with its text, and what
can't be read is an error: whoever reads the XML comes to the same verdict as the exit status.
"""

from __future__ import annotations

from xml.etree import ElementTree

from gco_conformance.drift.finding import Finding, Severity
from gco_conformance.drift.place import Place
from gco_conformance.drift.report import Report
from gco_conformance.drift.rules import RULES
from gco_conformance.drift.writers.xml_text import xml_text

_Element = ElementTree.Element


def write(report: Report) -> str:
    suite = ElementTree.Element("testsuite", name="gco-conformance drift")
    broken = {finding.rule.id for finding in report.findings}
    for rule in RULES:
        if rule not in broken:
            _case(suite, rule, rule)
    for finding in report.findings:
        case = _case(suite, f"{finding.rule.id} {finding.place}", finding.rule.id, finding.place)
        counts = finding.rule.severity is Severity.ERROR or report.fail_on is Severity.WARNING
        result = ElementTree.SubElement(
            case, "failure" if counts else "skipped", message=xml_text(finding.message), type=finding.rule.id
        )
        result.text = xml_text(_details(finding))
    for suppressed in report.suppressed:
        finding = suppressed.finding
        case = _case(suite, f"{finding.rule.id} {finding.place}", finding.rule.id, finding.place)
        message = xml_text(f"suppressed: {suppressed.reason}")
        ElementTree.SubElement(case, "skipped", message=message, type="suppressed").text = xml_text(
            finding.message
        )
    for problem in report.problems:
        case = _case(suite, f"input {problem.place}", "input", problem.place)
        ElementTree.SubElement(case, "error", message=xml_text(str(problem)), type="input")
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite)))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _case(suite: _Element, name: str, rule: str, place: Place | None = None) -> _Element:
    case = ElementTree.SubElement(suite, "testcase", name=xml_text(name), classname=f"drift.{rule}", time="0")
    if place is not None:
        case.set("file", xml_text(place.file))
        if place.line is not None:
            case.set("line", str(place.line))
    return case


def _details(finding: Finding) -> str:
    changes = [
        f"{'breaks' if change.breaking else 'differs'}: {change.operation} {change.what}"
        for change in finding.changes
    ]
    lines = [
        str(finding.place),
        finding.message,
        f"client: {finding.client}",
        *changes,
        f"mend: {finding.mend}",
        *(f"see: {related.place} {related.message}" for related in finding.related),
    ]
    return "\n".join(lines)
