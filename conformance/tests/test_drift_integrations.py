"""The GitHub action and the pre-commit hook call what is there."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from gco_conformance.cli import main

from .drift_checkout import base, broken

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
in_the_repository = pytest.mark.skipif(not ACTION.exists(), reason="the action is a part of the repository alone")


def action() -> Any:
    return yaml.safe_load(ACTION.read_text())


def compare(workspace: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The action's last step, run as a runner does."""
    step = action()["runs"]["steps"][-1]
    given = {name: entry["default"] for name, entry in action()["inputs"].items()} | inputs
    environment = {
        key: given[value.removeprefix("${{ inputs.").removesuffix(" }}")] for key, value in step["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=workspace,
        env={
            **os.environ,
            **environment,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(workspace.parent / "summary.md"),
            "RUNNER_TEMP": str(workspace.parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )


@in_the_repository
def test_the_action_annotates_summarises_and_fails(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    broken("route.not-delivered").write(workspace / "shop")
    # A file of the workspace must not take the place of a module.
    (workspace / "yaml.py").write_text("raise SystemExit(9)\n")
    done = compare(workspace, root="shop", sarif="drift.sarif", arguments="--timeout 1  --fail-on warning")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "::error file=shop/docs/openapi/orders.json,line=73,col=5,title=route.not-delivered"
    )
    assert (tmp_path / "summary.md").read_text().startswith("## Drift between the gateway and its services\n")
    assert json.loads((workspace / "drift.sarif").read_text())["version"] == "2.1.0"


@in_the_repository
def test_the_action_passes_a_clean_checkout(tmp_path: Path) -> None:
    base().write(tmp_path / "workspace")
    done = compare(tmp_path / "workspace")
    assert (done.returncode, done.stderr) == (0, "")


@in_the_repository
def test_the_hook_runs_the_gate_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [hook] = yaml.safe_load(HOOKS.read_text())
    program, *arguments = shlex.split(hook["entry"])
    assert (program, hook["language"], hook["pass_filenames"]) == ("gco-conformance", "python", False)
    broken("route.not-delivered").write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
