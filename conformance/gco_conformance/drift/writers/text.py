"""The report for people: a line for each finding as compilers print it, with what to know below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding
from gco_conformance.drift.report import Report

SHOWN_CHANGES: Final = 50


def write(report: Report) -> str:
    """One block for each finding, and the numbers at the end."""
    blocks = ["\n".join(_block(finding)) + "\n" for finding in report.findings]
    return "\n".join([*blocks, f"{report.conclusion}\n"])


def _block(finding: Finding) -> Iterator[str]:
    yield f"{finding.place}: {finding.rule.severity.value}: {finding.message} [{finding.rule.id}]"
    if finding.place.pointer:
        yield f"    at:     {finding.place.pointer}"
    yield f"    client: {finding.client}"
    for change in finding.changes[:SHOWN_CHANGES]:
        yield f"    {'breaks' if change.breaking else 'differs'}: {change.operation} {change.what}"
    if len(finding.changes) > SHOWN_CHANGES:
        yield f"    and {len(finding.changes) - SHOWN_CHANGES} more, see --format json"
    yield f"    mend:   {finding.mend}"
    for related in finding.related:
        yield f"    see:    {related.place} {related.message}"
