"""Answers of the wrong shape, and JSON that isn't quite JSON: the aggregator contract's section 5, isolation.

Each wrong answer comes from a region that is named for it, so that one invocation meets them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault
from gco_conformance.world.regional import HEALTH, JOBS, STATUS

GOOD = "eu-west-1"
LARGEST = 2**53 - 1
RIGHT: dict[str, Any] = {
    JOBS: {"jobs": [{"metadata": {"name": "a", "uid": "1"}}], "count": 1, "total": 1},
    STATUS: {"cluster_id": "eu", "templates_count": 3, "webhooks_count": 2},
    HEALTH: {"status": "healthy", "cluster_id": "eu", "kubernetes_api": "healthy"},
    "deletion": {"total_matched": 3, "deleted_count": 3, "failed_count": 0},
}

SUMS: dict[str, tuple[str, ...]] = {
    JOBS: ("total", "count"),
    STATUS: ("regions_successful",),
    HEALTH: ("healthy_regions",),
    "deletion": ("total_matched", "total_deleted"),
}


def regions_of(wrong: Mapping[str, WireFault]) -> tuple[str, ...]:
    """The regions of a world in which each of `wrong` has a region."""
    return (*(f"us-{name}-1" for name in wrong), GOOD)


def answer(aws: Stage, route: str, wrong: Mapping[str, WireFault]) -> Reply:
    """What a route answers where every region would be right but for its fault."""
    aws.works()
    method, path = ("DELETE", JOBS) if route == "deletion" else ("GET", route)
    for region in regions_of(wrong):
        aws.region(region).answers(path, json=RIGHT[route], method=method)
    for name, fault in wrong.items():
        aws.region(f"us-{name}-1").fails(fault)
    if route == "deletion":
        return aws.delete("/api/v1/global/jobs", {"dry_run": False})
    return aws.get(path.replace("/v1/", "/v1/global/"))


def merged(route: str, answers: Mapping[str, Any]) -> dict[str, Any]:
    match route:
        case "deletion":
            return aggregation.deletion(answers, dry_run=False)
        case _:
            model = {JOBS: aggregation.jobs, STATUS: aggregation.status, HEALTH: aggregation.health}[route]
            return model(answers)


def all_fail(stages: Stages, route: str, wrong: Mapping[str, WireFault]) -> None:
    """Every region with a fault is a failed region, once, and changes nothing of the good one's answer."""
    with stages.open(*regions_of(wrong)) as aws:
        reply = answer(aws, route, wrong)
        failed = dict.fromkeys((f"us-{name}-1" for name in wrong), aggregation.REDACTED)
        expected = merged(route, {**failed, GOOD: RIGHT[route]})
        reply.accounts_for(expected)
        reply.agrees(expected, *SUMS[route])


COUNTS = {
    "null": "null",
    "text": '"3"',
    "negative": "-1",
    "true": "true",
    "false": "false",
    "fraction": "1.5",
    "list": "[]",
    "object": "{}",
    "absurd": str(2**53 + 2),
    "huge": "1e300",
    "digits": "9" * 400,
}
COUNTED = [
    (JOBS, "total"),
    (JOBS, "count"),
    (STATUS, "templates_count"),
    (STATUS, "webhooks_count"),
    ("deletion", "total_matched"),
    ("deletion", "deleted_count"),
    ("deletion", "failed_count"),
]


@pytest.mark.requirement("aggregator.failure.shape")
@pytest.mark.parametrize(("route", "key"), COUNTED, ids=[key for _, key in COUNTED])
def test_a_count_that_is_none_fails_its_region(stages: Stages, route: str, key: str) -> None:
    """One region's odd total must neither turn the whole answer into a 500 nor be added up."""
    all_fail(stages, route, {name: faults.Member(key, text) for name, text in COUNTS.items()})


@pytest.mark.requirement("aggregator.failure.shape")
@pytest.mark.parametrize(("route", "key"), COUNTED, ids=[key for _, key in COUNTED])
def test_counts_at_the_edges_are_counts(stages: Stages, route: str, key: str) -> None:
    """Zero, and the largest number that every reader of JSON keeps, are right."""
    edges = {"zero": 0, "largest": LARGEST}
    with stages.open("us-zero-1", "us-largest-1") as aws:
        aws.works()
        answers = {f"us-{name}-1": {**RIGHT[route], key: value} for name, value in edges.items()}
        for region, body in answers.items():
            method, path = ("DELETE", JOBS) if route == "deletion" else ("GET", route)
            aws.region(region).answers(path, json=body, method=method)
        if route == "deletion":
            reply = aws.delete("/api/v1/global/jobs", {"dry_run": False})
        else:
            reply = aws.get(route.replace("/v1/", "/v1/global/"))
        reply.accounts_for(merged(route, answers))


