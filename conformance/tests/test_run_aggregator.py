"""`gco-conformance run --aggregator`: verdicts on functions that run in the sealed network."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gco_conformance.extras import missing
from gco_conformance.sealed.namespaces import available

from .conformance_run import run_kit

pytestmark = pytest.mark.skipif(
    bool(missing("aggregator") or available()), reason=missing("aggregator") or available()
)

REFERENCE = "python:gco_reference.aggregator:handler"
TARGET = ("--requirement", "aggregator.request.target")
TALKATIVE = """
import contextlib, socket

from gco_reference.aggregator import handler as reference


def handler(event, context):
    with contextlib.suppress(OSError):
        socket.getaddrinfo("telemetry.example", 443)
    return reference(event, context)
"""


def test_who_talks_to_nobody_else_passes(tmp_path: Path) -> None:
    run = run_kit(tmp_path, "--aggregator", REFERENCE, *TARGET)
    assert run.exit == 0
    assert run.outcomes() == {"aggregator.request.target": "passed"}


def test_a_look_up_of_another_host_fails_the_run(tmp_path: Path) -> None:
    file = tmp_path / "talkative.py"
    file.write_text(TALKATIVE)
    run = run_kit(tmp_path, "--aggregator", f"python:{file}:handler", *TARGET)
    assert run.exit == 1
    [requirement] = run.report["requirements"]
    failed = [check for check in requirement["checks"] if check["outcome"] == "failed"]
    assert [(check["id"], check["actual"]) for check in failed] == [
        ("sealed-network/no-other-host", "telemetry.example")
    ]


def test_the_same_through_the_runtime_api(tmp_path: Path) -> None:
    pytest.importorskip("awslambdaric")
    spec = f"runtime:{sys.executable} -m awslambdaric gco_reference.aggregator.handler.handler"
    run = run_kit(tmp_path, "--aggregator", spec, *TARGET, "--requirement", "aggregator.cache.*")
    assert run.exit == 0
    assert set(run.outcomes().values()) == {"passed"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("python:no_such_module:handler", "no_such_module"),
        ("runtime:no-such-program", "no-such-program"),
        ("lambda:arn", "runtime:COMMAND"),
    ],
)
def test_what_cannot_be_started_is_one_line(spec: str, said: str, tmp_path: Path) -> None:
    run = run_kit(tmp_path, "--aggregator", spec, *TARGET)
    assert run.exit == 2
    [line] = run.stderr.splitlines()
    assert said in line


def test_a_composer_and_an_aggregator_share_a_report(tmp_path: Path) -> None:
    composer = f"stdio:{sys.executable} -m gco_reference serve"
    both = ("--requirement", "composer.routing.tie-first", "--requirement", "aggregator.http.nulls")
    run = run_kit(tmp_path, "--composer", composer, "--aggregator", REFERENCE, *both)
    assert run.exit == 0
    assert run.outcomes() == dict.fromkeys(("composer.routing.tie-first", "aggregator.http.nulls"), "passed")
