"""The written cases are sound data: well formed, and able to catch what they say they catch."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from gco_conformance.checkouts.case import Check, checks
from gco_conformance.checkouts.checkout import CONFIGURATION
from gco_conformance.requirements import load
from gco_fixtures import ComposerCase, composer_cases

SCHEMA = json.loads((files("gco_fixtures") / "composer" / "case.schema.json").read_text(encoding="utf-8"))
CASES = [pytest.param(case, id=case.name) for case in composer_cases()]
CHECKS = [pytest.param(check, id=check.id) for check in checks()]


@pytest.mark.parametrize("case", CASES)
def test_a_case_has_the_published_form(case: ComposerCase) -> None:
    errors = [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(SCHEMA).iter_errors(case.about)
    ]
    assert errors == []


def test_no_two_checks_have_the_same_id() -> None:
    ids = [check.id for check in checks()]
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_names_a_requirement_of_the_catalogue(check: Check) -> None:
    assert check.requirement in load()


@pytest.mark.parametrize("check", CHECKS)
def test_a_twin_has_more_than_one_service_so_that_no_copy_of_a_document_passes_for_it(check: Check) -> None:
    documents = check.twin.services().values()
    covering = [document for document in documents if set(check.composes) <= document["paths"].keys()]
    assert not covering, "one service's own document has all the paths of the positive control"


@pytest.mark.parametrize("check", [pytest.param(c, id=c.id) for c in checks() if c.refusal is not None])
def test_what_may_be_refused_has_a_twin_that_may_not(check: Check) -> None:
    assert check.twin != check.checkout


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_a_complete_checkout(case: ComposerCase) -> None:
    assert {CONFIGURATION, "manifest.yaml"} <= case.files.keys()