LISTS = {
    "null": "null",
    "object": "{}",
    "text": '"none"',
    "number": "0",
    "texts": '["a"]',
    "nulls": "[null]",
    "lists": "[[]]",
    "mixed": '[{"metadata": {"name": "b"}}, 5]',
}


@pytest.mark.requirement("aggregator.failure.shape")
def test_jobs_that_are_no_list_of_objects(stages: Stages) -> None:
    """A region whose list can't be read as a whole isn't read in part: half a list looks like all of it."""
    all_fail(stages, JOBS, {name: faults.Member("jobs", text) for name, text in LISTS.items()})


@pytest.mark.requirement("aggregator.failure.shape")
def test_a_deletion_of_which_half_makes_sense(stages: Stages) -> None:
    """A region is either a result or an error: its matches must not count where its deletions don't."""
    half = {f"half-{key.split('_')[0]}": faults.Member(key, '"2"') for _, key in COUNTED[4:]}
    all_fail(stages, "deletion", half)


def is_isolated(reply: Reply, route: str, region: str) -> None:
    """The region is either a result or an error, once, and the good one's answer is as it should be."""
    body = reply.body if isinstance(reply.body, dict) else {}
    entries = body.get("regions") or body.get("region_summaries") or []
    errors = body.get("errors") or []
    found = [entry for entry in (*entries, *errors) if isinstance(entry, dict) and entry.get("region") == region]
    if route == JOBS:
        expected = [job["metadata"] for job in RIGHT[JOBS]["jobs"]]
        rows = [job["metadata"] for job in body.get("jobs", []) if job.get("metadata") in expected]
    else:
        expected = [RIGHT[route]["cluster_id"]]
        rows = [entry.get("cluster_id") for entry in entries if entry.get("region") == GOOD]
    if reply.status != 200 or len(found) != 1 or rows != expected:
        what = f"{region} once, as a result or as an error, beside {expected}"
        reply.fails(f"{region} isn't kept apart", what)


ODD: list[tuple[str, str, str]] = [
    (STATUS, "cluster_id", '{"id": 1}'),
    (STATUS, "resource_limits", "[1]"),
    (STATUS, "allowed_namespaces", '"all"'),
    (STATUS, "resource_limits", "null"),
    (HEALTH, "status", "null"),
    (HEALTH, "status", "[]"),
    (HEALTH, "status", '{"healthy": true}'),
    (HEALTH, "kubernetes_api", "[]"),
]


@pytest.mark.requirement("aggregator.failure.shape")
@pytest.mark.parametrize(("route", "key", "text"), ODD, ids=[f"{key}-{text}" for _, key, text in ODD])
def test_an_odd_field_hurts_nobody_else(stages: Stages, route: str, key: str, text: str) -> None:
    """What isn't counted may be passed on or refused, but not at the cost of the other regions."""
    with stages.open("us-odd-1", GOOD) as aws:
        is_isolated(answer(aws, route, {"odd": faults.Member(key, text)}), route, "us-odd-1")


NOT_NUMBERS = {"nan": "NaN", "infinity": "Infinity", "minus": "-Infinity"}
PLACES: dict[str, tuple[str, str, str]] = {
    "total": (JOBS, "total", "{}"),
    "in-a-job": (JOBS, "jobs", '[{{"metadata": {{"name": "b"}}, "cost": {}}}]'),
    "unread-member": (JOBS, "load", "{}"),
    "templates-count": (STATUS, "templates_count", "{}"),
    "in-the-limits": (STATUS, "resource_limits", '{{"gpu": {}}}'),
    "in-the-health": (HEALTH, "kubernetes_api", "{}"),
    "deleted-count": ("deletion", "deleted_count", "{}"),
}


@pytest.mark.requirement("aggregator.failure.json-strict")
@pytest.mark.parametrize(("route", "key", "form"), PLACES.values(), ids=PLACES.keys())
def test_what_is_no_number_fails_its_region(stages: Stages, route: str, key: str, form: str) -> None:
    """Passed on, a NaN makes the whole answer something that no strict parser reads."""
    wrong = {name: faults.Member(key, form.format(text)) for name, text in NOT_NUMBERS.items()}
    all_fail(stages, route, wrong)


