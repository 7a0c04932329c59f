"""Running the kit as a person would, for the tests that judge its verdicts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """A finished run: exit status, output, and the report where one was written."""

    exit: int
    stdout: str
    stderr: str
    report: dict[str, Any]

    def outcomes(self) -> dict[str, str]:
        """The outcome of each requirement."""
        return {entry["id"]: entry["outcome"] for entry in self.report["requirements"]}

    def with_outcome(self, outcome: str) -> set[str]:
        return {name for name, found in self.outcomes().items() if found == outcome}


def run_kit(
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    python: Sequence[str] = ("-m", "gco_conformance"),
) -> Run:
    """`gco-conformance run` with `arguments`; its JSON report goes to `folder`. `python` is what runs the kit."""
    file = folder / "report.json"
    done = subprocess.run(
        [sys.executable, *python, "run", "--report-json", str(file), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    report = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return Run(done.returncode, done.stdout, done.stderr, report)
