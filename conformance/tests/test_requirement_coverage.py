"""Every requirement of a checked component has a check, and every check names a requirement."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from gco_conformance.requirements import load

COLLECT = """
import contextlib, io, json, sys
import pytest
from gco_conformance.suite.results import requirement_of

class Collector:
    def pytest_collection_modifyitems(self, items):
        self.found = [(item.nodeid, requirement_of(item)) for item in items]

collector = Collector()
with contextlib.redirect_stdout(io.StringIO()):
    pytest.main(["--pyargs", "gco_conformance.suite", "--collect-only", "-p", "no:cacheprovider"], [collector])
json.dump(collector.found, sys.stdout)
"""


def test_requirements_and_checks_cover_each_other(tmp_path: Path) -> None:
    collected = subprocess.run(
        [sys.executable, "-c", COLLECT], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    checks = json.loads(collected)
    assert [name for name, requirement in checks if requirement not in load()] == []
    covered = {requirement for _, requirement in checks}
    assert {entry.id for entry in load()} - covered == set()
