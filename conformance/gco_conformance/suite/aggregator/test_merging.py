"""Merging what the regions answered: the aggregator contract's section 4."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import strategies as st

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.model.json_equality import equal
from gco_conformance.suite.property import for_each

REGIONS = ("us-east-1", "ap-southeast-2", "eu-west-1")
"""Told in another order than the one that answers have."""
JOBS, HEALTH, STATUS = "/api/v1/jobs", "/api/v1/health", "/api/v1/status"


def answered(aws: Stage, path: str, answers: Mapping[str, Any], method: str | None = None) -> None:
    for region, body in answers.items():
        aws.region(region).answers(path, json=body, method=method)


def job(name: str, created: object = "2026-01-01T00:00:00Z", **metadata: object) -> dict[str, Any]:
    return {"metadata": {"name": name, "creationTimestamp": created, **metadata}, "status": "running"}


def merges(aws: Stage, answers: Mapping[str, Any]) -> None:
    """All jobs are there with their regions, in whatever order, and all sums."""
    answered(aws, JOBS, answers)
    reply = aws.get("/api/v1/global/jobs")
    reply.agrees(aggregation.jobs(answers), "jobs.*", "total", "count", "region_summaries", "errors")
    reply.says(regions_queried=len(answers), regions_successful=len(answers))


@pytest.mark.requirement("aggregator.jobs.merge")
def test_jobs_carry_their_region_and_totals_add_up(stages: Stages) -> None:
    """The one list of everything that runs anywhere: wrong sums make it worthless."""
    answers = {
        "ap-southeast-2": {"jobs": [job("a"), job("b")], "total": 12, "count": 2},
        "eu-west-1": {"jobs": [], "total": 0, "count": 0},
        "us-east-1": {"jobs": [job("c")], "total": 1, "count": 1},
    }
    with stages.open(*REGIONS) as aws:
        merges(aws, answers)


@pytest.mark.requirement("aggregator.jobs.merge")
def test_counts_that_a_region_leaves_out(stages: Stages) -> None:
    """Totals and counts default to the number of jobs that came."""
    answers: dict[str, Any] = {
        "ap-southeast-2": {"jobs": [job("a"), job("b")]},
        "eu-west-1": {"jobs": [job("c")], "total": 5},
        "us-east-1": {"jobs": [], "count": 4},
    }
    with stages.open(*REGIONS) as aws:
        merges(aws, answers)


@pytest.mark.requirement("aggregator.jobs.merge")
def test_counts_are_what_the_regions_say(stages: Stages) -> None:
    """A region counts what it has, not what it sent: nobody knows better."""
    answers: dict[str, Any] = {
        "ap-southeast-2": {"jobs": [job("a"), job("b")], "total": 9, "count": 7},
        "eu-west-1": {"jobs": [job("c")], "total": 0, "count": 0},
        "us-east-1": {"jobs": [job("d")], "total": 2**40, "count": 3},
    }
    with stages.open(*REGIONS) as aws:
        merges(aws, answers)


@pytest.mark.requirement("aggregator.jobs.merge")
def test_the_limit_changes_no_sum(stages: Stages) -> None:
    """Sums are of what there is, and say how much of it isn't listed."""
    answers: dict[str, Any] = {
        "ap-southeast-2": {"jobs": [job("a"), job("b"), job("c")]},
        "eu-west-1": {"jobs": [job("d"), job("e")], "total": 12},
        "us-east-1": {"jobs": [job("f"), job("g")], "count": 12},
    }
    with stages.open(*REGIONS) as aws:
        answered(aws, JOBS, answers)
        reply = aws.get("/api/v1/global/jobs", limit="1")
        reply.agrees(aggregation.jobs(answers, limit=1), "total", "region_summaries")


