"""Every format tells the same findings and the same verdict, in the form that its readers expect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from gco_conformance.drift.finding import Finding, Related, Severity, Subject
from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem
from gco_conformance.drift.report import Checked, Report, Suppressed
from gco_conformance.drift.rules import RULES
from gco_conformance.drift.writers import FORMATS, write
from gco_fixtures.drift import drift_cases

from .drift_checkout import edited, gated

ODD = "a <b> & | [c](d), 100% `e` \x07 é\nnext: line"
FINDING = Finding(
    RULES["route.not-delivered"],
    Subject("/jobs", "jobs", "shop/routes"),
    Place("docs/a b,c:d.json", 3, 5, "/paths/~1jobs"),
    ODD,
    ODD,
    ODD,
    (Related(Place("gateway.yaml", 7, 9), ODD),),
)
WARNING = replace(FINDING, rule=RULES["rule.dead"], place=Place("gateway.yaml", 7, 9))
CHECKED = Checked(services=2, paths=10, rules=1)
CLEAN = Report((), (), CHECKED)
FULL = Report(
    findings=(FINDING, WARNING, replace(WARNING, place=Place("<stdin>"))),
    problems=(Problem(Place("https://jobs.example/openapi.json"), ODD, "remedy"),),
    checked=CHECKED,
    suppressed=(Suppressed(WARNING, ODD),),
    known=(WARNING,),
    gone=2,
    directory="file:///work/",
)
REPORTS = {
    "clean": CLEAN,
    "warnings": Report((WARNING,), (), CHECKED),
    "warnings that count": Report((WARNING,), (), CHECKED, fail_on=Severity.WARNING),
    "errors": Report((FINDING, WARNING), (), CHECKED),
    "problems": replace(CLEAN, problems=FULL.problems),
    "everything": FULL,
}
every_report = pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """One report with the findings of every case."""
    folder = tmp_path_factory.mktemp("cases")
    reports = [gated(edited(case), folder / case.name) for case in drift_cases()]
    return replace(FULL, findings=tuple(finding for report in reports for finding in report.findings), problems=())


def test_exit_status_says_what_counts() -> None:
    statuses = {name: report.exit_status for name, report in REPORTS.items()}
    assert statuses == {
        "clean": 0,
        "warnings": 0,
        "warnings that count": 1,
        "errors": 1,
        "problems": 2,
        "everything": 2,
    }


@every_report
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_text_that_ends_with_one_newline(form: str, report: Report) -> None:
    text = write(report, form)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def parsed(report: Report, form: str = "json") -> Any:
    return json.loads(write(report, form))


@every_report
def test_json_keeps_to_its_schema(report: Report) -> None:
    schema = json.loads((files("gco_conformance.drift") / "schemas" / "drift-1.schema.json").read_text())
    jsonschema.validate(parsed(report), schema)


def test_json_of_real_findings_keeps_to_its_schema(found: Report) -> None:
    schema = json.loads((files("gco_conformance.drift") / "schemas" / "drift-1.schema.json").read_text())
    document = parsed(found)
    jsonschema.validate(document, schema)
    assert {finding["rule"] for finding in document["findings"]} == set(RULES)


def results(report: Report) -> list[str]:
    """What a reader of JUnit XML sees of each test case."""
    suite = ElementTree.fromstring(write(report, "junit"))[0]
    kinds = [child[0].tag if len(child) else "passed" for child in suite]
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
    }
    return kinds


@every_report
def test_junit_comes_to_the_same_verdict(report: Report) -> None:
    kinds = results(report)
    assert (2 if "error" in kinds else int("failure" in kinds)) == report.exit_status


def test_junit_has_a_passed_test_for_each_rule_that_holds() -> None:
    assert results(CLEAN) == ["passed"] * len(RULES)


def test_junit_names_rule_file_and_line() -> None:
    suite = ElementTree.fromstring(write(FULL, "junit"))[0]
    [case] = [case for case in suite if case.get("classname") == "drift.route.not-delivered"]
    assert (case.get("file"), case.get("line")) == ("docs/a b,c:d.json", "3")


def commands(report: Report) -> Iterator[tuple[str, dict[str, str], str]]:
    """Workflow commands as GitHub's runner takes them apart."""
    for line in write(report, "github").splitlines():
        match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
        if match:
            properties = dict(entry.split("=", 1) for entry in match[2].split(","))
            yield match[1], {key: _unescaped(value) for key, value in properties.items()}, _unescaped(match[3])


