"""`gco-conformance faults --seed`: what is sound passes, what is broken is shown by a scenario of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.cli import main
from gco_conformance.extras import missing
from gco_conformance.scenarios.file import read
from gco_conformance.sealed.namespaces import available
from gco_fixtures.broken import Change
from gco_fixtures.planting import plant

from .test_campaign_merge import valid

pytestmark = pytest.mark.skipif(
    bool(missing("aggregator") or available()), reason=missing("aggregator") or available()
)

SEED, STEPS = 2, 100


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gco_conformance", "faults", *arguments]


def faults(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120
    )
    assert "Traceback" not in done.stderr
    return done


def campaign(folder: Path, *arguments: str, seed: int = SEED, steps: int = STEPS) -> tuple[int, dict[str, Any]]:
    report = folder / "report.json"
    done = faults(f"--seed={seed}", f"--steps={steps}", f"--report-json={report}", *arguments)
    content = json.loads(report.read_text())
    valid(content)
    return done.returncode, content


def without_times(content: dict[str, Any]) -> dict[str, Any]:
    for part in content["campaigns"]:
        for run in part["runs"]:
            run["seconds"] = 0
    return {**content, "seconds": 0}


def test_the_reference_passes_the_same_way_each_time(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor() as side_by_side:
        (status, first), (_, second) = side_by_side.map(campaign, folders)
    (played,) = first["campaigns"]
    assert (status, [run["outcome"] for run in played["runs"]]) == (0, ["passed"] * 4)
    assert sum(run["steps"] for run in played["runs"]) == STEPS
    assert len(played["coverage"]["cells"]) > 10
    assert without_times(first) == without_times(second)


def test_a_broken_aggregator_is_shown_by_a_scenario(tmp_path: Path) -> None:
    change = Change(
        "aggregator/regional.py", 'RegionFailedError(f"HTTP {answer.status}")', "RegionFailedError(REDACTED)"
    )
    plant("says-less", [change], tmp_path)
    handler = tmp_path / "handler.py"
    handler.write_text(
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom gco_reference.aggregator import handler\n"
    )
    broken = f"--aggregator=python:{handler}:handler"
    scenarios = tmp_path / "scenarios"
    status, content = campaign(tmp_path, broken, f"--write-scenario={scenarios}")
    failed = [run for run in content["campaigns"][0]["runs"] if run["outcome"] == "failed"]
    files = sorted(scenarios.glob("*.yaml"))
    assert status == 1
    assert [file.name for file in files] == [f"seed-{SEED}-run-{run['run']}.yaml" for run in failed]
    smallest = min(files, key=lambda file: len(read(file).steps))
    assert len(read(smallest).steps) <= 4
    assert f"gco-conformance faults --seed {SEED} --steps {STEPS}" in smallest.read_text()
    again = faults(broken, f"--scenario={smallest}")
    assert again.returncode == 1
    assert "HTTP " in again.stdout
    assert faults(f"--scenario={smallest}").returncode == 0


def test_killed_or_interrupted_it_leaves_what_it_knows(tmp_path: Path) -> None:
    for sent, status in ((signal.SIGTERM, 2), (signal.SIGKILL, -signal.SIGKILL)):
        report = tmp_path / f"{sent}.json"
        arguments = ["--seed=1", "--steps=500", "--jobs=1", f"--report-json={report}"]
        with subprocess.Popen(
            command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            deadline = time.monotonic() + 60
            while not (report.is_file() and json.loads(report.read_text())["campaigns"][0]["runs"]):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            process.send_signal(sent)
            process.communicate(timeout=20)  # the pipes end when nothing is left that was started
            assert process.returncode == status
        content = json.loads(report.read_text())
        valid(content)
        assert content["exit_status"] == 2
        assert content["campaigns"][0]["runs"]
        assert content["errors"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed=1", "--steps=0"], "--steps 0: a campaign has at least one step"),
        (["--seed=1", "--shard=3/2"], "--shard 3/2: isn't a part of a whole; write 1/4"),
        (["--seed=1", "--shard=one"], "--shard one: isn't a part"),
        (["--seed=1", "--write-scenario=file/a"], "file/a: can't be the directory for scenarios: Not a directory"),
        (["--seed=1", "--scenario=a.yaml"], "scenarios and a campaign are two things"),
        (["--seed=x"], "--seed"),
    ],
)
def test_a_slip_is_one_line(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert main(["faults", *arguments]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
