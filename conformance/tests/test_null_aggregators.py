"""Aggregators that do nothing, or always the same, meet no requirement."""

from __future__ import annotations

from pathlib import Path

import pytest

from gco_conformance.extras import missing
from gco_conformance.sealed.namespaces import available

from .conformance_run import run_kit

pytestmark = pytest.mark.skipif(
    bool(missing("aggregator") or available()), reason=missing("aggregator") or available()
)

EMPTY = """
def handler(event, context):
    return {"statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": "{}"}
"""
UNAVAILABLE = """
import json

def handler(event, context):
    body = {"error": "Regional aggregation is temporarily unavailable"}
    return {"statusCode": 503, "headers": {"Content-Type": "application/json"}, "body": json.dumps(body)}
"""
ECHO = """
import json

def handler(event, context):
    return {"statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": json.dumps(event)}
"""
NOT_FOUND = """
import json

def handler(event, context):
    body = {"error": "Not found", "path": event.get("path")}
    return {"statusCode": 404, "headers": {"Content-Type": "application/json"}, "body": json.dumps(body)}
"""
EXIT = """
import os

def handler(event, context):
    os._exit(0)
"""


@pytest.mark.parametrize(
    "source",
    [EMPTY, UNAVAILABLE, ECHO, NOT_FOUND, EXIT],
    ids=["empty-object", "unavailable", "echo", "not-found", "exits"],
)
def test_a_null_aggregator_passes_nothing(source: str, tmp_path: Path) -> None:
    file = tmp_path / "null.py"
    file.write_text(source)
    run = run_kit(tmp_path, "--fail-fast", "--aggregator", f"python:{file}:handler")
    assert run.report["errors"] == []
    checks = [check for entry in run.report["requirements"] for check in entry["checks"]]
    assert [(check["id"], check["message"]) for check in checks if check["outcome"] == "error"] == []
    assert run.with_outcome("passed") == set()
    assert run.exit == 1