def _unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def test_github_puts_each_finding_on_its_line() -> None:
    (level, properties, message), (second, _, _), (_, piped, _), (problem, place, _) = commands(FULL)
    assert (level, second, problem) == ("error", "warning", "error")
    assert properties == {
        "file": "docs/a b,c:d.json",
        "line": "3",
        "col": "5",
        "title": "route.not-delivered",
    }
    assert message.startswith(f"{ODD}\nClient: {ODD}\nMend: {ODD}\n")
    assert piped == {"file": "<stdin>", "title": "rule.dead"}
    assert place["file"] == "https://jobs.example/openapi.json"


def test_sarif_has_what_code_scanning_asks_for(found: Report) -> None:
    document = parsed(found, "sarif")
    assert (document["version"], document["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    [run] = document["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert ids == list(RULES)
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["fullDescription"]["text"]
        assert rule["help"]["text"]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        assert result["message"]["text"]
        assert result["partialFingerprints"].keys() == {"gcoDrift/v1"}
        for location in (*result["locations"], *result["relatedLocations"]):
            region = location["physicalLocation"]["region"]
            assert region["startLine"] >= 1
            assert region["startColumn"] >= 1
            assert " " not in location["physicalLocation"]["artifactLocation"]["uri"]


def test_sarif_tells_suppressions_and_what_was_not_readable() -> None:
    [run] = parsed(FULL, "sarif")["runs"]
    assert [result["suppressions"] for result in run["results"] if "suppressions" in result] == [
        [{"kind": "external", "justification": ODD}]
    ]
    [invocation] = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    [notification] = invocation["toolExecutionNotifications"]
    assert notification["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "https://jobs.example/openapi.json"
    }


def test_sarif_places_are_relative_to_the_working_directory() -> None:
    [run] = parsed(FULL, "sarif")["runs"]
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": "file:///work/"}}
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "docs/a%20b%2Cc%3Ad.json",
        "uriBaseId": "%SRCROOT%",
    }


def test_markdown_shows_text_and_makes_nothing_of_it() -> None:
    row = next(line for line in write(FULL, "md").splitlines() if line.startswith("| error"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 6
    assert r"a \<b\> & \| \[c\](d), 100% \`e\`" in row


def test_markdown_lists_breaking_changes(tmp_path: Path) -> None:
    [case] = [case for case in drift_cases() if case.name == "document.stale"]
    text = write(gated(edited(case), tmp_path), "md")
    assert "- **breaking** GET /api/orders/{order\\_id} is documented, and isn't delivered" in text


def test_text_reads_as_compilers_write(tmp_path: Path) -> None:
    [case] = [case for case in drift_cases() if case.name == "route.not-delivered"]
    assert write(gated(edited(case), tmp_path), "text") == (
        "docs/openapi/orders.json:73:5: error: GET /api/reports/{month} of orders never arrives: "
        "the catch-all rule / gives it to web [route.not-delivered]\n"
        "    at:     /paths/~1api~1reports~1{month}\n"
        "    client: 404 from web, which has no such path\n"
        "    mend:   add the rule - {matches: [{path: {type: PathPrefix, value: /api/reports}}], "
        "backendRefs: [{name: orders, port: 80}]} to HTTPRoute shop/shop-routes before "
        "manifests/gateway.yaml:44:7\n"
        "    see:    manifests/gateway.yaml:44:50 the catch-all rule / takes it\n"
        "\n"
        "1 error, 0 warnings (4 services, 12 paths and 3 rules compared)\n"
    )
