"""The written cases are sound data: well formed, and able to catch what they say they catch."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files

from jsonschema import Draft202012Validator

from gco_conformance.checkouts.case import checks
from gco_conformance.checkouts.checkout import CONFIGURATION
from gco_conformance.requirements import load
from gco_fixtures import composer_cases

SCHEMA = json.loads((files("gco_fixtures") / "composer" / "case.schema.json").read_text(encoding="utf-8"))


def test_cases_have_the_published_form() -> None:
    validator = Draft202012Validator(SCHEMA)
    assert [
        f"{case.name}: {error.json_path}: {error.message}"
        for case in composer_cases()
        for error in validator.iter_errors(case.about)
    ] == []


def test_no_two_checks_have_the_same_id() -> None:
    assert [name for name, times in Counter(check.id for check in checks()).items() if times > 1] == []


def test_checks_name_requirements_of_the_catalogue() -> None:
    assert [check.id for check in checks() if check.requirement not in load()] == []


def test_no_service_has_all_paths_of_a_control_so_that_no_copy_of_a_document_passes_for_it() -> None:
    assert [
        check.id
        for check in checks()
        if any(set(check.composes) <= document["paths"].keys() for document in check.twin.services().values())
    ] == []


def test_what_may_be_refused_has_a_twin_that_may_not() -> None:
    assert [check.id for check in checks() if check.refusal and check.twin == check.checkout] == []


def test_a_case_is_a_complete_checkout() -> None:
    assert [
        case.name for case in composer_cases() if not {CONFIGURATION, "manifest.yaml"} <= case.files.keys()
    ] == []
