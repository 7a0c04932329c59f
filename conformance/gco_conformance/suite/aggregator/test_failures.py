"""Regions that fail, each in its way: what callers learn of it, and what they still get from the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gco_conformance.evidence.routes import ROUTES
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.world import faults
from gco_conformance.world.regional import STATUS, Region
from gco_conformance.world.stack import ENDPOINT, Stack

REGIONS = ("eu-west-1", "us-east-1")
EU = {"cluster_id": "eu", "templates_count": 3}
Fault = Callable[[Region], Any]


def fails_with(aws: Stage, error: str) -> None:
    """Whatever is asked: us-east-1 is a failed region with this error, and eu-west-1's answer is there."""
    for route in ROUTES.values():
        answers: aggregation.Answers = {"eu-west-1": route.answer, "us-east-1": error}
        route.ask(aws).accounts_for(route.merged(answers))


def prepare(aws: Stage) -> None:
    """All is well at first. Then a new process, whose connections are new, too, and meet the faults."""
    aws.works()
    aws.restart()
    for region in REGIONS:
        for route in ROUTES.values():
            route.answered_by(aws.region(region))


def says(body: bytes, status: int = 200) -> Fault:
    """A region answers with this body, whatever it is asked."""

    def change(region: Region) -> None:
        for route in ROUTES.values():
            region.answers(route.path, status=status, body=body)

    return change


@pytest.mark.requirement("aggregator.failure.status")
@pytest.mark.parametrize("code", [201, 202, 203, 204, 206, 226, 299, 400, 401, 403, 404, 409, 500, 502, 504])
def test_another_status(stages: Stages, code: int) -> None:
    """A status tells an operator where to look, and gives nothing away."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        says(b"" if code == 204 else b'{"cluster_id": "us"}', code)(aws.region("us-east-1"))
        fails_with(aws, f"HTTP {code}")


@pytest.mark.requirement("aggregator.failure.status")
@pytest.mark.parametrize("kind", ["text/plain; charset=utf-8", "application/problem+json", ""], ids=repr)
def test_what_counts_is_the_body(stages: Stages, kind: str) -> None:
    """200 and a JSON object is an answer, whatever a proxy on the way made of its content type."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        aws.region("us-east-1").answers(STATUS, json={"cluster_id": "us"}, headers={"Content-Type": kind})
        answers = {"eu-west-1": ROUTES["status"].answer, "us-east-1": {"cluster_id": "us"}}
        aws.get("/api/v1/global/status").accounts_for(aggregation.status(answers))


TRANSPORT: dict[str, Fault] = {
    "refused": lambda region: region.fails(faults.Refuse()),
    "name-not-found": lambda region: region.fails(faults.Unresolved()),
    "reset": lambda region: region.fails(faults.Reset()),
    "reset-in-the-handshake": lambda region: region.fails(faults.Reset("handshake")),
    "tls-alert": lambda region: region.fails(faults.TlsAlert()),
    "old-tls": lambda region: region.fails(faults.OldTls()),
    "not-tls": lambda region: region.fails(faults.NotTls()),
    "no-answer": lambda region: region.fails(faults.End()),
    "utf-16": lambda region: region.fails(faults.Charset("utf-16")),
    "not-json": says(b"<html>Bad gateway</html>"),
    "empty": says(b""),
    "json-and-more": says(b'{"cluster_id": "us"} {"cluster_id": "us"}'),
    "half-of-json": says(b'{"cluster_id": '),
    "not-utf-8": says(b'{"cluster_id": "\xff\xfe"}'),
    "a-list": says(b"[]"),
    "a-text": says(b'"fine"'),
    "null": says(b"null"),
}


@pytest.mark.requirement("aggregator.failure.transport")
@pytest.mark.parametrize("fault", TRANSPORT.values(), ids=TRANSPORT.keys())
def test_what_is_no_answer_has_one_text(stages: Stages, fault: Fault) -> None:
    """Connections, names, certificates and parsers fail in many words; callers get one sentence."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        fault(aws.region("us-east-1"))
        fails_with(aws, aggregation.REDACTED)


@pytest.mark.requirement("aggregator.failure.partial")
@pytest.mark.parametrize("path", ["jobs", "status", "health"])
def test_one_failure_hides_no_answer(stages: Stages, path: str) -> None:
    """With one region down, people need the other regions most."""
    answers: dict[str, Any] = {
        "jobs": {"jobs": [{"metadata": {"name": "a"}}], "total": 1},
        "status": EU,
        "health": {"status": "healthy", "cluster_id": "one"},
    }
    regions = ("ap-southeast-2", *REGIONS)
    with stages.open(*regions) as aws:
        aws.works()
        for region in regions:
            aws.region(region).answers(f"/api/v1/{path}", json=answers[path])
        aws.region("eu-west-1").answers(f"/api/v1/{path}", status=500, json={})
        given = {**dict.fromkeys(regions, answers[path]), "eu-west-1": "HTTP 500"}
        reply = aws.get(f"/api/v1/global/{path}")
        reply.agrees(
            getattr(aggregation, path)(given), "jobs.metadata" if path == "jobs" else "regions.cluster_id"
        )


@pytest.mark.requirement("aggregator.failure.partial")
def test_all_failed_is_an_answer_too(stages: Stages) -> None:
    """When every region fails, the answer says of each why."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        for region in REGIONS:
            aws.region(region).answers(STATUS, status=500, json={})
        given = dict.fromkeys(REGIONS, "HTTP 500")
        aws.get("/api/v1/global/status").accounts_for(aggregation.status(given))


