"""`pytest --pyargs gco_conformance.suite`: the same verdicts, for people who run everything with pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ONE = ("--requirement", "composer.routing.tie-first")


def pytest_run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    plugins = ("--disable-plugin-autoload", "-p", "gco_conformance.pytest_plugin", "-p", "no:cacheprovider")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def suite_run(folder: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    done = pytest_run(folder, "--pyargs", "gco_conformance.suite", "--report-json", "report.json", *arguments)
    report = folder / "report.json"
    return done, json.loads(report.read_text()) if report.exists() else {}


def outcomes(report: dict[str, Any]) -> dict[str, str]:
    return {entry["id"]: entry["outcome"] for entry in report["requirements"]}


def test_the_reference_passes(tmp_path: Path) -> None:
    done, report = suite_run(tmp_path, *ONE)
    assert done.returncode == 0
    assert outcomes(report) == {"composer.routing.tie-first": "passed"}
    assert "PASSED 1 of 1 tested requirement" in done.stdout


def test_a_broken_composer_fails(tmp_path: Path) -> None:
    done, report = suite_run(tmp_path, "--composer", "command:true {root}", *ONE)
    assert done.returncode == 1
    assert outcomes(report) == {"composer.routing.tie-first": "failed"}


def test_workers_of_xdist_give_the_same_report(tmp_path: Path) -> None:
    done, report = suite_run(tmp_path, "-p", "xdist.plugin", "-n", "2", *ONE)
    assert done.returncode == 0
    [requirement] = report["requirements"]
    assert requirement["outcome"] == "passed"
    assert len(requirement["checks"]) > 3


def test_a_composer_that_cannot_be_started_is_an_error_and_no_empty_success(tmp_path: Path) -> None:
    done, report = suite_run(tmp_path, "--composer", "command:no-such-program {root}", *ONE)
    assert done.returncode == 2
    assert outcomes(report) == {"composer.routing.tie-first": "error"}
    assert "no program named 'no-such-program'" in done.stdout


def test_a_slip_is_one_line(tmp_path: Path) -> None:
    done, _ = suite_run(tmp_path, "--composer", "nonsense")
    assert done.returncode == 4
    assert [line for line in done.stderr.splitlines() if line.startswith("ERROR: 'nonsense'")]


def test_other_peoples_suites_keep_their_options(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n"
        "    for name in ('--seed', '--profile', '--jobs', '--requirement', '--timeout'):\n"
        "        parser.addoption(name)\n"
    )
    (tmp_path / "test_theirs.py").write_text(
        "import sys\n"
        "def test_nothing_of_the_kit_is_loaded(request):\n"
        "    assert request.config.getoption('seed') == '7'\n"
        "    loaded = {name for name in sys.modules if name.startswith('gco_')}\n"
        "    assert loaded == {'gco_conformance', 'gco_conformance.pytest_plugin'}\n"
    )
    done = pytest_run(tmp_path, "--seed", "7")
    assert done.returncode == 0, done.stdout
