"""Events in and answers out: the aggregator contract's section 4, as API Gateway sees it."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from gco_conformance.evidence.stage import Stages
from gco_conformance.model import aggregation

REGIONS = ("eu-west-1", "us-east-1")


@pytest.mark.requirement("aggregator.http.routes")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/api/v1/global"),
        ("GET", "/api/v1/global/job"),
        ("GET", "/api/v1/global/jobs/1"),
        ("GET", "/api/v1/jobs"),
        ("POST", "/api/v1/global/jobs"),
        ("PUT", "/api/v1/global/jobs"),
        ("PATCH", "/api/v1/global/jobs"),
        ("HEAD", "/api/v1/global/jobs"),
        ("GET", "/api/v1/global/jobs/"),
        ("GET", "/api/v1//global/jobs"),
        ("GET", "/api/v1/global/j%6Fbs"),
        ("DELETE", "/api/v1/global/jobs/ä"),
        ("GET", "/prod/api/v1/global/status"),
        ("GET", "api/v1/global/status"),
        ("GET", "/API/V1/GLOBAL/JOBS"),
    ],
)
def test_anything_else_is_not_found(stages: Stages, method: str, path: str) -> None:
    """Four routes, and nothing beside them reaches a region."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        mark = aws.mark()
        aws.send(method, path).is_(404, {"error": "Not found", "path": path})
        aws.expect(not aws.requests(since=mark), "no regional request")


@pytest.mark.requirement("aggregator.http.routes")
def test_the_four_routes(stages: Stages) -> None:
    """Each route gives the answer of its own kind."""
    with stages.open(*REGIONS) as aws:
        aws.get("/api/v1/global/jobs").says(regions_successful=2, jobs=[])
        aws.get("/api/v1/global/status").says(regions_successful=2)
        aws.get("/api/v1/global/health").says(total_regions=2)
        aws.delete("/api/v1/global/jobs", {"dry_run": True}).says(dry_run=True, regions_queried=2)


@pytest.mark.requirement("aggregator.http.nulls")
@pytest.mark.parametrize("absent", [True, False], ids=["absent", "null"])
def test_no_query_and_no_body(stages: Stages, absent: bool) -> None:
    """API Gateway sends null for a query or a body that isn't there; tests and consoles leave it out."""
    rest = {} if absent else {"queryStringParameters": None, "body": None}
    with stages.open(*REGIONS) as aws:
        aws.event({"httpMethod": "GET", "path": "/api/v1/global/jobs", **rest}).says(regions_successful=2, jobs=[])
        aws.event({"httpMethod": "DELETE", "path": "/api/v1/global/jobs", **rest}).says(regions_queried=2)
        for region in REGIONS:
            deletions = [seen for seen in aws.requests(region) if seen.method == "DELETE"]
            aws.expect(len(deletions) == 1, f"one DELETE to {region}")


@pytest.mark.requirement("aggregator.http.nulls")
def test_a_method_that_is_not_there_is_get(stages: Stages) -> None:
    """An event without a method asks for the jobs; it must not delete them."""
    with stages.open(*REGIONS) as aws:
        aws.event({"path": "/api/v1/global/jobs"}).says(regions_successful=2, jobs=[])
        aws.expect(all(seen.method == "GET" for seen in aws.requests()), "GET requests only")


@pytest.mark.requirement("aggregator.http.nulls")
@pytest.mark.parametrize("path", ["jobs", "status", "health"])
def test_an_event_of_a_method_and_a_path(stages: Stages, path: str) -> None:
    """Whatever else API Gateway puts into an event may be missing where somebody tries a function out."""
    with stages.open(*REGIONS) as aws:
        aws.event({"httpMethod": "GET", "path": f"/api/v1/global/{path}"}).has_status(200)


UNUSED = ("resource", "headers", "multiValueHeaders", "requestContext", "stageVariables", "isBase64Encoded")


@pytest.mark.requirement("aggregator.http.nulls")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("absent", [True, False], ids=["absent", "null"])
def test_what_an_event_need_not_have(stages: Stages, absent: bool, method: str) -> None:
    """No answer depends on it: a console's event without headers lists and deletes as any other does."""
    rest: dict[str, Any] = {} if absent else dict.fromkeys(UNUSED)
    asked: dict[str, dict[str, Any]] = {
        "GET": {"queryStringParameters": {"namespace": "team-a"}},
        "DELETE": {"body": '{"namespace": "team-a", "dry_run": false}'},
    }
    with stages.open(*REGIONS) as aws:
        event = {"httpMethod": method, "path": "/api/v1/global/jobs", **asked[method], **rest}
        aws.event(event).says(regions_queried=2, errors=None)
        for region in REGIONS:
            if method == "GET":
                aws.asked_with_query(region, namespace="team-a")
            else:
                aws.deleted_with(region, namespace="team-a", dry_run=False)


@pytest.mark.requirement("aggregator.http.unavailable")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/global/jobs"),
        ("DELETE", "/api/v1/global/jobs"),
        ("GET", "/api/v1/global/health"),
        ("GET", "/api/v1/global/status"),
    ],
)
def test_unavailable_says_so_and_no_more(stages: Stages, method: str, path: str) -> None:
    """One text on every route, whether the configuration is wrong or discovery failed."""
    unavailable = {"error": aggregation.UNAVAILABLE}
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart(TARGET_REGIONS="no list")
        aws.send(method, path).is_(503, unavailable)
        aws.restart()
        aws.stack("us-east-1").missing()
        aws.send(method, path).is_(503, unavailable)


@pytest.mark.requirement("aggregator.http.deterministic")
@pytest.mark.parametrize("path", ["jobs", "status", "health"])
@pytest.mark.parametrize("failed", [0, 2], ids=["all-well", "two-failed"])
def test_the_order_of_arrival_does_not_show(stages: Stages, path: str, failed: int) -> None:
    """Two calls that find the same state must give the same answer, whichever region is faster today."""
    regions = ("ap-southeast-2", *REGIONS)
    with stages.open(*regions) as aws:
        replies = []
        for order in itertools.permutations((0.0, 0.08, 0.16)):
            for number, (region, after) in enumerate(zip(regions, order, strict=True)):
                jobs = [{"metadata": {"name": f"{region}-{job}", "creationTimestamp": "same"}} for job in (1, 2)]
                body = {"status": "healthy", "cluster_id": region, "jobs": jobs}
                status = 500 if number < failed else 200
                aws.region(region).answers(f"/api/v1/{path}", status=status, json=body, after=after)
            replies.append(aws.get(f"/api/v1/global/{path}"))
        for reply in replies:
            reply.says(**{"total_regions" if path == "health" else "regions_queried": 3})
        bodies = {json.dumps(reply.body, sort_keys=True) for reply in replies}
        aws.expect(len(bodies) == 1, "the same answer for every order of arrival")
