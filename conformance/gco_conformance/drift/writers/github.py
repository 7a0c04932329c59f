"""Workflow commands of GitHub Actions: each finding becomes an annotation on its line."""

from __future__ import annotations

from gco_conformance.drift.finding import Finding
from gco_conformance.drift.place import Place
from gco_conformance.drift.report import Report


def write(report: Report) -> str:
    """One command a line, and the numbers at the end."""
    commands = [
        _command(finding.rule.severity.value, finding.place, finding.rule.id, _message(finding))
        for finding in report.findings
    ]
    commands += [
        _command("error", problem.place, "input", str(problem).removeprefix(f"{problem.place}: "))
        for problem in report.problems
    ]
    return "\n".join([*commands, f"{report.conclusion}\n"])


def _message(finding: Finding) -> str:
    breaking = [f"breaks: {change.operation} {change.what}" for change in finding.changes if change.breaking]
    lines = [finding.message, f"Client: {finding.client}", *breaking[:10], f"Mend: {finding.mend}"]
    return "\n".join([*lines, *(f"See: {related.place} {related.message}" for related in finding.related)])


def _command(level: str, place: Place, title: str, message: str) -> str:
    properties = {"file": place.file, "line": place.line, "col": place.column, "title": title}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
