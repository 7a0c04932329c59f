"""Composers that do nothing, or always the same, meet no requirement."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .conformance_run import run_kit

NOTHING = "pass"
REFUSAL = """
import sys
print("ERROR: no Gateway, no GatewayClass, no HTTPRoute (0 found, 2 found): manifest.yaml", file=sys.stderr)
sys.exit(2)
"""
EMPTY = """
import pathlib, sys
(pathlib.Path(sys.argv[1]) / "composed.json").write_text("{}\\n")
print("composed.json: written")
"""
COPY = """
import pathlib, sys
root = pathlib.Path(sys.argv[1])
document = sorted((root / "services").glob("*.json"))[0]
(root / "composed.json").write_bytes(document.read_bytes())
print("composed.json: written")
"""
BUILTIN = """
import json, pathlib, sys
paths = {path: {"get": {"responses": {}}} for path in ("/articles/0", "/orders")}
(pathlib.Path(sys.argv[1]) / "composed.json").write_text(json.dumps({"openapi": "3.1.0", "paths": paths}))
"""
TRACEBACK = "raise SystemError('Gateway 0 2')"


@pytest.mark.parametrize(
    "script",
    [NOTHING, REFUSAL, EMPTY, COPY, BUILTIN, TRACEBACK],
    ids=[
        "writes-nothing",
        "refuses-everything",
        "writes-an-empty-object",
        "copies-a-service",
        "constant",
        "crashes",
    ],
)
def test_a_null_implementation_passes_nothing(script: str, tmp_path: Path) -> None:
    composer = tmp_path / "composer.py"
    composer.write_text(script)
    run = run_kit(tmp_path, "--fail-fast", "--composer", f"command:{sys.executable} -S {composer} {{root}}")
    assert run.exit == 1
    assert run.with_outcome("passed") == set()
    assert run.with_outcome("error") == set()