@pytest.mark.requirement("aggregator.jobs.merge")
def test_a_failed_region_is_not_summed_up(stages: Stages) -> None:
    """A summary of nothing would say that the region has no jobs, where nobody knows."""
    answers: dict[str, Any] = {region: {"jobs": [job(region)], "total": 3} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        answered(aws, JOBS, answers)
        aws.region("eu-west-1").answers(JOBS, status=500, json=answers["eu-west-1"])
        expected = aggregation.jobs(answers | {"eu-west-1": "HTTP 500"})
        reply = aws.get("/api/v1/global/jobs")
        reply.agrees(expected, "jobs.*", "total", "count", "region_summaries", "errors")
        reply.says(regions_queried=3, regions_successful=2)


@pytest.mark.requirement("aggregator.jobs.merge")
def test_jobs_arrive_as_they_were_sent(stages: Stages) -> None:
    """Two regions may run the same job, and nobody knows what callers read of one: all of all comes through."""
    same = {**job("a", uid="1"), "spec": {"parallelism": None, "notes": [{}, "ü", 1.5]}, "suspended": None}
    answers = {region: {"jobs": [same, {}]} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        merges(aws, answers)


@pytest.mark.requirement("aggregator.jobs.merge")
def test_a_job_that_claims_another_region(stages: Stages) -> None:
    """Where a job came from is known by who sent it, not by what it says."""
    answers = {region: {"jobs": [{**job(region), "_source_region": "mars-north-1"}]} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        merges(aws, answers)


TIMES = (
    "2026-03-01T10:00:00Z",
    "2026-03-01T10:00:01Z",
    "2025-12-31T23:59:59Z",
    "2026-03-01T10:00:00.5Z",
    "2026-03-01T12:00:00+02:00",
)
_METADATA = st.fixed_dictionaries(
    {
        "name": st.sampled_from(("a", "b", "B", "é")),
        "namespace": st.sampled_from(("x", "y")),
        "uid": st.uuids(version=4).map(str),
        "creationTimestamp": st.sampled_from(TIMES),
    }
)


def orders(aws: Stage, answers: Mapping[str, Any]) -> None:
    """All jobs are there, in the order of the contract."""
    answered(aws, JOBS, answers)
    reply = aws.get("/api/v1/global/jobs")
    found = [job.get("metadata") for job in reply.listed("jobs")]
    expected = [job.get("metadata") for job in aggregation.jobs(answers)["jobs"]]
    if reply.status != 200 or not equal(found, expected):
        reply.fails("the jobs come in another order", json.dumps(expected))


@pytest.mark.requirement("aggregator.jobs.order")
def test_newest_first_whatever_came_first(stages: Stages) -> None:
    """Pages and diffs of the list work only when equal times have an order, too."""
    bodies = st.fixed_dictionaries(
        {
            region: st.lists(_METADATA.map(lambda metadata: {"metadata": metadata}), max_size=4).map(
                lambda jobs: {"jobs": jobs}
            )
            for region in REGIONS
        }
    )
    with stages.open(*REGIONS) as aws:
        for_each(aws.seed, bodies, lambda answers: orders(aws, answers))


@pytest.mark.requirement("aggregator.jobs.order")
@pytest.mark.parametrize("key", ["creationTimestamp", "namespace", "name", "uid"])
def test_capitals_are_other_letters(stages: Stages, key: str) -> None:
    """Text is compared as it is: who compares it in one case has an order of their own for what differs in it."""
    told = ("2026-01-01t00:00:00z", "2026-01-01T00:00:01Z", "2026-01-01T00:00:00z", "2026-01-01t00:00:01Z")
    values = told if key == "creationTimestamp" else ("b", "A", "a", "B", "_")
    same = {"creationTimestamp": told[0], "namespace": "x", "name": "y", "uid": "z"}
    metadata = [{**same, key: value} for value in values]
    answers = {"us-east-1": {"jobs": [{"metadata": each} for each in metadata]}, "ap-southeast-2": {"jobs": []}}
    with stages.open("ap-southeast-2", "us-east-1") as aws:
        orders(aws, answers)


@pytest.mark.requirement("aggregator.jobs.order")
@pytest.mark.parametrize("created", [None, 7, True, ["2027"], {"at": "2027"}, ""], ids=repr)
def test_a_time_that_is_no_text_comes_last(stages: Stages, created: object) -> None:
    """One job with odd metadata must not break the list, nor come first in it."""
    answers = {"ap-southeast-2": {"jobs": [job("odd", created)]}, "us-east-1": {"jobs": [job("plain")]}}
    with stages.open("ap-southeast-2", "us-east-1") as aws:
        orders(aws, answers)


@pytest.mark.requirement("aggregator.jobs.order")
@pytest.mark.parametrize("odd", [{}, {"metadata": {}}, {"metadata": None}, {"metadata": "none"}], ids=repr)
def test_a_job_without_metadata_comes_last(stages: Stages, odd: dict[str, Any]) -> None:
    """A job that says nothing of itself is listed all the same."""
    answers = {"ap-southeast-2": {"jobs": [odd]}, "us-east-1": {"jobs": [job("plain")]}}
    with stages.open("ap-southeast-2", "us-east-1") as aws:
        orders(aws, answers)


@pytest.mark.requirement("aggregator.jobs.limit")
@pytest.mark.parametrize(("given", "limit"), [(None, 50), ("1", 1), ("3", 3), ("500", 500)])
def test_regions_are_asked_for_twice_the_limit(stages: Stages, given: str | None, limit: int) -> None:
    """One region may have all of the newest jobs: each must be asked for enough."""
    with stages.open(*REGIONS) as aws:
        aws.get("/api/v1/global/jobs", **({} if given is None else {"limit": given})).says(limit=limit)
        for region in REGIONS:
            aws.asked_with_query(region, limit=str(limit * 2))


@pytest.mark.requirement("aggregator.jobs.limit")
@pytest.mark.parametrize("limit", [2, 6])
def test_the_answer_is_cut_to_the_limit(stages: Stages, limit: int) -> None:
    """The newest of all regions together, no more than were asked for; the totals tell of the rest."""
    days = {"ap-southeast-2": (1, 2, 3, 4), "eu-west-1": (5, 6, 8, 9), "us-east-1": (7,)}
    answers = {
        region: {"jobs": [job(f"{region}-{day}", f"2026-01-0{day}T00:00:00Z") for day in of_region]}
        for region, of_region in days.items()
    }
    with stages.open(*REGIONS) as aws:
        answered(aws, JOBS, answers)
        reply = aws.get("/api/v1/global/jobs", limit=str(limit))
        expected = aggregation.jobs(answers, limit=limit)
        reply.agrees(expected, "count", "limit", "jobs.metadata")
        for region in REGIONS:
            aws.asked_with_query(region, limit=str(2 * limit))
        aws.get("/api/v1/global/jobs").agrees(aggregation.jobs(answers), "count", "limit", "jobs.metadata")


@pytest.mark.requirement("aggregator.jobs.filters")
@pytest.mark.parametrize(
    "filters",
    [
        {"namespace": "team-a"},
        {"status": "running"},
        {"namespace": "team-a", "status": "failed"},
        {"namespace": "a/b=c&d?e"},
        {"namespace": "ünï"},
        {"namespace": "a+b%41~*"},
        {"namespace": "\ta\t", "status": "Running"},
        {"namespace": "\t"},
        {"status": "", "namespace": "team-a"},
        {"status": "", "namespace": ""},
        {},
    ],
    ids=str,
)
def test_filters_are_passed_on_when_set(stages: Stages, filters: dict[str, str]) -> None:
    """A filter that is lost, or arrives as another, shows jobs of people who didn't ask."""
    with stages.open(*REGIONS) as aws:
        aws.get("/api/v1/global/jobs", **filters).has_status(200)
        for region in REGIONS:
            aws.asked_with_query(region, **{name: filters.get(name) or None for name in ("namespace", "status")})


@pytest.mark.requirement("aggregator.jobs.filters")
def test_filters_are_forgotten(stages: Stages) -> None:
    """The next caller of a warm process asked for something else."""
    with stages.open(*REGIONS) as aws:
        aws.get("/api/v1/global/jobs", namespace="team-a", status="failed").has_status(200)
        for region in REGIONS:
            aws.asked_with_query(region, namespace="team-a", status="failed")
        mark = aws.mark()
        aws.get("/api/v1/global/jobs").has_status(200)
        sent = [seen.query for seen in aws.requests(since=mark)]
        aws.expect(all("team-a" not in query and "failed" not in query for query in sent), "no filter of before")


EVERY_THREE = list(itertools.combinations_with_replacement(["healthy", "degraded", "unhealthy"], 3))


@pytest.mark.requirement("aggregator.health.overall")
@pytest.mark.parametrize("statuses", EVERY_THREE, ids="-".join)
def test_overall_health(stages: Stages, statuses: tuple[str, ...]) -> None:
    """One word for all regions, on which alarms and load balancers act."""
    answers = {region: {"status": status} for region, status in zip(REGIONS, statuses, strict=True)}
    with stages.open(*REGIONS) as aws:
        answered(aws, HEALTH, answers)
        reply = aws.get("/api/v1/global/health")
        reply.agrees(aggregation.health(answers), "overall_status", "healthy_regions", "total_regions")


@pytest.mark.requirement("aggregator.health.overall")
@pytest.mark.parametrize("unreachable", [1, 2, 3])
@pytest.mark.parametrize("others", ["healthy", "degraded"])
def test_who_is_unreachable_is_not_healthy(stages: Stages, unreachable: int, others: str) -> None:
    """All that answer being well is no reason to call off the alarm."""
    answers: dict[str, Any] = {region: {"status": others} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        answered(aws, HEALTH, answers)
        for region in REGIONS[:unreachable]:
            aws.region(region).answers(HEALTH, status=500, json={"status": "healthy"})
            answers[region] = "HTTP 500"
        reply = aws.get("/api/v1/global/health")
        reply.agrees(aggregation.health(answers), "overall_status", "healthy_regions", "total_regions")


@pytest.mark.requirement("aggregator.health.overall")
def test_a_region_that_does_not_say_how_it_is(stages: Stages) -> None:
    """Unknown isn't healthy."""
    answers: dict[str, Any] = {region: {"status": "healthy", "cluster_id": region} for region in REGIONS}
    answers["eu-west-1"] = {"kubernetes_api": "up"}
    with stages.open(*REGIONS) as aws:
        answered(aws, HEALTH, answers)
        aws.get("/api/v1/global/health").is_(200, aggregation.health(answers))


@pytest.mark.requirement("aggregator.health.overall")
@pytest.mark.parametrize("status", ["Healthy", "ok", "healthy ", ""])
def test_only_healthy_is_healthy(stages: Stages, status: str) -> None:
    """What resembles the word is passed on, and counts as another."""
    answers = {region: {"status": status if region == "us-east-1" else "healthy"} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        answered(aws, HEALTH, answers)
        aws.get("/api/v1/global/health").is_(200, aggregation.health(answers))


@pytest.mark.requirement("aggregator.health.degraded-503")
@pytest.mark.parametrize(
    "report",
    [
        {"status": "degraded", "cluster_id": "us", "kubernetes_api": "slow"},
        {"status": "healthy", "cluster_id": "us"},
        {"cluster_id": "us"},
        {},
    ],
    ids=["degraded", "healthy", "silent", "empty"],
)
def test_a_503_with_a_report_is_that_regions_report(stages: Stages, report: dict[str, Any]) -> None:
    """A region answers 503 when it is degraded: it is there, and says how it is."""
    with stages.open(*REGIONS) as aws:
        answered(aws, HEALTH, {region: {"status": "healthy"} for region in REGIONS})
        aws.region("us-east-1").answers(HEALTH, status=503, json=report)
        answers = {region: {"status": "healthy"} for region in REGIONS} | {"us-east-1": report}
        reply = aws.get("/api/v1/global/health")
        reply.agrees(aggregation.health(answers), "regions.status", "regions.cluster_id", "regions.kubernetes_api")


@pytest.mark.requirement("aggregator.health.unreachable")
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, b'{"status": "healthy"}', "HTTP 500"),
        (503, b"<html>", "HTTP 503"),
        (503, b'["degraded"]', "HTTP 503"),
        (206, b'{"status": "healthy"}', "HTTP 206"),
        (502, b'{"status": "degraded"}', "HTTP 502"),
        (429, b'{"status": "degraded"}', "HTTP 429"),
        (200, b"<html>", aggregation.REDACTED),
    ],
)
def test_a_failed_region_is_unreachable(stages: Stages, status: int, body: bytes, error: str) -> None:
    """A region that can't be asked is told from one that says it is unwell, and listed in its place."""
    with stages.open(*REGIONS) as aws:
        answered(aws, HEALTH, {region: {"status": "healthy"} for region in REGIONS})
        aws.region("ap-southeast-2").answers(HEALTH, status=status, body=body)
        answers: dict[str, Any] = {region: {"status": "healthy"} for region in REGIONS} | {"ap-southeast-2": error}
        aws.get("/api/v1/global/health").says(total_regions=3, regions=aggregation.health(answers)["regions"])


@pytest.mark.requirement("aggregator.status.merge")
def test_status_of_every_region(stages: Stages) -> None:
    """What each region is made of, with the documented defaults for what it leaves out."""
    answers: dict[str, Any] = {
        "ap-southeast-2": {},
        "eu-west-1": {
            "cluster_id": "eu",
            "templates_count": 4,
            "webhooks_count": 2,
            "resource_limits": {"gpu": 8},
            "allowed_namespaces": ["b", "a", "B", "b", " a"],
            "something_else": True,
        },
        "us-east-1": {"cluster_id": "us", "webhooks_count": 1},
    }
    with stages.open(*REGIONS) as aws:
        answered(aws, STATUS, answers)
        aws.get("/api/v1/global/status").is_(200, aggregation.status(answers))


@pytest.mark.requirement("aggregator.status.merge")
def test_a_failed_region_has_no_status(stages: Stages) -> None:
    """A row of defaults would say that the region is there and empty: it is an error, and nothing else."""
    answers: dict[str, Any] = {region: {"cluster_id": region} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        answered(aws, STATUS, answers)
        aws.region("eu-west-1").answers(STATUS, status=500, json={})
        aws.get("/api/v1/global/status").is_(200, aggregation.status(answers | {"eu-west-1": "HTTP 500"}))


@pytest.mark.requirement("aggregator.status.no-503-exception")
def test_a_503_is_a_report_on_the_health_path_only(stages: Stages) -> None:
    """On any other path a 503 is no answer to what was asked, whatever its body looks like."""
    answers: dict[str, Any] = {region: {"cluster_id": region} for region in REGIONS}
    with stages.open(*REGIONS) as aws:
        answered(aws, STATUS, answers)
        aws.region("us-east-1").answers(STATUS, status=503, json={"cluster_id": "us-east-1"})
        aws.get("/api/v1/global/status").accounts_for(aggregation.status(answers | {"us-east-1": "HTTP 503"}))
        aws.region("us-east-1").answers(JOBS, status=503, json={"jobs": []})
        aws.get("/api/v1/global/jobs").says(regions_successful=2)
        failed = [{"region": "us-east-1", "error": "HTTP 503"}]
        aws.delete("/api/v1/global/jobs", {"dry_run": True}).says(errors=failed)
