"""Baselines: what is known already, so that only what is new is reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gco_conformance.drift.finding import Finding
from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Unusable
from gco_conformance.drift.readers.json_text import read_json
from gco_conformance.drift.readers.text import read_text, shown
from gco_conformance.errors import UsageError

SCHEMA: Final = "gco-conformance-drift-baseline/1"


def read_baseline(path: Path) -> Counter[str]:
    """How often each fingerprint is known. Raises `UsageError`."""
    try:
        document = read_json(read_text(path), shown(path))
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise Unusable(Place(shown(path)), f"is no baseline: 'schema' isn't {SCHEMA}")
        return Counter(_fingerprint(entry, path) for entry in document.get("findings", ()))
    except Unusable as error:
        raise UsageError(str(error.problem), "'--write-baseline FILE' writes one") from None


def _fingerprint(entry: Any, path: Path) -> str:
    fingerprint = entry.get("fingerprint") if isinstance(entry, dict) else None
    if not isinstance(fingerprint, str):
        raise Unusable(Place(shown(path)), "is no baseline: a finding has no fingerprint")
    return fingerprint


def split(findings: Sequence[Finding], known: Counter[str]) -> tuple[list[Finding], list[Finding], int]:
    """The new findings, the known ones, and how many known ones are found no more."""
    left = Counter(known)
    new, old = [], []
    for finding in findings:
        if left[finding.fingerprint] > 0:
            left[finding.fingerprint] -= 1
            old.append(finding)
        else:
            new.append(finding)
    return new, old, left.total()


def write_baseline(path: Path, findings: Sequence[Finding]) -> None:
    """Write the findings, sorted, without lines: a baseline changes only when findings do.

    Raises `UsageError`.
    """
    entries = sorted(
        (
            {
                "rule": finding.rule.id,
                "path": finding.subject.path,
                "service": finding.subject.service,
                "route": finding.subject.route,
                "fingerprint": finding.fingerprint,
            }
            for finding in findings
        ),
        key=lambda entry: tuple(entry.values()),
    )
    text = json.dumps({"schema": SCHEMA, "findings": entries}, indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from None
