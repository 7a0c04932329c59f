"""The report in the formats that people and tools read. Each writer is a module with `write(report) -> str`."""

from __future__ import annotations

import importlib
from typing import Final

from gco_conformance.drift.report import Report

FORMATS: Final = ("text", "json", "junit", "github", "sarif", "md")


def write(report: Report, form: str) -> str:
    """The report in one of `FORMATS`, loading only that one's writer."""
    text: str = importlib.import_module(f"{__name__}.{form}").write(report)
    return text
