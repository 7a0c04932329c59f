"""`gco-conformance drift` as people and CI call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gco_conformance.cli import main
from gco_conformance.drift.rules import RULES

from .drift_checkout import base, broken, checkout, gated, rules, service

LOST = "route.not-delivered"


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def drift(*arguments: str) -> int:
    return main(["drift", *arguments])


def test_a_clean_checkout_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    base().write(Path("shop"))
    assert drift("shop") == 0
    assert capsys.readouterr() == ("0 errors, 0 warnings (4 services, 12 paths and 4 rules compared)\n", "")


def test_findings_end_with_1_and_the_working_directory_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    broken(LOST).write(Path())
    assert drift() == 1
    out, err = capsys.readouterr()
    assert out.startswith("docs/openapi/orders.json:73:5: error: GET /api/reports/{month}")
    assert err == ""


def test_warnings_count_when_they_are_asked_to() -> None:
    broken("rule.order").write(Path())
    assert drift() == 0
    assert drift("--fail-on", "error") == 0
    assert drift("--fail-on", "warning") == 1


def test_what_is_not_readable_ends_with_2_and_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    files = broken(LOST)
    files.write(Path())
    Path("docs/openapi/catalogue.json").write_text("{")
    assert drift() == 2
    out, err = capsys.readouterr()
    assert "[route.not-delivered]" in out
    assert "1 part not readable" in out
    assert err == (
        "gco-conformance: docs/openapi/catalogue.json:1:2: isn't JSON: Expecting property name enclosed in double "
        "quotes\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere is not a directory; name the root of a checkout"),
        (["a", "b"], "one checkout at a time, not 2: a b"),
        (["--config", "none.yaml"], "none.yaml: there is no such file; 'gco-conformance drift init .' writes one"),
        (["--format", "yaml"], "there is no format 'yaml'; the formats are text, json, junit, github, sarif, md"),
        (["--format", "json:"], "--format json: names no file"),
        (["--service", "jobs"], "--service jobs isn't NAME=URL; such as --service orders=http://localhost:8000"),
        (["--timeout", "0"], "--timeout must be more than 0, not 0"),
        (["--baseline", "none.json"], "none.json: there is no such file; '--write-baseline FILE' writes one"),
        (
            ["--explain", "route.delivered"],
            "there is no rule 'route.delivered'; did you mean route.not-delivered?",
        ),
        (["--fail-on", "info"], "argument --fail-on: invalid choice: 'info'"),
    ],
)
def test_wrong_usage_is_one_line_and_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    base().write(Path())
    assert drift(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"gco-conformance: {said}")
    assert err.count("\n") == 1


def test_several_formats_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    broken(LOST).write(Path())
    assert drift("--format", "github", "--format", "sarif:drift.sarif", "--format", "junit:drift.xml") == 1
    assert capsys.readouterr().out.startswith("::error file=docs/openapi/orders.json,line=73,col=5,")
    assert json.loads(Path("drift.sarif").read_text())["version"] == "2.1.0"
    assert Path("drift.xml").read_text().startswith("<?xml")


def test_a_format_to_a_file_leaves_text_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    broken(LOST).write(Path())
    assert drift("--format", "json:drift.json") == 1
    assert "[route.not-delivered]" in capsys.readouterr().out
    assert json.loads(Path("drift.json").read_text())["summary"]["errors"] == 1


def test_a_file_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    base().write(Path())
    assert drift("--format", "json:nowhere/drift.json") == 2
    assert capsys.readouterr().err == (
        "gco-conformance: nowhere/drift.json can't be written: No such file or directory\n"
    )


def test_another_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    base().write(Path())
    Path("gateway-composition.yaml").rename("other.yaml")
    assert drift("--config", "other.yaml") == 0
    assert capsys.readouterr().err == ""


def test_a_manifest_and_services_on_the_command_line_need_no_configuration() -> None:
    files = dict(checkout(["/jobs jobs", "/ web"], {"jobs": service("/jobs"), "web": service("/", "/jobs")}).files)
    del files["gateway-composition.yaml"]
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(text)
    services = ["--service", "jobs=services/jobs.json", "--service", "web=services/web.json"]
    assert drift("--manifest", "gateway.yaml", *services) == 1


def test_a_baseline_leaves_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    broken(LOST).write(Path())
    assert drift("--write-baseline", "known.json") == 0
    assert capsys.readouterr().out == "known.json: 1 findings written\n"
    assert drift("--baseline", "known.json") == 0
    assert "1 in the baseline" in capsys.readouterr().out

    # Lines move, and a second path is lost: only that one is new.
    orders = json.loads(Path("docs/openapi/orders.json").read_text())
    orders["info"]["description"] = "Moves all lines."
    orders["paths"]["/lost"] = orders["paths"]["/api/orders"]
    Path("docs/openapi/orders.json").write_text(json.dumps(orders, indent=4))
    assert drift("--baseline", "known.json") == 1
    out, _ = capsys.readouterr()
    assert "/lost" in out
    assert "/api/reports" not in out


def test_a_baseline_that_is_outdated_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    broken(LOST).write(Path())
    drift("--write-baseline", "known.json")
    base().write(Path())
    capsys.readouterr()
    assert drift("--baseline", "known.json") == 0
    assert "1 of the baseline are found no more" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": "x"}', '{"schema": "gco-conformance-drift-baseline/1", "findings": [1]}']
)
def test_what_is_no_baseline_is_one_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    base().write(Path())
    Path("known.json").write_text(text)
    assert drift("--baseline", "known.json") == 2
    err = capsys.readouterr().err
    assert err.startswith("gco-conformance: known.json")
    assert err.count("\n") == 1


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_explains_itself(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert drift("--explain", rule) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{rule} ({RULES[rule].severity.value})\n{RULES[rule].title}\n")
    assert "What a client sees:" in text
    assert "The smallest mend:" in text
    if rule.startswith("alb."):
        assert "Where this is from:\n  https://" in text


def test_explain_alone_lists_all_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert drift("--explain") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(RULES)


def test_suppressions_are_narrowed_by_all_that_they_name(tmp_path: Path) -> None:
    def with_suppression(more: str) -> list[str]:
        text = f"drift: {{suppressions: [{{rule: {LOST}, reason: known{more}}}]}}\n"
        services = {"jobs": service("/jobs", "/lost"), "web": service("/")}
        return rules(gated(checkout(["/jobs jobs", "/ web"], services, text), tmp_path / "checkout").findings)

    for fitting in ("", ", path: /lost", ", service: jobs", ", file: services/jobs.json", ", expires: 2026-01-01"):
        assert with_suppression(fitting) == []
    for other in (", path: /jobs", ", service: web", ", file: services/web.json"):
        assert with_suppression(other) == ["suppression.unmatched", LOST]
    assert with_suppression(", expires: 2025-12-31") == ["suppression.expired", LOST]


def test_a_suppression_of_a_rule_that_does_not_exist_is_found(tmp_path: Path) -> None:
    text = "drift: {suppressions: [{rule: no.rule, reason: known}]}\n"
    files = checkout(["/ web"], {"web": service("/")}, text)
    assert rules(gated(files, tmp_path / "checkout").findings) == ["suppression.unmatched"]


def test_text_that_a_terminal_cannot_show_is_no_traceback() -> None:
    files = checkout(["/ web"], {"jobs": service("/jö\ud800bs"), "web": service("/")})
    files.write(Path())
    command = [sys.executable, "-m", "gco_conformance", "drift", "."]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 1
    assert done.stderr == b""


def test_nothing_that_is_slow_to_load_is_loaded(tmp_path: Path) -> None:
    base().write(tmp_path)
    slow = ["pytest", "hypothesis", "jsonschema", "openapi_spec_validator", "rich", "urllib.request", "boto3"]
    script = (
        "import sys\nfrom gco_conformance.cli import main\n"
        f"assert main(['drift', {str(tmp_path)!r}]) == 0\n"
        f"assert not sys.modules.keys() & {slow}\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
