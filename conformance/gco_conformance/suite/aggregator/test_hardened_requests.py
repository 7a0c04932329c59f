"""What an aggregator sends to the regions, and when it signs it: the aggregator contract's section 5."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import strategies as st

from gco_conformance.evidence.routes import ROUTES, Route
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.suite.property import for_each
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault
from gco_conformance.world.regional import JOBS, STATUS

REGIONS = ("eu-west-1", "us-east-1")
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@pytest.mark.requirement("aggregator.request.rotated-credentials", moves_time=True)
@pytest.mark.parametrize("seconds", [0, 7200], ids=["revoked", "expired"])
def test_other_credentials_are_used_at_once(stages: Stages, seconds: float) -> None:
    """Those of the last invocation may be worth nothing any more: revoked, or expired while nobody asked."""
    with stages.open(*REGIONS, rotating=True) as aws:
        if seconds:
            aws.needs_moved_time()
        aws.works()
        aws.time_passes(seconds)
        aws.world.rotate_credentials()
        mark = aws.mark()
        aws.works()
        for region in REGIONS:
            for seen in aws.requests(region, since=mark):
                used = aws.world.access_key in (seen.header("authorization") or "")
                aws.expect(used, f"the new access key in a request to {region}")
                token = seen.header("x-amz-security-token")
                aws.expect(token == aws.world.session_token, f"the new session token in a request to {region}")


def is_sent_as_signed(aws: Stage, **query: str) -> None:
    """The region accepts the query, finds in it what was asked for, and it is encoded by RFC 3986."""
    mark = aws.mark()
    aws.get("/api/v1/global/jobs", **query).says(regions_queried=2, regions_successful=2)
    for region in REGIONS:
        seen = next(iter(aws.requests(region, since=mark)), None)
        aws.expect(seen is not None and seen.status is None, f"a request that {region} accepts")
        text = seen.query if seen is not None else ""
        aws.expect(re.fullmatch(_RFC_3986, text) is not None, f"a query encoded by RFC 3986, not {text}")
        pairs = dict(pair.partition("=")[::2] for pair in text.split("&"))
        sent = {unquote(name): unquote(value, errors="replace") for name, value in pairs.items()}
        altered = [name for name, value in sent.items() if name in query and value != query[name]]
        aws.expect(not altered, f"the query {query} to {region}, not {text}")


_RFC_3986 = r"(?:[A-Za-z0-9._~-]|%[0-9A-F]{2}|[=&])*"


@pytest.mark.requirement("aggregator.request.query-encoding")
@pytest.mark.parametrize(
    "text", ["a b", " a", "a+b", "a~b", "a'(b)*!", "a/b?c&d=e", "é日😀", "100%25", "a;b,c:d@e$"]
)
def test_the_query_that_is_signed_is_sent(stages: Stages, text: str) -> None:
    """API Gateway computes the signature from what arrives, where a space is %20: another form is a 403."""
    with stages.open(*REGIONS) as aws:
        is_sent_as_signed(aws, namespace="team-a")
        is_sent_as_signed(aws, namespace=text)


@pytest.mark.requirement("aggregator.request.query-encoding")
def test_any_query_is_sent_as_it_is_signed(stages: Stages) -> None:
    """Names of namespaces come from people: any text must arrive as it was typed."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        queries = st.fixed_dictionaries({"namespace": TEXT}, optional={"status": TEXT})
        for_each(aws.seed, queries, lambda query: is_sent_as_signed(aws, **query))


AGE = 8.0
"""Seconds from a signature to its arrival, with name, TCP and TLS between them on a machine that is busy."""

APART = 2.5
"""Seconds between two attempts that can't have been signed within the same second."""

AGAIN: dict[str, tuple[WireFault, ...]] = {
    "no-answer": (faults.Hang(seconds=6),),
    "half-an-answer": (faults.Hang("body", seconds=6),),
    "503": (faults.Status(503), faults.Delay(6)),
    "429": (faults.Status(429, retry_after="6"), faults.Delay(3)),
}


