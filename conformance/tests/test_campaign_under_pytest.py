"""Campaigns as pytest items: one for each part, which fails with what the campaign says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gco_conformance.extras import missing
from gco_conformance.sealed.namespaces import available

SUITE = "gco_conformance.campaigns.under_pytest"


def pytest_run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", "--pyargs", SUITE, *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_a_part_is_an_item(tmp_path: Path) -> None:
    listed = pytest_run(tmp_path, "--collect-only", "-q", "--shards", "3")
    assert [part for part in ("[1/3]", "[2/3]", "[3/3]", "[4/3]") if part in listed.stdout] == [
        "[1/3]",
        "[2/3]",
        "[3/3]",
    ]


@pytest.mark.skipif(bool(missing("aggregator") or available()), reason=missing("aggregator") or available())
def test_a_wrong_answer_fails_the_item_with_the_run_and_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "null.py").write_text(
        'def handler(event, context):\n    return {"statusCode": 200, "body": "{}"}\n'
    )
    failed = pytest_run(tmp_path, "--aggregator", "python:null.py:handler", "--seed=4", "--steps=5")
    assert failed.returncode == 1
    assert "seed 4" in failed.stdout
    assert "1 failed" in failed.stdout
    assert "Traceback" not in failed.stdout
