"""The descriptions of broken composers and aggregators are sound data."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft202012Validator

from gco_conformance.requirements import load
from gco_fixtures.broken import PlantedFault, broken_aggregators, broken_composers, fault_files

BROKEN = {"composer": broken_composers(), "aggregator": broken_aggregators()}
of_each_kind = pytest.mark.parametrize(("component", "faults"), BROKEN.items(), ids=BROKEN.keys())


@of_each_kind
def test_they_name_requirements_of_the_catalogue(component: str, faults: list[PlantedFault]) -> None:
    named = {id for fault in faults for id in (fault.requirement, *fault.consequences, *fault.perhaps)}
    assert named - {requirement.id for requirement in load().select(component=component)} == set()


@of_each_kind
def test_no_two_have_the_same_name(component: str, faults: list[PlantedFault]) -> None:
    names = Counter(fault.name for fault in faults)
    assert [name for name, times in names.items() if times > 1] == [], component


@pytest.mark.parametrize("component", BROKEN)
def test_files_have_the_published_form(component: str) -> None:
    schema = files("gco_fixtures") / "broken.schema.json"
    validator = Draft202012Validator(json.loads(schema.read_text("utf-8")))
    assert [
        f"{file.name}: {error.json_path}: {error.message}"
        for file in fault_files(component)
        for error in validator.iter_errors(yaml.safe_load(file.read_text("utf-8")))
    ] == []
