"""`gco-conformance run`: verdicts, exit statuses and errors as a person meets them."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conformance_run import run_kit

SOME = (
    "--requirement=composer.routing.malformed-prefix",
    "--requirement=composer.output.deterministic",
    "--requirement=composer.output.check",
)
REFERENCE = f"command:{sys.executable} -m gco_reference compose {{root}}"
REFUSER = f"command:{sys.executable} -c 'import sys; sys.exit(2)' {{root}}"


def test_the_reference_passes_by_default(tmp_path: Path) -> None:
    run = run_kit(tmp_path, *SOME)
    assert run.exit == 0
    assert set(run.outcomes().values()) == {"passed"}
    assert "PASSED" in run.stdout
    assert "seed 0" in run.stdout


def test_the_reference_passes_through_its_command_line(tmp_path: Path) -> None:
    run = run_kit(tmp_path, "--composer", REFERENCE, *SOME)
    assert run.exit == 0
    assert set(run.outcomes().values()) == {"passed"}


def test_a_function_is_checked_and_what_needs_a_command_line_is_not_tested(tmp_path: Path) -> None:
    (tmp_path / "composing.py").write_text(FUNCTION)
    spec = f"python:{tmp_path / 'composing.py'}:compose:Refused"
    run = run_kit(tmp_path, "--composer", spec, *SOME)
    assert run.exit == 0
    assert run.outcomes()["composer.routing.malformed-prefix"] == "passed"
    assert run.outcomes()["composer.output.deterministic"] == "passed"
    assert run.outcomes()["composer.output.check"] == "not-tested"


FUNCTION = """
import json, subprocess, sys

class Refused(Exception):
    pass

