"""The report as SARIF 2.1.0, as code scanning services load it."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import quote

import gco_conformance
from gco_conformance.drift.finding import Finding, Rule
from gco_conformance.drift.place import Place
from gco_conformance.drift.report import Report
from gco_conformance.drift.rules import RULES

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT: Final = "gcoDrift/v1"
_ROOT = "%SRCROOT%"


def write(report: Report) -> str:
    """Rules, findings with suppressed ones marked, and what couldn't be read as notifications of the tool."""
    run = {
        "tool": {
            "driver": {
                "name": "gco-conformance drift",
                "version": gco_conformance.__version__,
                "rules": [_rule(rule) for rule in RULES.values()],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not report.problems,
                "exitCode": report.exit_status,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": str(problem)},
                        "locations": [_location(problem.place)],
                    }
                    for problem in report.problems
                ],
            }
        ],
        "originalUriBaseIds": {_ROOT: {"uri": report.directory}},
        "columnKind": "unicodeCodePoints",
        "results": [
            *(_result(finding) for finding in report.findings),
            *(
                {
                    **_result(suppressed.finding),
                    "suppressions": [{"kind": "external", "justification": suppressed.reason}],
                }
                for suppressed in report.suppressed
            ),
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    sources = "".join(f"\n\nSource: {source}" for source in rule.sources)
    return {
        "id": rule.id,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.client},
        "help": {"text": f"What a client sees: {rule.client}\n\nThe smallest mend: {rule.mend}{sources}"},
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _result(finding: Finding) -> dict[str, Any]:
    changes = "".join(
        f"\n{'breaks' if change.breaking else 'differs'}: {change.operation} {change.what}"
        for change in finding.changes
    )
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": list(RULES).index(finding.rule.id),
        "level": finding.rule.severity.value,
        "message": {
            "text": f"{finding.message}.\nClient: {finding.client}.{changes}\nMend: {finding.mend}.",
        },
        "locations": [_location(finding.place)],
        "relatedLocations": [
            {"id": number, "message": {"text": related.message}, **_location(related.place)}
            for number, related in enumerate(finding.related, 1)
        ],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
    }


def _location(place: Place) -> dict[str, Any]:
    if "://" in place.file:
        artifact = {"uri": place.file}
    elif place.file.startswith("/"):
        artifact = {"uri": f"file://{quote(place.file)}"}
    else:
        artifact = {"uri": quote(place.file), "uriBaseId": _ROOT}
    # A result without a line can't be shown by code scanning services.
    region = {"startLine": place.line or 1, "startColumn": place.column or 1}
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    if place.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": place.pointer, "kind": "object"}]
    return location
