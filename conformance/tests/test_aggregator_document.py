"""The document of the global routes, and the checks that Schemathesis makes of it."""

from __future__ import annotations

import copy
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.function import Invocation
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.violation import NotTested
from gco_conformance.extras import missing
from gco_conformance.model import aggregation
from gco_conformance.sealed.namespaces import available
from gco_conformance.suite.described import document, judgement, request
from gco_conformance.suite.described.request import Standing
from gco_conformance.suite.described.sequence import Story
from gco_conformance.suite.property import generated
from gco_fixtures.global_api import global_document
from gco_fixtures.planting import plant

from .planted_in_answers import PLANTED
from .sealed_run import caller

EVERY = os.environ.get("GCO_EVERY_FAULT") == "1"
NO_SCHEMATHESIS = missing("schemathesis")
NOT_HERE = missing("aggregator") or NO_SCHEMATHESIS or available()
needs_schemathesis = pytest.mark.skipif(bool(NO_SCHEMATHESIS), reason=NO_SCHEMATHESIS)

PATH = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
DOWN = aggregation.REDACTED
JOB = {"metadata": {"name": "a", "namespace": "team-a"}}
HEALTH = {"status": "healthy", "cluster_id": "eu", "kubernetes_api": "healthy"}
DELETION = {"total_matched": 2, "deleted_count": 1, "failed_count": 1}
ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "jobs": ("Jobs", aggregation.jobs({"eu-west-1": {"jobs": [JOB], "total": 7}, "us-east-1": "HTTP 502"})),
    "jobs-of-nobody": ("Jobs", aggregation.jobs({})),
    "status": ("Status", aggregation.status({"eu-west-1": {"cluster_id": "eu"}, "us-east-1": DOWN})),
    "status-of-nobody": ("Status", aggregation.status({})),
    "health": ("Health", aggregation.health({"eu-west-1": HEALTH, "us-east-1": DOWN})),
    "health-of-nobody": ("Health", aggregation.health({})),
    "silent-health": ("Health", aggregation.health({"eu-west-1": {}})),
    "deletion": ("Deletion", aggregation.deletion({"eu-west-1": DELETION, "us-east-1": DOWN})),
    "deletion-of-nobody": ("Deletion", aggregation.deletion({})),
}


def is_described(schema: str, value: Any) -> bool:
    whole = {"$ref": f"#/components/schemas/{schema}", "components": global_document()["components"]}
    return Draft202012Validator(whole).is_valid(value)


def test_the_document_is_valid() -> None:
    validate(copy.deepcopy(global_document()))


def test_every_component_is_used() -> None:
    text = json.dumps(global_document())
    components = global_document()["components"]
    named = [f"#/components/{kind}/{name}" for kind, entries in components.items() for name in entries]
    assert [name for name in named if f'"{name}"' not in text] == []


@pytest.mark.parametrize(("schema", "body"), ANSWERS.values(), ids=ANSWERS.keys())
def test_what_the_contract_answers_is_described(schema: str, body: dict[str, Any]) -> None:
    assert is_described(schema, body)


@pytest.mark.parametrize(("schema", "body"), ANSWERS.values(), ids=ANSWERS.keys())
def test_every_member_of_an_answer_has_to_be_there(schema: str, body: dict[str, Any]) -> None:
    lacking = list(without_one_member(body))
    assert lacking != []
    assert [place for place, value in lacking if is_described(schema, value)] == []


@pytest.mark.parametrize(("schema", "body"), ANSWERS.values(), ids=ANSWERS.keys())
def test_every_count_is_a_number_that_counts(schema: str, body: dict[str, Any]) -> None:
    for wrong in ("1", -1, 1.5, True, None):
        odd = list(with_other_counts(body, wrong))
        assert odd != []
        assert [place for place, value in odd if is_described(schema, value)] == []