def compose(root):
    command = [sys.executable, "-m", "gco_reference", "compose", str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2:
        raise Refused(done.stderr.removeprefix("ERROR: ").strip())
    output = root / done.stdout.partition(":")[0]
    document = json.loads(output.read_bytes())
    output.unlink()
    return document
"""


def test_a_failure_names_the_requirement_and_how_to_repeat_it(tmp_path: Path) -> None:
    run = run_kit(tmp_path, "--composer", REFUSER, "--requirement", "composer.routing.tie-first")
    assert run.exit == 1
    assert "FAILED composer.routing.tie-first (core, must)" in run.stdout
    assert "--requirement composer.routing.tie-first --seed 0" in run.stdout
    [requirement] = run.report["requirements"]
    failed = requirement["checks"][0]
    assert failed["outcome"] == "failed"
    assert failed["expected"]
    assert failed["actual"]


def test_how_far_a_run_is_stands_on_the_terminal_and_not_in_the_report() -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "gco_conformance", "run", "--composer", REFUSER, SOME[0]]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with tempfile.TemporaryFile("w+") as report:
        kit = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=report, stderr=slave, env=environment)
        os.close(slave)
        told = b"".join(printed(master)).decode()
        assert kit.wait() == 1
        report.seek(0)
        final = report.read()
    first, _, progress = told.partition("\n")
    assert first.strip() == REFUSER
    assert re.search(r"[1-9]\d*/[1-9]", progress)
    assert "failed" in progress
    assert progress.endswith("\x1b[2K")
    assert "\x1b" not in final
    assert "FAILED" in final


def printed(terminal: int) -> Iterator[bytes]:
    """What programs print to a terminal until the last one leaves it, which is an error on Linux."""
    with contextlib.suppress(OSError), os.fdopen(terminal, "rb", buffering=0) as stream:
        while chunk := stream.read(4096):
            yield chunk


def test_a_failed_requirement_needs_no_further_checks_with_fail_fast(tmp_path: Path) -> None:
    wanted = ("--requirement", "composer.routing.tie-first", "--jobs", "1")
    whole = run_kit(tmp_path, "--composer", REFUSER, *wanted).report["requirements"][0]
    quick = run_kit(tmp_path, "--composer", REFUSER, *wanted, "--fail-fast").report["requirements"][0]
    assert quick["outcome"] == whole["outcome"] == "failed"
    assert [check["outcome"] for check in whole["checks"]].count("failed") > 1
    assert sorted(check["outcome"] for check in quick["checks"]) == [
        "failed",
        *["not-tested"] * (len(whole["checks"]) - 1),
    ]


def test_fail_fast_leaves_out_nothing_of_what_passes(tmp_path: Path) -> None:
    run = run_kit(tmp_path, "--fail-fast", "--requirement", "composer.routing.tie-first")
    assert run.exit == 0
    assert {check["outcome"] for entry in run.report["requirements"] for check in entry["checks"]} == {"passed"}


def test_the_reproduction_repeats_the_failure_without_the_kit(tmp_path: Path) -> None:
    composer = tmp_path / "lists.py"
    composer.write_text("import os, sys; print(sorted(os.listdir(sys.argv[1]))); sys.exit(7)")
    spec = f"command:{sys.executable} {composer} {{root}}"
    run = run_kit(tmp_path, "--composer", spec, "--requirement", "composer.routing.tie-first")
    [requirement] = run.report["requirements"]
    script = requirement["checks"][0]["reproduction"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert "['gateway-composition.yaml', 'manifest.yaml', 'services']" in done.stdout
    assert "exit status 7" in done.stdout


def test_the_same_seed_gives_the_same_checks_and_outcomes(tmp_path: Path) -> None:
    def checks(seed: str, jobs: str) -> list[tuple[str, str]]:
        run = run_kit(tmp_path, "--seed", seed, "--jobs", jobs, "--requirement", "composer.schemas.recursive")
        return [(c["id"], c["outcome"]) for r in run.report["requirements"] for c in r["checks"]]

    assert checks("7", "1") == checks("7", "4")


def test_reports_agree(tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    run = run_kit(
        tmp_path, "--composer", REFUSER, "--requirement", "composer.routing.*", "--report-junit", str(junit)
    )
    suites = ElementTree.parse(junit).getroot()
    failed = [case.get("name", "") for case in suites.iter("testcase") if case.find("failure") is not None]
    checks = [c for r in run.report["requirements"] for c in r["checks"] if c["outcome"] == "failed"]
    assert len(failed) == len(checks) > 0
    assert all("composer.routing." in name for name in failed)


IMPLEMENTATION = """
[implementation]
name = "refuser"
version = "1"
language = "Python"
url = "https://example.com/refuser"
composer = '''{composer}'''
"""
DECLARED = """
[[{kind}]]
requirement = "{requirement}"
reason = "we know"
issue = "https://example.com/issues/1"
"""


def declare(folder: Path, composer: str, kind: str, requirement: str) -> str:
    file = folder / "implementation.toml"
    declared = DECLARED.format(kind=kind, requirement=requirement)
    file.write_text(IMPLEMENTATION.format(composer=composer) + declared)
    return str(file)


def test_a_known_failure_that_fails_is_expected(tmp_path: Path) -> None:
    file = declare(tmp_path, REFUSER, "known-failure", "composer.routing.tie-*")
    both = ("--requirement", "composer.routing.tie-first", "--requirement", "composer.routing.no-match")
    run = run_kit(tmp_path, "--implementation", file, *both)
    assert run.outcomes()["composer.routing.tie-first"] == "expected-failure"
    assert run.outcomes()["composer.routing.no-match"] == "failed"
    assert run.exit == 1
    assert run_kit(tmp_path, "--implementation", file, *both[:2]).exit == 0


def test_a_known_failure_that_passes_fails_the_run(tmp_path: Path) -> None:
    file = declare(tmp_path, REFERENCE, "known-failure", "composer.routing.tie-first")
    run = run_kit(tmp_path, "--implementation", file, "--requirement", "composer.routing.tie-first")
    assert run.exit == 1
    assert "unexpected pass" in run.stdout


def test_what_is_unsupported_is_not_tested_and_no_success_by_itself(tmp_path: Path) -> None:
    file = declare(tmp_path, REFERENCE, "unsupported", "composer.routing.tie-first")
    run = run_kit(tmp_path, "--implementation", file, "--requirement", "composer.routing.tie-first")
    assert run.outcomes() == {"composer.routing.tie-first": "not-tested"}
    assert run.exit == 2
    assert "no requirement was tested" in run.stdout


def test_a_declaration_that_matches_no_requirement_is_refused(tmp_path: Path) -> None:
    file = declare(tmp_path, REFERENCE, "known-failure", "composer.routing.tie-last")
    run = run_kit(tmp_path, "--implementation", file)
    assert run.exit == 2
    assert "composer.routing.tie-last" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--composer", "command:no-such-program {root}"], "no-such-program"),
        (["--composer", "stdio:no-such-program"], "no-such-program"),
        (["--composer", "python:no_such_module:compose"], "no_such_module"),
        (["--composer", "nothing"], "command:"),
        (["--composer", "command:true"], "{root}"),
        (["--implementation", "no-such-file.toml"], "no-such-file.toml"),
        (["--implementation", "."], "directory"),
        (["--requirement", "composer.routing.tie-frist"], "composer.routing.tie-first"),
        (["--profile", "gold"], "gold"),
        (["--seed", "many"], "many"),
        (["--jobs", "0"], "0"),
        (["--timeout", "0"], "0"),
        (["--report-json", "no-such-folder/report.json"], "no-such-folder"),
        (["--report-junit", "."], "directory"),
        (["--no-such-option"], "--no-such-option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_slip_is_one_line_and_exit_status_2(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gco_conformance", "run", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("gco-conformance: ")
    assert said in line


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_ended_run_leaves_nothing_behind_but_its_report(end: signal.Signals, tmp_path: Path) -> None:
    scratch, here = tmp_path / "scratch", tmp_path / "here"
    scratch.mkdir()
    here.mkdir()
    mark, script = tmp_path / "asked", tmp_path / "slow.py"
    script.write_text(f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)")
    options = ["--composer", f"command:{sys.executable} {script} {{root}}", "--report-json", "report.json"]
    kit = subprocess.Popen(
        [sys.executable, "-m", "gco_conformance", "run", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=here,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert becomes_true(mark.exists)
    kit.send_signal(end)
    kit.communicate(timeout=20)
    assert becomes_true(lambda: [*scratch.iterdir()] == [])
    assert becomes_true(lambda: not subprocess.run(["pgrep", "-f", str(script)], capture_output=True).stdout)
    if end is signal.SIGKILL:
        assert [*here.iterdir()] == []
    else:
        assert kit.returncode == 2
        assert "interrupted" in (here / "report.json").read_text()
        assert [file.name for file in here.iterdir()] == ["report.json"]


def test_a_run_leaves_nothing_behind(tmp_path: Path) -> None:
    scratch, here = tmp_path / "scratch", tmp_path / "here"
    scratch.mkdir()
    here.mkdir()
    subprocess.run(
        [sys.executable, "-m", "gco_conformance", "run", *SOME],
        capture_output=True,
        check=True,
        cwd=here,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert [*scratch.iterdir(), *here.iterdir()] == []


def test_what_a_composer_started_and_forgot_is_ended(tmp_path: Path) -> None:
    forgotten = tmp_path / "forgotten.py"
    forgotten.write_text("import time; time.sleep(600)")
    script = tmp_path / "daemon.py"
    script.write_text(
        "import os, subprocess, sys\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    os.execv(sys.executable, [sys.executable, {str(forgotten)!r}])\n"
    )
    composer = f"command:{sys.executable} {script} {{root}}"
    run = run_kit(tmp_path, "--composer", composer, "--requirement=composer.routing.tie-first", "--fail-fast")
    assert run.exit == 1
    assert becomes_true(lambda: not subprocess.run(["pgrep", "-f", str(forgotten)], capture_output=True).stdout)


def becomes_true(holds: Callable[[], bool]) -> bool:
    """Whether it does within some seconds."""
    deadline = time.monotonic() + 15
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