UNREADABLE: dict[str, WireFault] = {
    **{name: faults.Member("kubernetes_api", text) for name, text in NOT_NUMBERS.items()},
    "unread": faults.Member("load", "NaN"),
    "deep": faults.DeepNesting(100_000),
}


@pytest.mark.requirement("aggregator.failure.json-strict")
@pytest.mark.parametrize("name", UNREADABLE)
def test_a_degraded_region_is_read_as_strictly(stages: Stages, name: str) -> None:
    """On the health path a 503 is read like a 200: what isn't JSON is no report."""
    with stages.open("us-east-1", GOOD) as aws:
        aws.works()
        for region, status in (("us-east-1", 503), (GOOD, 200)):
            aws.region(region).answers(HEALTH, status=status, json=RIGHT[HEALTH])
        aws.region("us-east-1").fails(UNREADABLE[name])
        reply = aws.get("/api/v1/global/health")
        error = reply.error_of("us-east-1", "HTTP 503", aggregation.REDACTED)
        reply.accounts_for(aggregation.health({"us-east-1": error, GOOD: RIGHT[HEALTH]}))


TWICE: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "jobs": (JOBS, {"total": ("total", "99"), "count": ("count", "99"), "jobs": ("jobs", "[]")}),
    "status": (STATUS, {"templates": ("templates_count", "99"), "webhooks": ("webhooks_count", "99")}),
    "deletion": (
        "deletion",
        {"matched": ("total_matched", "99"), "deleted": ("deleted_count", "0"), "failed": ("failed_count", "0")},
    ),
}


@pytest.mark.requirement("aggregator.failure.json-strict")
@pytest.mark.parametrize(("route", "doubled"), TWICE.values(), ids=TWICE.keys())
def test_a_count_that_is_said_twice(stages: Stages, route: str, doubled: Mapping[str, tuple[str, str]]) -> None:
    """Of two values for one key every parser picks its own: such an answer says nothing."""
    all_fail(stages, route, {name: faults.DuplicateMember(*member) for name, member in doubled.items()})


@pytest.mark.requirement("aggregator.failure.json-strict")
@pytest.mark.parametrize("route", [JOBS, STATUS, HEALTH], ids=["jobs", "status", "health"])
def test_over_deep_nesting_fails_its_region(stages: Stages, route: str) -> None:
    """A hundred thousand brackets are a small answer, and have brought down many a parser."""
    key = {JOBS: "jobs", STATUS: "resource_limits", HEALTH: "kubernetes_api"}[route]
    deep = {
        "deep": faults.DeepNesting(100_000),
        "open": faults.Member(key, "[" * 100_000),
        "objects": faults.Member("extra", '{"a":' * 50_000 + "1" + "}" * 50_000),
    }
    all_fail(stages, route, deep)


@pytest.mark.requirement("aggregator.failure.json-strict")
def test_ordinary_nesting_is_no_failure(stages: Stages) -> None:
    """A Kubernetes object is some ten levels deep."""
    nested: Any = "image"
    for _ in range(20):
        nested = {"spec": [nested]}
    answers = {"us-east-1": {"jobs": [{"metadata": {"name": "b"}, "spec": nested}]}, GOOD: RIGHT[JOBS]}
    with stages.open(*answers) as aws:
        for region, body in answers.items():
            aws.region(region).answers(JOBS, json=body)
        aws.get("/api/v1/global/jobs").agrees(aggregation.jobs(answers), "jobs.spec", "errors")


DOUBTFUL: dict[str, str] = {
    **{f"{depth}-levels": '[{"a": ' + "[" * depth + "]" * depth + "}]" for depth in (480, 900)},
    "1e999": '[{"cost": 1e999}]',
    "many-digits": '[{"cost": ' + "7" * 5000 + "}]",
    "half-a-surrogate": '[{"metadata": {"name": "\\ud800"}}]',
    "control-characters": '[{"metadata": {"name": "\\u0000\\u001f\\u2028"}}]',
    "key-twice-in-a-job": '[{"a": 1, "a": 2}]',
}


@pytest.mark.requirement("aggregator.failure.json-strict")
@pytest.mark.parametrize("text", DOUBTFUL.values(), ids=DOUBTFUL.keys())
def test_doubtful_json_never_spoils_the_answer(stages: Stages, text: str) -> None:
    """What parsers disagree on may be passed on or refused, but the answer stays JSON and has the others in it."""
    with stages.open("us-doubtful-1", GOOD) as aws:
        reply = answer(aws, JOBS, {"doubtful": faults.Member("jobs", text)})
        is_isolated(reply, JOBS, "us-doubtful-1")
