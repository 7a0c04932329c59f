"""`gco-conformance simulate`: a simulated AWS for a person, reached by real names from inside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gco_conformance.extras import missing
from gco_conformance.sealed.namespaces import available

pytestmark = pytest.mark.skipif(
    bool(missing("aggregator") or available()), reason=missing("aggregator") or available()
)

WORLD = """
project: acme
regions:
  us-east-1:
    jobs: {json: {total: 7, jobs: []}}
  eu-west-1:
    stack: missing
"""


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gco_conformance", "simulate", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_an_aggregator_runs_in_it_as_on_aws() -> None:
    done = simulate("--", sys.executable, "-m", "gco_reference", "invoke", "GET", "/api/v1/global/health")
    answer = json.loads(done.stdout)
    assert answer["status"] == 200
    assert answer["body"]["overall_status"] == "healthy"
    assert "cloudformation us-east-1" in done.stderr
    assert "regional eu-west-1" in done.stderr


def test_the_world_is_that_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "world.yaml"
    file.write_text(WORLD)
    script = "import json, os; print(os.environ['PROJECT_NAME'], json.loads(os.environ['TARGET_REGIONS']))"
    done = simulate("--world", str(file), "--quiet", "--", sys.executable, "-c", script)
    assert done.stdout == "acme ['us-east-1', 'eu-west-1']\n"
    assert done.stderr == ""
    reference = (sys.executable, "-m", "gco_reference", "invoke", "GET", "/api/v1/global/jobs")
    assert json.loads(simulate("--world", str(file), "--", *reference).stdout)["status"] == 503


def test_the_status_is_that_of_the_command() -> None:
    assert simulate("--quiet", "--", "sh", "-c", "exit 7").returncode == 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--world", "no-such-file.yaml", "--", "true"], "no-such-file.yaml"),
        (["--quiet", "--", "no-such-program"], "no-such-program"),
        (["--quiet"], "no terminal"),
    ],
)
def test_a_slip_is_one_line(arguments: list[str], said: str) -> None:
    done = simulate(*arguments)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert said in line
