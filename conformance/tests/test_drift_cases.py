"""Each broken checkout is found with the right rule at the right place, and nothing else is; its twin is clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.drift.rules import RULES
from gco_fixtures.drift import DriftCase, drift_base, drift_cases

from .drift_checkout import as_edits, edited, gated

every_case = pytest.mark.parametrize("case", drift_cases(), ids=lambda case: case.name)


def test_the_base_is_clean(tmp_path: Path) -> None:
    report = gated(Checkout.of(drift_base()), tmp_path)
    assert report.findings == ()
    assert report.problems == ()


def test_every_rule_has_a_case_of_its_name() -> None:
    assert RULES.keys() <= {case.name for case in drift_cases()}


@every_case
def test_a_case_is_about_the_rule_of_its_name(case: DriftCase) -> None:
    assert any(case.name.startswith(found["rule"]) for found in case.about["found"])


@every_case
def test_the_broken_checkout_is_found_and_nothing_else(case: DriftCase, tmp_path: Path) -> None:
    report = gated(edited(case), tmp_path)
    assert report.problems == ()
    places = {
        (finding.rule.id, finding.place.file, finding.place.line, finding.place.column, finding.place.pointer)
        for finding in report.findings
    }
    assert places == {
        (found["rule"], found["file"], found["line"], found["column"], found.get("pointer", ""))
        for found in case.about["found"]
    }
    assert len(report.findings) == len(case.about["found"])


@every_case
def test_the_place_is_where_the_case_says_that_its_text_stands(case: DriftCase) -> None:
    files = dict(edited(case).files)
    for found in case.about["found"]:
        line = files[found["file"]].decode().splitlines()[found["line"] - 1]
        assert line[found["column"] - 1 :].startswith(found["text"])


@every_case
def test_the_finding_says_what_it_must(case: DriftCase, tmp_path: Path) -> None:
    findings = {finding.rule.id: finding for finding in gated(edited(case), tmp_path).findings}
    for found in case.about["found"]:
        finding = findings[found["rule"]]
        assert found.get("message", "") in finding.message
        assert finding.client
        assert finding.mend
        if "changes" in found:
            assert [
                {"operation": change.operation, "what": change.what, "breaking": change.breaking}
                for change in finding.changes
            ] == found["changes"]


@every_case
def test_the_mended_twin_is_clean(case: DriftCase, tmp_path: Path) -> None:
    report = gated(edited(case).edited(as_edits(case.about["mended"])), tmp_path)
    assert [f"{finding.place} {finding.rule.id}: {finding.message}" for finding in report.findings] == []
    assert report.problems == ()
    assert report.exit_status == 0
