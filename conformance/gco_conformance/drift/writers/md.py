"""The report as Markdown, for a job's summary or a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gco_conformance.drift.finding import Finding
from gco_conformance.drift.report import Report

_SPECIAL = re.compile(r"([\\`*_<>\[\]|])")


def write(report: Report) -> str:
    """A heading with the numbers, a table of the findings, and the changes of a stale document as a list."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield "## Drift between the gateway and its services"
    yield ""
    yield _escaped(report.conclusion)
    if report.problems:
        yield ""
        yield from (f"- **not readable** {_escaped(str(problem))}" for problem in report.problems)
    if report.findings:
        yield ""
        yield "| | where | what | a client sees | mend |"
        yield "| --- | --- | --- | --- | --- |"
        yield from map(_row, report.findings)
    for finding in report.findings:
        if finding.changes:
            yield ""
            yield f"### {_escaped(finding.message)}"
            yield ""
            for change in finding.changes:
                mark = "**breaking** " if change.breaking else ""
                yield f"- {mark}{_escaped(f'{change.operation} {change.what}')}"


def _row(finding: Finding) -> str:
    cells = (
        f"{finding.rule.severity.value} {finding.rule.id}",
        str(finding.place),
        finding.message,
        finding.client,
        finding.mend,
    )
    return f"| {' | '.join(_escaped(' '.join(cell.split())) for cell in cells)} |"


def _escaped(text: str) -> str:
    """`text` shown as it is: `<service>` is no tag, `|` ends no cell and `[]` is no link."""
    return _SPECIAL.sub(r"\\\1", text)