@pytest.mark.parametrize(
    "schema", ["RegionError", "UnreachableRegion", "NotFound", "Unavailable", "InternalError"]
)
def test_what_must_tell_no_more_has_no_other_member(schema: str) -> None:
    texts = {"RegionError": DOWN, "UnreachableRegion": DOWN, "NotFound": "Not found"}
    texts |= {"Unavailable": aggregation.UNAVAILABLE, "InternalError": "Internal server error"}
    whole = {"region": "eu-west-1", "status": "unreachable", "path": "/", "error": texts[schema]}
    required = global_document()["components"]["schemas"][schema]["required"]
    body = {name: whole[name] for name in required}
    assert is_described(schema, body)
    assert not is_described(schema, {**body, "detail": "abc123.execute-api.eu-west-1.amazonaws.com"})
    assert not is_described(schema, {**body, "error": "connection refused"})


def test_answers_may_have_further_members() -> None:
    _, body = ANSWERS["jobs"]
    assert is_described("Jobs", {**body, "truncated": True, "took": 0.3})
    assert not is_described("Jobs", {**body, "truncated": "yes"})


def without_one_member(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The value as often as there are members in it, but for those that a job is made of, each time less one."""
    if isinstance(value, dict):
        for name in value:
            if name != "metadata":
                yield f"{place}/{name}", {key: each for key, each in value.items() if key != name}
                for inner, changed in without_one_member(value[name], f"{place}/{name}"):
                    yield inner, {**value, name: changed}
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            for inner, changed in without_one_member(entry, f"{place}/{index}"):
                yield inner, [*value[:index], changed, *value[index + 1 :]]


def with_other_counts(value: Any, wrong: object, place: str = "") -> Iterator[tuple[str, Any]]:
    """The value as often as there are numbers in it, each time with one of them replaced."""
    if type(value) is int:
        yield place, wrong
    elif isinstance(value, dict):
        for name, entry in value.items():
            for inner, changed in with_other_counts(entry, wrong, f"{place}/{name}"):
                yield inner, {**value, name: changed}
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            for inner, changed in with_other_counts(entry, wrong, f"{place}/{index}"):
                yield inner, [*value[:index], changed, *value[index + 1 :]]


@pytest.mark.parametrize(
    ("standing", "limits"),
    [
        (Standing.RIGHT, ["1", "50", "500", "501", "1000"]),
        (Standing.WRONG, ["0", "-1", "1001", "9" * 5000, "abc", "true", "null", "5 0", "[1]"]),
        (Standing.DOUBTFUL, ["", " ", "+5", " 5", "1.0", "1e2", "05", "5_0", "\u0665", "nan"]),
    ],
    ids=["right", "wrong", "doubtful"],
)
def test_what_a_limit_is_taken_for(standing: Standing, limits: list[str]) -> None:
    assert {limit: request.of_query({"limit": limit}) for limit in limits} == dict.fromkeys(limits, standing)


def test_a_parameter_that_nobody_knows_is_doubtful() -> None:
    assert request.of_query({"namespace": "", "status": "x"}) is Standing.RIGHT
    assert request.of_query({"page": "2"}) is Standing.DOUBTFUL


@pytest.mark.parametrize(
    ("standing", "bodies"),
    [
        (
            Standing.RIGHT,
            ["{}", '{"dry_run": false, "older_than_days": 365}', '{"namespace": "a", "status": "b"}'],
        ),
        (Standing.WRONG, ["[]", "null", "{", "\x00", '{"older_than_days": 0}', '{"older_than_days": 1.5}']),
        (Standing.WRONG, ['{"dry_run": "false"}', '{"days": 3}', '{"status": 5, "namespace": null}']),
        (Standing.DOUBTFUL, ['{"namespace": null}', '{"status": ""}', '{"older_than_days": 30.0}']),
    ],
    ids=["right", "wrong", "wrongly-typed", "doubtful"],
)
def test_what_a_body_is_taken_for(standing: Standing, bodies: list[str]) -> None:
    assert {body: request.of_body(body) for body in bodies} == dict.fromkeys(bodies, standing)


def reply(payload: Any, event: str = "a", error: str = "") -> Reply:
    return Reply({"path": event}, Invocation(Ending.EXITED, payload, error, 0.1), ())


def test_what_api_gateway_can_pass_on() -> None:
    results: list[Any] = [{"statusCode": 200, "body": "{}"}, {"statusCode": 503, "headers": None, "body": ""}]
    others: list[Any] = [None, [], "200", {}, {"statusCode": "200", "body": "{}"}, {"statusCode": 200, "body": {}}]
    others += [{"statusCode": True, "body": ""}, {"statusCode": 0, "body": ""}, {"statusCode": 200}]
    assert all(judgement.is_proxy_result(reply(payload)) for payload in results)
    assert not any(judgement.is_proxy_result(reply(payload)) for payload in others)


def test_a_story_contradicts_itself_by_the_same_event() -> None:
    def answered(body: str, event: str) -> Reply:
        return reply({"statusCode": 200, "body": body}, event)

    first, other, again = answered('{"n": 1}', "a"), answered('{"n": 2}', "b"), answered('{ "n": 1}', "a")
    changed, crashed = answered('{"n": 3}', "a"), reply(None, "b", "exited")
    assert Story([first, other, again]).contradiction() is None
    assert Story([first, other, again, changed]).contradiction() == (first, changed)
    assert Story([first, other, crashed]).contradiction() == (other, crashed)
    assert Story([first, other]).reproduction.count("printf") == 2


def test_without_schemathesis_a_check_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gco_conformance.extras.MODULES", {"schemathesis": ("no_such_module",)})
    with pytest.raises(NotTested, match=r"pip install 'gco-conformance\[schemathesis\]'"):
        document.described()


@needs_schemathesis
@pytest.mark.parametrize("wrong", [False, True], ids=["right", "wrong"])
def test_a_seed_gives_the_same_requests_again(wrong: bool) -> None:
    def events(seed: int) -> list[str]:
        made = document.Described().requests(document.LIST, seed, 8, wrong=wrong)
        return [repr(each) for each in generated(made, seed, 8)]

    assert events(1) == events(1)
    assert events(1) != events(2)
    assert len(set(events(1))) > 4


@needs_schemathesis
def test_requests_of_core_keep_to_limits_that_both_levels_know() -> None:
    def limits(known: document.Described) -> list[int]:
        queries = [
            each.event["queryStringParameters"] for each in generated(known.requests(document.LIST, 0, 40), 0, 40)
        ]
        return [int(query["limit"]) for query in queries if query and "limit" in query]

    assert 0 < max(limits(document.Described())) <= document.CORE_LIMIT
    assert max(limits(document.Described(1000))) > document.CORE_LIMIT


@contextmanager
def checking(folder: Path) -> Iterator[Any]:
    """A function that runs checks on a copy of the reference and gives what was found, by check."""
    with (
        (folder / "said").open("w+", encoding="utf-8") as said,
        caller("tests.document_checks:main", stderr=said, environment={"PYTHONPATH": PATH}) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None

        def found(name: str, changes: Any, checks: list[str], seed: int = 0) -> dict[str, list[str]]:
            assert process.stdin is not None
            assert process.stdout is not None
            with tempfile.TemporaryDirectory(dir=folder) as copy_:
                plant(name, changes, Path(copy_))
                process.stdin.write(json.dumps({"folder": copy_, "checks": checks, "seed": seed}) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            assert line, Path(said.name).read_text("utf-8")
            answers: dict[str, list[str]] = json.loads(line)
            return answers

        yield found


@pytest.mark.skipif(bool(NOT_HERE), reason=NOT_HERE)
def test_each_fault_is_found_by_its_check_and_the_reference_has_none(tmp_path: Path) -> None:
    with checking(tmp_path) as found:
        assert found("sound", (), []) == {}
        missed = {}
        for planted in (each for each in PLANTED if EVERY or not each.thorough):
            outcome, said, again = found(planted.name, (planted.change,), [planted.check]).get(
                planted.check, ("passed", "", "")
            )
            if outcome != "failed" or planted.says not in said or "printf" not in again:
                missed[planted.name] = f"{outcome}: {said}"
    assert missed == {}
