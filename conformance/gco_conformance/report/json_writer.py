"""The report as JSON, in the form of `schemas/report-1.schema.json`."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from gco_conformance.report import verdicts
from gco_conformance.report.model import CheckResult, Report, RequirementResult

SCHEMA: Final = "gco-conformance-report/1"

# Python decodes bytes that are no text into these. JSON can escape them, but few parsers take them back.
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def to_json(report: Report) -> str:
    """The report as indented JSON in ASCII with one newline at the end.

    Equal reports give equal text. Every key is always there; what isn't known is "" or `null`. Surrogates
    that stand for undecodable bytes become U+FFFD.
    """
    return json.dumps(_cleaned(_document(report)), indent=2, allow_nan=False) + "\n"


def _document(report: Report) -> dict[str, Any]:
    conclusion = verdicts.conclusion(report)
    summary = report.summary
    return {
        "schema": SCHEMA,
        "verdict": {"exit_status": conclusion.exit_status, "text": conclusion.text},
        "summary": {
            "requirements": summary.requirements,
            "tested": summary.tested,
            "passed": summary.passed,
            "failed": summary.failed,
            "not-tested": summary.not_tested,
            "expected-failure": summary.expected_failure,
            "error": summary.error,
            "checks": summary.checks,
        },
        "kit": {"name": report.kit.name, "version": report.kit.version},
        "implementation": {
            "name": report.implementation.name,
            "version": report.implementation.version,
            "language": report.implementation.language,
            "url": report.implementation.url,
            "spec": report.implementation.spec,
        },
        "environment": {
            "python": report.environment.python,
            "platform": report.environment.platform,
            "machine": report.environment.machine,
            "cpus": report.environment.cpus,
        },
        "run": {
            "seed": report.run.seed,
            "profile": report.run.profile,
            "jobs": report.run.jobs,
            "requirements": list(report.run.requirements),
            "started": report.run.started,
            "seconds": _rounded(report.run.seconds),
        },
        "errors": list(report.errors),
        "requirements": [_requirement(requirement) for requirement in report.requirements],
    }


def _requirement(requirement: RequirementResult) -> dict[str, Any]:
    return {
        "id": requirement.id,
        "outcome": str(requirement.outcome),
        "reason": requirement.reason,
        "issue": requirement.issue,
        "component": requirement.component,
        "profile": requirement.profile,
        "level": requirement.level,
        "title": requirement.title,
        "sentence": requirement.sentence,
        "checks": [_check(check) for check in requirement.checks],
    }


def _check(check: CheckResult) -> dict[str, Any]:
    return {
        "id": check.id,
        "outcome": str(check.outcome),
        "seconds": _rounded(check.seconds),
        "message": check.message,
        "expected": check.expected,
        "actual": check.actual,
        "reproduction": check.reproduction,
        "command": check.command,
        "why": check.why,
        "location": check.location,
    }


def _rounded(seconds: float) -> float:
    """To the microsecond: digits beyond it are noise in a diff of two reports."""
    return round(seconds, 6)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    return value
