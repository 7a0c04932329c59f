"""`gco-reference invoke`, and the handler's addresses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("botocore", reason="needs gco-conformance[aggregator]")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """What the process would have become."""
    seen: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: seen.append((path, arguments)))
    return seen


def test_the_result_is_printed_as_json(run: Run) -> None:
    status, out, err = run("invoke", "GET", "/nope", "--query", "a=b")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "status": 404,
        "headers": {"Content-Type": "application/json"},
        "body": {"error": "Not found", "path": "/nope"},
    }


def test_query_and_body_are_handed_over(run: Run) -> None:
    _, out, _ = run("invoke", "GET", "/api/v1/global/jobs", "--query", "limit=x=1")
    assert json.loads(out)["body"] == {"error": "limit must be an integer from 1 to 1000"}
    _, out, _ = run("invoke", "DELETE", "/api/v1/global/jobs", "--body", '{"dry_run": 1}')
    assert json.loads(out)["body"] == {"error": "dry_run must be true or false"}


def test_a_query_without_a_value_is_a_usage_error(run: Run) -> None:
    status, out, err = run("invoke", "GET", "/x", "--query", "limit")
    assert (status, out) == (2, "")
    assert "NAME=VALUE" in err


def test_with_a_world_it_becomes_the_simulator(
    run: Run, executed: list[tuple[str, list[str]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    simulator = tmp_path / "gco-conformance"
    simulator.write_text("#!/bin/sh\n")
    simulator.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    arguments = ("DELETE", "/api/v1/global/jobs", "--query", "a=-b", "--body", '{"namespace": "x"}')
    run("invoke", *arguments, "--world", "w.yaml")
    again = [str(tmp_path / "python"), "-m", "gco_reference", "invoke", "DELETE", "/api/v1/global/jobs"]
    simulate = ["gco-conformance", "simulate", "--world", "w.yaml", "--"]
    assert executed == [(str(simulator), [*simulate, *again, "--query=a=-b", '--body={"namespace": "x"}'])]


def test_without_the_simulator_it_says_so(
    run: Run, executed: list[tuple[str, list[str]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    status, out, err = run("invoke", "GET", "/x", "--world", "w.yaml")
    assert (status, out, executed) == (2, "", [])
    assert err == "ERROR: --world needs the command gco-conformance, which isn't installed\n"


def python(code: str) -> subprocess.CompletedProcess[str]:
    """A new process: what it imports, and what it can't, is its own affair."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("library", ["botocore", "urllib3"])
def test_without_a_library_it_names_the_extra(library: str) -> None:
    ended = python(
        f"import sys; sys.modules[{library!r}] = None; from gco_reference.cli import main; "
        "sys.exit(main(['invoke', 'GET', '/nope']))"
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"ERROR: the aggregator needs {library}: pip install 'gco-conformance[aggregator]'\n"


@pytest.mark.parametrize("module", ["gco_reference.aggregator.handler", "gco_reference.aggregator"])
def test_the_handler_is_found_where_lambda_is_told_to_look(module: str) -> None:
    ended = python(
        "import importlib, sys; sys.modules['gco_conformance'] = None; "
        f"print(importlib.import_module({module!r}).handler({{'path': '/nope'}}, None)['statusCode'])"
    )
    assert (ended.stdout, ended.stderr) == ("404\n", "")