@pytest.mark.requirement("aggregator.request.fresh-signature", waits=True)
@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN.keys())
def test_each_attempt_has_a_signature_of_its_own(stages: Stages, again: tuple[WireFault, ...]) -> None:
    """A signature tells its moment, and is good for five minutes: an attempt later than that needs another."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        for fault in again:
            aws.region("us-east-1").fails(fault)
        mark = aws.mark()
        aws.get("/api/v1/global/status").has_status(200)
        aws.each_signed_anew(since=mark, apart=APART)
        aws.signed_when_sent(AGE)


@pytest.mark.requirement("aggregator.request.fresh-signature", waits=True)
def test_a_request_that_had_to_queue_is_signed_when_it_is_sent(stages: Stages) -> None:
    """Where requests wait for a worker, their signatures must not age with them."""
    regions = [f"us-test-{number}" for number in range(1, 25)]
    with stages.open(*regions) as aws:
        aws.works()
        for region in regions:
            aws.region(region).answers(STATUS, json={}, after=AGE + 1)
        aws.get("/api/v1/global/status").has_status(200)
        aws.expect(len(aws.requests()) >= 2 * len(regions), "a request to every region")
        aws.signed_when_sent(AGE)


@pytest.mark.requirement("aggregator.request.fresh-signature", waits=True)
def test_a_second_attempt_on_a_new_connection_is_signed_anew(stages: Stages) -> None:
    """A kept connection that is dead without a sign takes its time to be given up."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.region("us-east-1").fails(faults.DeadConnection("silent"))
        mark = aws.mark()
        aws.get("/api/v1/global/status").has_status(200)
        aws.each_signed_anew(since=mark, apart=APART)
        aws.signed_when_sent(AGE)


SIDES = ("north", "south", "east", "west")
MANY = tuple(
    f"{area}-{side}-{number}" for area in ("ap", "eu", "sa", "us") for side in SIDES for number in range(1, 5)
)


@pytest.mark.requirement("aggregator.request.breadth", waits=True)
@pytest.mark.parametrize("route", [ROUTES["status"], ROUTES["deletion"]], ids=["status", "deletion"])
def test_sixty_four_regions_are_asked_at_once(stages: Stages, route: Route) -> None:
    """With ten at a time, the last regions wait for six slow ones before them, and the budget is gone."""
    slow = 12.0
    with stages.open(*MANY) as aws:
        aws.works()
        for region in MANY:
            aws.region(region).answers(route.path, json=route.answer, method=route.method, after=slow)
        mark = aws.mark()
        route.ask(aws)
        arrived = [min((seen.at for seen in aws.requests(region, mark)), default=float("inf")) for region in MANY]
        spread = max(arrived) - min(arrived)
        aws.expect(
            spread < slow / 2, f"every region asked within {slow / 2:g} s, before any answered, not {spread:.1f} s"
        )


@pytest.mark.requirement("aggregator.request.document-valid")
@pytest.mark.parametrize("limit", ["1", "500", "501", "999", "1000"])
def test_no_region_is_asked_for_more_than_it_gives(stages: Stages, limit: str) -> None:
    """Regions answer 422 to what their document doesn't allow: then every region fails, at once."""
    with stages.open(*REGIONS) as aws:
        aws.get("/api/v1/global/jobs", limit=limit).says(regions_queried=2, regions_successful=2)
        aws.every_request_was_accepted(at_least=2)


@pytest.mark.requirement("aggregator.request.document-valid")
def test_what_may_be_asked_is_valid_in_every_region(stages: Stages) -> None:
    """The regions' OpenAPI document says what they take: whatever the caller may ask must come out as that."""
    queries = st.fixed_dictionaries(
        {}, optional={"limit": st.integers(1, 1000).map(str), "namespace": TEXT, "status": st.sampled_from(STATES)}
    )
    bodies = st.fixed_dictionaries(
        {"dry_run": st.booleans()},
        optional={
            "namespace": TEXT,
            "status": st.sampled_from(STATES),
            "older_than_days": st.integers(1, 365),
            "label_selector": TEXT,
        },
    )
    with stages.open(*REGIONS) as aws:

        def is_accepted(asked: tuple[dict[str, str], dict[str, Any]]) -> None:
            query, body = asked
            aws.get("/api/v1/global/jobs", **query).says(regions_queried=2, regions_successful=2)
            aws.delete("/api/v1/global/jobs", body).says(regions_queried=2, errors=None)
            aws.every_request_was_accepted(at_least=4)

        for_each(aws.seed, st.tuples(queries, bodies), is_accepted)
        methods = {seen.method for seen in aws.requests() if seen.path.endswith(JOBS)}
        aws.expect(methods == {"GET", "DELETE"}, "lists and deletions")


STATES = ("pending", "running", "completed", "succeeded", "failed")
