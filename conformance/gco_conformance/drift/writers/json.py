"""The report as JSON, in the form of `schemas/drift-1.schema.json`."""

from __future__ import annotations

import json
from typing import Any, Final

from gco_conformance.drift.finding import Finding
from gco_conformance.drift.place import Place
from gco_conformance.drift.report import Report

SCHEMA: Final = "gco-conformance-drift/1"


def write(report: Report) -> str:
    """Indented JSON in ASCII. Every key is always there; what isn't known is "" or `null`."""
    return json.dumps(_document(report), indent=2, allow_nan=False) + "\n"


def _document(report: Report) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "verdict": {
            "exit_status": report.exit_status,
            "text": report.conclusion,
            "fail_on": report.fail_on.value,
        },
        "summary": {
            "errors": report.errors,
            "warnings": report.warnings,
            "suppressed": len(report.suppressed),
            "known": len(report.known),
            "gone": report.gone,
            "problems": len(report.problems),
        },
        "checked": {
            "services": report.checked.services,
            "paths": report.checked.paths,
            "rules": report.checked.rules,
        },
        "findings": [_finding(finding) for finding in report.findings],
        "suppressed": [
            {**_finding(suppressed.finding), "reason": suppressed.reason} for suppressed in report.suppressed
        ],
        "problems": [
            {"place": _place(problem.place), "message": problem.message, "remedy": problem.remedy}
            for problem in report.problems
        ],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "severity": finding.rule.severity.value,
        "message": finding.message,
        "client": finding.client,
        "mend": finding.mend,
        "place": _place(finding.place),
        "subject": {
            "path": finding.subject.path,
            "service": finding.subject.service,
            "route": finding.subject.route,
        },
        "related": [{"place": _place(related.place), "message": related.message} for related in finding.related],
        "changes": [
            {
                "operation": change.operation,
                "what": change.what,
                "breaking": change.breaking,
                "kind": change.kind,
            }
            for change in finding.changes
        ],
        "fingerprint": finding.fingerprint,
    }


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column, "pointer": place.pointer}