@pytest.mark.requirement("aggregator.failure.partial")
@pytest.mark.parametrize("path", ["jobs", "status", "health"])
def test_what_was_is_not_what_is(stages: Stages, path: str) -> None:
    """A region that failed a moment ago is back when it answers, and one that answered is down when it fails."""
    body: dict[str, Any] = {"jobs": [{"metadata": {"name": "a"}}], "status": "healthy", "cluster_id": "one"}
    with stages.open(*REGIONS) as aws:
        aws.region("eu-west-1").answers(f"/api/v1/{path}", json=body)
        for status in (200, 500, 200, 500):
            aws.region("us-east-1").answers(f"/api/v1/{path}", status=status, json=body)
            given = {"eu-west-1": body, "us-east-1": body if status == 200 else f"HTTP {status}"}
            reply = aws.get(f"/api/v1/global/{path}")
            reply.agrees(
                getattr(aggregation, path)(given), "jobs.metadata" if path == "jobs" else "regions.cluster_id"
            )


@pytest.mark.requirement("aggregator.failure.partial")
def test_a_region_that_failed_often_is_asked_again(stages: Stages) -> None:
    """Each request asks each region: one that was down for a while is back with the first answer that it gives."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.region("us-east-1").fails(faults.Refuse()).hangs_up()
        for _ in range(6):
            aws.get("/api/v1/global/status").says(regions_queried=2, regions_successful=1)
        aws.region("us-east-1").recovers()
        aws.works()


@pytest.mark.requirement("aggregator.failure.partial")
@pytest.mark.parametrize("path", ["jobs", "status"])
def test_errors_are_listed_by_region(stages: Stages, path: str) -> None:
    """The order in which a deployment names its regions says nothing: people look regions up by name."""
    with stages.open("us-east-1", "ap-southeast-2", "eu-west-1") as aws:
        aws.works()
        for region, status in (("us-east-1", 500), ("ap-southeast-2", 403)):
            aws.region(region).answers(f"/api/v1/{path}", status=status, json={})
        listed = [
            {"region": "ap-southeast-2", "error": "HTTP 403"},
            {"region": "us-east-1", "error": "HTTP 500"},
        ]
        aws.get(f"/api/v1/global/{path}").says(regions_queried=3, errors=listed)


TRUNCATED: dict[str, Fault] = {
    "cut-before-the-end": lambda region: region.fails(faults.CutBody()),
    "shorter-than-it-says": lambda region: region.fails(faults.WrongLength()),
    "bad-chunk": lambda region: region.fails(faults.BadChunk()),
    "short-chunk": lambda region: region.fails(faults.BadChunk("short")),
    "no-last-chunk": lambda region: region.fails(faults.BadChunk("unended")),
    "reset-in-the-headers": lambda region: region.fails(faults.Reset("headers")),
    "reset-in-the-body": lambda region: region.fails(faults.Reset("body")),
}


@pytest.mark.requirement("aggregator.failure.truncated")
@pytest.mark.parametrize("fault", TRUNCATED.values(), ids=TRUNCATED.keys())
def test_an_answer_that_does_not_arrive_whole(stages: Stages, fault: Fault) -> None:
    """Half an answer can be valid JSON of something else: it counts as none."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        fault(aws.region("us-east-1"))
        fails_with(aws, aggregation.REDACTED)


@pytest.mark.requirement("aggregator.failure.truncated")
def test_what_is_left_over_is_not_the_next_answer(stages: Stages) -> None:
    """Bytes that follow an answer belong to nothing: read as the next one, they let a region be impersonated."""
    us = {"cluster_id": "us"}
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        forged = 'HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\n{"cluster_id": "forged"}'
        aws.region("eu-west-1").answers(STATUS, json=EU)
        aws.region("us-east-1").answers(STATUS, json=us).fails(faults.ExtraBytes(forged), on=[1])
        for _ in range(3):
            body = aws.get("/api/v1/global/status").body
            rows = body.get("regions", []) if isinstance(body, dict) else []
            told = sorted(str(row.get("cluster_id")) for row in rows)
            aws.expect(told in (["eu"], ["eu", "us"]), f"what the regions answered, or a failure, and not {told}")


LOUD: dict[str, Fault] = {
    **TRANSPORT,
    "unknown-ca": lambda region: region.serves_certificate("unknown-ca"),
    "wrong-name": lambda region: region.serves_certificate("wrong-name"),
    "error-page": lambda region: says(f'{{"message": "{region.url}"}}'.encode(), 500)(region),
}


@pytest.mark.requirement("aggregator.failure.redaction")
@pytest.mark.parametrize("fault", LOUD.values(), ids=LOUD.keys())
def test_no_failure_gives_anything_away(stages: Stages, fault: Fault) -> None:
    """API ids, host names and keys in an answer are the first half of an attack."""
    with stages.open(*REGIONS) as aws:
        prepare(aws)
        fault(aws.region("us-east-1"))
        for route in ROUTES.values():
            reply = route.ask(aws)
            reply.has_status(200)
            aws.nothing_leaks(reply)


TALKATIVE: dict[str, Callable[[Stack], object]] = {
    "denied": Stack.denied,
    "throttled": Stack.throttled,
    "missing": Stack.missing,
    "wrong-url": lambda stack: stack.output(
        "https://user@" + dict(stack.told())[ENDPOINT].removeprefix("https://")
    ),
}


@pytest.mark.requirement("aggregator.failure.redaction")
@pytest.mark.parametrize("change", TALKATIVE.values(), ids=TALKATIVE.keys())
def test_a_failed_discovery_gives_nothing_away(stages: Stages, change: Callable[[Stack], object]) -> None:
    """CloudFormation's messages name accounts, roles and stacks, and its outputs where the APIs are."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        change(aws.stack("us-east-1"))
        aws.nothing_leaks(aws.get("/api/v1/global/status"))
