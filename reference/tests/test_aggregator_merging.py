"""One answer from many (contract section 4), and which reports are merged at all (section 5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gco_reference.aggregator import answers, reports
from gco_reference.aggregator.merging import (
    Collected,
    merge_deletion,
    merge_health,
    merge_jobs,
    merge_status,
    shortened,
)

NOTHING: Collected[Any] = Collected({}, {})
DOWN = {"eu-west-1": "HTTP 502"}


def job(name: str, created: Any = None, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "creationTimestamp": created, **metadata}}


def jobs_of(regions: Mapping[str, Mapping[str, Any]], errors: Mapping[str, str] | None = None) -> Collected[Any]:
    return Collected({region: reports.jobs_report(body) for region, body in regions.items()}, errors or {})


def test_jobs_carry_their_region_and_totals_add_up() -> None:
    collected = jobs_of(
        {
            "us-east-1": {"jobs": [{**job("a"), "_source_region": "claimed"}], "total": 7, "count": 3},
            "ap-south-1": {"jobs": [], "more": "ignored"},
        },
        {**DOWN, "af-south-1": "Authenticated regional API request failed"},
    )
    assert merge_jobs(collected, limit=50) == {
        "total": 7,
        "count": 1,
        "limit": 50,
        "regions_queried": 4,
        "regions_successful": 2,
        "region_summaries": [
            {"region": "ap-south-1", "count": 0, "total": 0},
            {"region": "us-east-1", "count": 3, "total": 7},
        ],
        "jobs": [{**job("a"), "_source_region": "us-east-1"}],
        "errors": [
            {"region": "af-south-1", "error": "Authenticated regional API request failed"},
            {"region": "eu-west-1", "error": "HTTP 502"},
        ],
    }


def test_no_regions_give_the_empty_answers() -> None:
    assert merge_jobs(NOTHING, limit=50) == {
        "total": 0,
        "count": 0,
        "limit": 50,
        "regions_queried": 0,
        "regions_successful": 0,
        "region_summaries": [],
        "jobs": [],
        "errors": None,
    }
    assert merge_health(NOTHING) == {
        "overall_status": "unhealthy",
        "healthy_regions": 0,
        "total_regions": 0,
        "regions": [],
    }
    assert merge_status(NOTHING) == {
        "regions_queried": 0,
        "regions_successful": 0,
        "regions": [],
        "errors": None,
    }
    assert merge_deletion(NOTHING, dry_run=True) == {
        "dry_run": True,
        "total_matched": 0,
        "total_deleted": 0,
        "regions_queried": 0,
        "region_results": [],
        "errors": None,
    }


def test_newest_first_then_region_namespace_name_and_uid() -> None:
    here = [
        job("old", "2024-12-31T23:59:59Z"),
        job("b", "2025-01-01T00:00:00Z", namespace="x"),
        job("a", "2025-01-01T00:00:00Z", namespace="y"),
        job("a", "2025-01-01T00:00:00Z", namespace="x", uid="2"),
        job("a", "2025-01-01T00:00:00Z", namespace="x", uid="1"),
        job("odd", 20250101),
        job("empty", ""),
        job("text", "yesterday"),
        {"metadata": None},
        {},
    ]
    there = [job("z", "2025-01-01T00:00:00Z"), job("new", "2025-01-02T00:00:00Z")]
    merged = merge_jobs(jobs_of({"us-east-1": {"jobs": here}, "eu-west-1": {"jobs": there}}), limit=50)
    order = [
        (
            entry["_source_region"],
            *((entry.get("metadata") or {}).get(key) for key in ("namespace", "name", "uid")),
        )
        for entry in merged["jobs"]
    ]
    assert order == [
        ("us-east-1", None, "text", None),
        ("eu-west-1", None, "new", None),
        ("eu-west-1", None, "z", None),
        ("us-east-1", "x", "a", "1"),
        ("us-east-1", "x", "a", "2"),
        ("us-east-1", "x", "b", None),
        ("us-east-1", "y", "a", None),
        ("us-east-1", None, "old", None),
        ("us-east-1", None, None, None),
        ("us-east-1", None, None, None),
        ("us-east-1", None, "empty", None),
        ("us-east-1", None, "odd", None),
    ]


ODD = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=2), st.lists(st.none(), max_size=1))
JOBS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "metadata": st.one_of(ODD, st.dictionaries(st.sampled_from(["name", "creationTimestamp"]), ODD))
        },
    ),
    max_size=5,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), JOBS), st.integers(1, 6), st.randoms())
def test_any_order_of_arrival_gives_the_same_answer(
    regions: dict[str, list[Any]], limit: int, shuffle: Any
) -> None:
    bodies = {region: {"jobs": jobs} for region, jobs in regions.items()}
    arrived = list(bodies.items())
    shuffle.shuffle(arrived)
    merged = merge_jobs(jobs_of(bodies), limit)
    assert merge_jobs(jobs_of(dict(arrived)), limit) == merged
    assert merged["count"] == len(merged["jobs"]) == min(limit, sum(map(len, regions.values())))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), JOBS), st.integers(1, 6))
def test_what_a_region_sends_beyond_the_limit_can_be_dropped_early(
    regions: dict[str, list[Any]], limit: int
) -> None:
    whole = jobs_of({region: {"jobs": jobs} for region, jobs in regions.items()})
    short = Collected({region: shortened(report, limit) for region, report in whole.reports.items()}, {})
    assert merge_jobs(short, limit) == merge_jobs(whole, limit)


@pytest.mark.parametrize(
    ("statuses", "errors", "overall", "healthy"),
    [
        (["healthy", "healthy"], {}, "healthy", 2),
        (["healthy", "degraded"], {}, "degraded", 1),
        (["healthy"], DOWN, "degraded", 1),
        (["degraded", "Healthy"], {}, "unhealthy", 0),
        ([], DOWN, "unhealthy", 0),
    ],
)
def test_overall_health(statuses: list[str], errors: dict[str, str], overall: str, healthy: int) -> None:
    regions = {f"us-east-{n}": reports.health_report({"status": status}) for n, status in enumerate(statuses)}
    merged = merge_health(Collected(regions, errors))
    assert (merged["overall_status"], merged["healthy_regions"]) == (overall, healthy)
    assert merged["total_regions"] == len(statuses) + len(errors)


def test_health_lists_every_region_reached_or_not() -> None:
    regions = {"us-east-1": {"status": "healthy", "cluster_id": "us", "kubernetes_api": "ok"}, "ap-south-1": {}}
    collected = Collected({region: reports.health_report(body) for region, body in regions.items()}, DOWN)
    assert merge_health(collected)["regions"] == [
        {"region": "ap-south-1", "status": "unknown", "cluster_id": None, "kubernetes_api": None},
        {"region": "eu-west-1", "status": "unreachable", "error": "HTTP 502"},
        {"region": "us-east-1", "status": "healthy", "cluster_id": "us", "kubernetes_api": "ok"},
    ]


def test_status_has_the_documented_defaults() -> None:
    full = {
        "cluster_id": "us",
        "templates_count": 3,
        "webhooks_count": 1,
        "resource_limits": {"cpu": "4"},
        "allowed_namespaces": ["a"],
    }
    regions = {"us-east-1": reports.status_report({**full, "more": 1}), "ap-south-1": reports.status_report({})}
    assert merge_status(Collected(regions, DOWN)) == {
        "regions_queried": 3,
        "regions_successful": 2,
        "regions": [
            {
                "region": "ap-south-1",
                "cluster_id": None,
                "templates_count": 0,
                "webhooks_count": 0,
                "resource_limits": {},
                "allowed_namespaces": [],
            },
            {"region": "us-east-1", **full},
        ],
        "errors": [{"region": "eu-west-1", "error": "HTTP 502"}],
    }


def test_deletion_adds_up() -> None:
    regions = {
        "us-east-1": reports.deletion_report({"total_matched": 5, "deleted_count": 4, "failed_count": 1}),
        "ap-south-1": reports.deletion_report({"deleted_count": 2}),
    }
    assert merge_deletion(Collected(regions, DOWN), dry_run=False) == {
        "dry_run": False,
        "total_matched": 5,
        "total_deleted": 6,
        "regions_queried": 3,
        "region_results": [
            {"region": "ap-south-1", "matched": 0, "deleted": 2, "failed": 0},
            {"region": "us-east-1", "matched": 5, "deleted": 4, "failed": 1},
        ],
        "errors": [{"region": "eu-west-1", "error": "HTTP 502"}],
    }


COUNTS: list[tuple[Callable[[Mapping[str, Any]], Any], str]] = [
    (reports.jobs_report, "total"),
    (reports.jobs_report, "count"),
    (reports.deletion_report, "total_matched"),
    (reports.deletion_report, "deleted_count"),
    (reports.deletion_report, "failed_count"),
    (reports.status_report, "templates_count"),
    (reports.status_report, "webhooks_count"),
]


@pytest.mark.parametrize(("read", "name"), COUNTS)
@pytest.mark.parametrize("count", [None, "3", True, False, -1, 1.5, 3.0, 2**53 + 1, [], {}])
def test_a_count_that_is_none_is_a_wrong_shape(
    read: Callable[[Mapping[str, Any]], Any], name: str, count: Any
) -> None:
    read({name: 2**53})
    with pytest.raises(reports.WrongShapeError, match=name):
        read({name: count})


@pytest.mark.parametrize("jobs", [None, "jobs", {}, [None], ["a"], [{}, 1], [[]]])
def test_jobs_are_a_list_of_objects(jobs: Any) -> None:
    with pytest.raises(reports.WrongShapeError, match="jobs"):
        reports.jobs_report({"jobs": jobs, "total": 1})


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (reports.health_report, {"status": ["healthy"]}),
        (reports.health_report, {"status": None}),
        (reports.status_report, {"resource_limits": []}),
        (reports.status_report, {"allowed_namespaces": "all"}),
    ],
)
def test_other_fields_that_are_read_have_their_shapes(
    read: Callable[[Mapping[str, Any]], Any], body: dict[str, Any]
) -> None:
    with pytest.raises(reports.WrongShapeError, match=next(iter(body))):
        read(body)


def large_answer(text: str, count: int) -> dict[str, Any]:
    collected = jobs_of({"us-east-1": {"jobs": [{**job(str(n)), "text": text} for n in range(count)]}})
    return merge_jobs(collected, limit=1000)


@pytest.mark.parametrize("text", ["x" * 20_000, '"' * 20_000, "\\" * 20_000, "ü" * 20_000, "\ud800" * 20_000])
def test_an_answer_is_cut_below_6_mb_as_lambda_writes_it(text: str) -> None:
    whole = large_answer(text, 300)
    cut = answers.cut_to_size(whole)
    assert cut["truncated"] is True
    assert cut["count"] == len(cut["jobs"])
    assert (cut["total"], cut["jobs"]) == (300, whole["jobs"][: cut["count"]])
    size = len(json.dumps(answers.result(200, cut)))
    assert size < 6_000_000
    assert size > 5_700_000  # and as much as fits is there


def test_a_job_that_is_too_large_alone_leaves_none() -> None:
    cut = answers.cut_to_size(large_answer("x" * 6_000_000, 1))
    assert (cut["count"], cut["jobs"], cut["truncated"], cut["total"]) == (0, [], True, 1)


def test_an_answer_that_fits_isnt_touched() -> None:
    whole = large_answer("x", 300)
    assert answers.cut_to_size(whole) == whole
    assert "truncated" not in whole


def test_every_answer_is_json_and_says_so() -> None:
    result = answers.error(405, "Method not allowed", headers={"Allow": "GET"})
    assert result["headers"] == {"Content-Type": "application/json", "Allow": "GET"}
    assert json.loads(result["body"]) == {"error": "Method not allowed"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        answers.result(200, {"cost": float("nan")})
