"""The JSON report keeps to its published schema, whatever an implementation printed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from gco_conformance.report.json_writer import to_json
from gco_conformance.report.model import Report

from .report_samples import every_shape, failed, passed, report, reports, requirement, skipped

SCHEMA = json.loads(
    resources.files("gco_conformance.report").joinpath("schemas/report-1.schema.json").read_text("utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def objects(schema: object) -> Iterator[dict[str, Any]]:
    """Every schema of an object within `schema`."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)


def test_the_schema_is_closed_and_describes_every_field() -> None:
    found = list(objects(SCHEMA))
    assert found
    for schema in found:
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"])
        for name, field in schema["properties"].items():
            assert field.get("description"), name


@every_shape
@given(reports())
def test_every_report_keeps_to_the_schema_in_text_that_any_parser_reads(any_report: Report) -> None:
    text = to_json(any_report)
    assert text.isascii()
    document = json.loads(text)
    VALIDATOR.validate(document)
    json.dumps(document, ensure_ascii=False).encode("utf-8")  # a lone surrogate would not encode


@pytest.mark.parametrize(
    "change",
    [{"extra": 1}, {"schema": "gco-conformance-report/2"}, {"requirements": {}}, {"errors": [1]}],
)
def test_the_schema_refuses_another_shape(change: dict[str, object]) -> None:
    document = json.loads(to_json(report(requirement(passed()))))
    assert not VALIDATOR.is_valid(document | change)


def test_the_version_of_the_format_comes_first() -> None:
    assert next(iter(json.loads(to_json(report())))) == "schema"


def test_a_requirement_is_found_with_its_checks_and_all_that_they_tell() -> None:
    check = dataclasses.replace(
        failed("routing-order/last"),
        expected="beta",
        actual="alpha",
        reproduction="mkdir x\ncd x\n",
        command="gco-conformance run --requirement composer.routing.longest-prefix",
        why="clients of beta get 404",
        location="routing-order/case.yaml",
    )
    document = json.loads(to_json(report(requirement(passed("routing-order/first"), check))))
    [found] = document["requirements"]
    assert (found["id"], found["outcome"]) == ("composer.routing.longest-prefix", "failed")
    assert found["checks"][1] == {
        "id": "routing-order/last",
        "outcome": "failed",
        "seconds": 0.25,
        "message": "it went to alpha",
        "expected": "beta",
        "actual": "alpha",
        "reproduction": "mkdir x\ncd x\n",
        "command": "gco-conformance run --requirement composer.routing.longest-prefix",
        "why": "clients of beta get 404",
        "location": "routing-order/case.yaml",
    }


def test_the_verdict_and_the_seed_are_there() -> None:
    document = json.loads(to_json(report(requirement(failed()), requirement(skipped(), id="a.b.c"), seed=7)))
    assert document["verdict"]["exit_status"] == 1
    assert document["summary"]["failed"] == 1
    assert document["summary"]["not-tested"] == 1
    assert document["run"]["seed"] == 7


def test_equal_reports_give_equal_text() -> None:
    assert to_json(report(requirement(passed()))) == to_json(report(requirement(passed())))


def test_undecodable_output_is_marked() -> None:
    document = json.loads(to_json(report(requirement(failed(message="byte \udcff here")))))
    assert document["requirements"][0]["checks"][0]["message"] == "byte \ufffd here"
