"""`gco-conformance faults --scenario`: what holds passes, what doesn't fails at its step, the rest isn't known."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.cli import main
from gco_conformance.extras import missing
from gco_conformance.sealed.namespaces import available
from gco_fixtures.broken import Change
from gco_fixtures.planting import plant
from gco_fixtures.scenarios import scenario_files

pytestmark = pytest.mark.skipif(
    bool(missing("aggregator") or available()), reason=missing("aggregator") or available()
)

HEAD = """\
title: Two regions
world:
  regions:
    eu-west-1:
      jobs: {json: {total: 2, jobs: [{metadata: {name: a}}]}}
    us-east-1: {}
steps:
"""
WELL = "- request: GET /api/v1/global/jobs\n  expect: {status: 200, equals: {/total: 2}, errors: {}}\n"


@dataclass(frozen=True)
class Done:
    status: int
    text: str
    report: dict[str, Any]

    def of(self, name: str) -> dict[str, Any]:
        (found,) = (each for each in self.report["scenarios"] if each["name"] == name)
        return dict(found)


def faults(folder: Path, *arguments: str) -> Done:
    report = folder / "report.json"
    command = [sys.executable, "-m", "gco_conformance", "faults", f"--report-json={report}", *arguments]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=90
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout + done.stderr, json.loads(report.read_text()))


def play(folder: Path, *scenarios: str, aggregator: Sequence[str] = ()) -> Done:
    files = [folder / f"scenario-{number}.yaml" for number in range(1, len(scenarios) + 1)]
    for file, steps in zip(files, scenarios, strict=True):
        file.write_text(HEAD + steps)
    return faults(folder, *aggregator, *(f"--scenario={file}" for file in files))


def test_the_declared_scenarios_hold_for_the_reference(tmp_path: Path) -> None:
    done = faults(tmp_path, f"--scenario={scenario_files()[0].parent}")
    assert done.status == 0, done.text
    assert {each["outcome"] for each in done.report["scenarios"]} == {"passed"}
    assert len(done.report["scenarios"]) == len(scenario_files())


CONTRADICTED = {
    "status: 503": "the answer has another status",
    "json: {total: 2}": "the answer is another",
    "any-of: [{status: 200, json: {}}, {status: 503, json: {}}]": "the answer is none of those that are right",
    "equals: {/jobs/0/metadata/name: b}": "/jobs/0/metadata/name of the answer is wrong",
    "equals: {/nothing: null}": "/nothing of the answer is wrong",
    "mentions: {/jobs/0/metadata/name: b}": "/jobs/0/metadata/name of the answer doesn't mention b",
    "absent: [/jobs/0]": "/jobs/0 of the answer shouldn't be there",
    "headers: {Content-Type: text}": "the header Content-Type of the answer isn't there, or says something else",
    "headers: {Allow: GET}": "the header Allow of the answer isn't there, or says something else",
    "errors: {us-east-1: HTTP 500}": "other regions failed, or with other errors",
    "requests: {us-east-1: 2}": "us-east-1 got more or fewer requests",
    "discoveries: 0": "CloudFormation got more or fewer calls",
    "given-up: [us-east-1]": "what us-east-1 sent was read to its end",
    "asked: {query: {limit: '10'}}": "a region was asked for something else",
    "asked: {query: {limit: null}}": "a region was asked for something else",
    "asked: {query: {status: failed}}": "a region was asked for something else",
    "asked: {json: {}}": "a region was asked for something else",
    "within: 0": "the answer comes too late",
}


def test_each_expectation_can_be_contradicted(tmp_path: Path) -> None:
    asked = "- request: GET /api/v1/global/jobs\n  expect: {{{}}}\n"
    done = play(tmp_path, *(asked.format(expect) for expect in CONTRADICTED))
    assert done.status == 1
    said = [each["message"] for each in done.report["scenarios"]]
    assert said == [
        f"{tmp_path}/scenario-{number}.yaml:8: {message}"
        for number, message in enumerate(CONTRADICTED.values(), 1)
    ]


def test_what_happens_in_a_world_is_what_the_steps_say(tmp_path: Path) -> None:
    done = play(tmp_path, WELL + EVERYTHING, UNFIRED, UNKEPT)
    assert (done.of("scenario-1")["outcome"], done.of("scenario-1")["message"]) == ("passed", "")
    assert done.of("scenario-2")["outcome"] == done.of("scenario-3")["outcome"] == "not-tested"
    assert "a planned fault never struck: hang of eu-west-1" in done.of("scenario-2")["message"]
    assert "no connection was kept alive" in done.of("scenario-3")["message"]
    assert done.status == 0


EVERYTHING = """\
- region: us-east-1
  fails: [{fault: status, code: 500, ordinals: [1]}, not-tls]
- request: GET /api/v1/global/jobs
  expect: {errors: {us-east-1: Authenticated regional API request failed}, requests: {us-east-1: 0}}
- region: us-east-1
  recovers: true
- region: us-east-1
  fails: {fault: status, code: 500}
- request: GET /api/v1/global/jobs
  expect: {errors: {us-east-1: HTTP 500}, discoveries: 0, accepted: true}
- request: DELETE /api/v1/global/jobs
  json: {status: failed}
  expect: {asked: {query: {limit: null}, json: {status: failed, dry_run: true}}}
- request: GET /api/v1/global/jobs
  expect: {asked: {query: {limit: '100', status: null}}}
- region: us-east-1
  fails: flood
- request: GET /api/v1/global/jobs
  expect: {errors: {us-east-1: HTTP 500}, given-up: [us-east-1]}
- region: us-east-1
  redeploys: true
- region: eu-west-1
  answers: {jobs: {json: {total: 7, jobs: []}}}
- stack: us-east-1
  fails: {fault: status, code: 500}
- process: restarts
- request: GET /api/v1/global/jobs
  expect: {status: 503, requests: {eu-west-1: 0}}
- stack: us-east-1
  restored: true
- arrive: [us-east-1, eu-west-1]
- request: GET /api/v1/global/jobs
  expect: {status: 200, equals: {/total: 7}, errors: {}}
- arrive: []
- frozen: {seconds: 301}
- stack: us-east-1
  becomes: missing
- request: GET /api/v1/global/jobs
  expect: {status: 200, equals: {/total: 7}, errors: {}, discoveries: {from: 1}}
""".replace("[{fault: status, code: 500, ordinals: [1]}, not-tls]", "not-tls")
UNFIRED = WELL + "- region: eu-west-1\n  fails: {fault: hang, ordinals: [2]}\n" + "- process: restarts\n"
UNKEPT = "- frozen: {hang-up: reset}\n" + WELL


def test_a_failure_tells_its_place_what_was_expected_and_what_was_seen(tmp_path: Path) -> None:
    change = Change("aggregator/regional.py", 'f"HTTP {answer.status}")\n    try', "REDACTED)\n    try")
    plant("says-less", [change], tmp_path)
    handler = tmp_path / "handler.py"
    handler.write_text(
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom gco_reference.aggregator import handler\n"
    )
    broken = [f"--aggregator=python:{handler}:handler"]
    steps = "- region: us-east-1\n  fails: {fault: status, code: 500}\n"
    steps += "- request: GET /api/v1/global/jobs\n  expect: {errors: {us-east-1: HTTP 500}}\n"
    done = play(tmp_path, WELL, WELL + steps, aggregator=broken)
    assert done.status == 1
    place = f"{tmp_path}/scenario-2.yaml:12"
    assert f"    {place}: other regions failed, or with other errors\n" in done.text
    assert 'expected: {\n                "us-east-1": "HTTP 500"\n' in done.text
    assert "regional us-east-1 GET /prod/api/v1/jobs" in done.text
    assert "1 passed, 1 failed in" in done.text
    assert (done.of("scenario-1")["outcome"], done.of("scenario-2")["place"]) == ("passed", place)


def test_interrupted_it_tells_what_it_knows_and_leaves_nothing(tmp_path: Path) -> None:
    for name, fails in (("a", "refuse"), ("b", "hang")):
        text = HEAD + f"- region: us-east-1\n  fails: {fails}\n- request: GET /api/v1/global/jobs\n"
        (tmp_path / f"{name}.yaml").write_text(text)
    report = tmp_path / "report.json"
    command = [
        sys.executable,
        "-m",
        "gco_conformance",
        "faults",
        f"--report-json={report}",
        f"--scenario={tmp_path}",
    ]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline().startswith(b"passed")
        began = time.monotonic()
        run.send_signal(signal.SIGTERM)
        _, said = run.communicate(timeout=20)
        assert time.monotonic() - began < 10
    assert (run.returncode, said.decode()) == (
        2,
        "gco-conformance: interrupted: the report holds what had been played until then\n",
    )
    content = json.loads(report.read_text())
    assert [each["name"] for each in content["scenarios"]] == ["a"]
    assert content["errors"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "there is nothing to play; name scenario files"),
        (["--scenario", "no.yaml"], "no.yaml can't be read: No such file"),
        (["--scenario", "."], "there is no scenario in it"),
        (["--scenario", "{scenario}", "--aggregator", "what:ever"], "what:ever"),
        (["--scenario", "{scenario}", "--jobs", "0"], "--jobs 0"),
        (["--scenario", "{scenario}", "--report-json", "no/such/folder"], "there is no directory"),
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
    assert main(["faults", *(each.format(scenario=scenario_files()[2]) for each in arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert says in said.err
    assert said.err.count("\n") == 1


def test_an_aggregator_that_is_not_there_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    spec = "python:no_such_file.py:handler"
    assert main(["faults", "--aggregator", spec, "--scenario", str(scenario_files()[2])]) == 2
    said = capfd.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "there is no file no_such_file.py" in said.err
