"""What is answered, against the OpenAPI document of the global routes: the aggregator contract's section 4.

Schemathesis makes the requests from the document and holds the answers against it. Each check leans on one
requirement: where something has failed, routes whose answers aren't as documented anyway are left to their own.
"""

from __future__ import annotations

from typing import Any

import pytest

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.evidence.violation import Violation
from gco_conformance.suite.described.document import DELETE, HEALTH, LIST, ROUTES, STATUS, Described, described
from gco_conformance.suite.described.judgement import ACCEPTED, DOCUMENTED, each
from gco_conformance.suite.described.sequence import remembers_nothing, walk
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault
from gco_conformance.world.regional import JOBS

REGIONS = ("eu-west-1", "us-east-1")
PATH = "/api/v1/global/jobs"


def has_jobs(aws: Stage) -> None:
    """Both regions have something to list and to delete."""
    for number, region in enumerate(REGIONS, 1):
        metadata = {"name": "a", "namespace": "team-a", "uid": region, "creationTimestamp": f"2026-01-0{number}"}
        jobs: dict[str, Any] = {"jobs": [{"metadata": metadata, "status": "running"}], "total": number}
        deletion = {"total_matched": 2, "deleted_count": number, "failed_count": 2 - number}
        aws.region(region).answers(JOBS, json=jobs, method="GET")
        aws.region(region).answers(JOBS, json=deletion, method="DELETE")


def sound(aws: Stage, document: Described, *labels: str) -> list[str]:
    """The routes that answer as documented while all is well. Raises what was found when none does."""
    found: list[str] = []
    violation: Violation | None = None
    for label in labels:
        try:
            each(aws, document, label, ACCEPTED, examples=1)
            found.append(label)
        except Violation as error:
            violation = violation or error
    if not found and violation is not None:
        raise violation
    return found


@pytest.mark.requirement("aggregator.jobs.filters", needs="schemathesis")
def test_every_query_of_the_document_is_answered(stages: Stages) -> None:
    """Any text may be the name of a namespace to an API that doesn't know: an odd one has no jobs, and no 500."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        each(aws, document, LIST, ("not_a_server_error", "positive_data_acceptance"), examples=15)


@pytest.mark.requirement("aggregator.deletion.filters", needs="schemathesis")
def test_every_deletion_of_the_document_is_carried_out(stages: Stages) -> None:
    """All fields with any value that they can have, together and alone."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        each(aws, document, DELETE, ("not_a_server_error", "positive_data_acceptance"), examples=15)


KINDS = {
    "aggregator.jobs.merge": LIST,
    "aggregator.deletion.merge": DELETE,
    "aggregator.status.merge": STATUS,
    "aggregator.health.overall": HEALTH,
}


@pytest.mark.parametrize(
    "label",
    [
        pytest.param(label, marks=pytest.mark.requirement(id, needs="schemathesis"), id=id.split(".")[1])
        for id, label in KINDS.items()
    ],
)
def test_an_answer_is_what_the_document_says(stages: Stages, label: str) -> None:
    """Clients are generated from the document: a count that is text, or a field that isn't there, breaks them."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        has_jobs(aws)
        each(aws, document, label, ACCEPTED, examples=4)


@pytest.mark.requirement("aggregator.http.routes", needs="schemathesis")
def test_other_methods_on_jobs_are_answered_as_documented(stages: Stages) -> None:
    """The document says of them what it says of paths that it doesn't have: 404, with the path and no more."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        for label in document.other_methods(PATH):
            each(aws, document, label, DOCUMENTED, examples=1)


STATUSES = ("not_a_server_error", "status_code_conformance", "positive_data_acceptance")
DOWN = [
    ("aggregator.failure.partial", STATUSES, faults.Status(502)),
    ("aggregator.failure.status", ("response_schema_conformance",), faults.Status(502)),
    ("aggregator.failure.transport", ("response_schema_conformance",), faults.Refuse()),
]


@pytest.mark.parametrize(
    ("checks", "fault"),
    [
        pytest.param(checks, fault, marks=pytest.mark.requirement(id, needs="schemathesis"), id=id.split(".")[-1])
        for id, checks, fault in DOWN
    ],
)
def test_answers_with_a_region_down(stages: Stages, checks: tuple[str, ...], fault: WireFault) -> None:
    """An answer in part is a 200, has the form of a whole one, and says in one text why a region isn't in it."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        has_jobs(aws)
        labels = sound(aws, document, LIST, DELETE, STATUS)
        aws.region("us-east-1").fails(fault)
        for label in labels:
            each(aws, document, label, checks, examples=2)


@pytest.mark.requirement("aggregator.health.unreachable", needs="schemathesis")
def test_health_with_a_region_down(stages: Stages) -> None:
    """A region that can't be asked has an entry of its own form."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        sound(aws, document, HEALTH)
        aws.region("us-east-1").fails(faults.Status(502))
        each(aws, document, HEALTH, ACCEPTED, examples=1)


@pytest.mark.requirement("aggregator.http.unavailable", needs="schemathesis")
@pytest.mark.parametrize("configured", [True, False], ids=["not-found", "not-configured"])
def test_unavailable_is_answered_as_documented(stages: Stages, configured: bool) -> None:
    """Clients retry a documented 503, and must not read how the system is built."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        if configured:
            aws.restart()
            aws.stack("us-east-1").missing()
        else:
            aws.restart(TARGET_REGIONS="no list")
        for label in ROUTES:
            each(aws, document, label, DOCUMENTED, examples=2)


@pytest.mark.requirement("aggregator.cache.stale", needs="schemathesis", moves_time=True)
def test_answers_from_a_stale_map(stages: Stages) -> None:
    """Nobody sees in an answer that CloudFormation fails while the old map does."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.needs_moved_time()
        aws.works()
        has_jobs(aws)
        labels = sound(aws, document, *ROUTES)
        aws.stack("us-east-1").error("AccessDenied", 403)
        aws.time_passes(301)
        for label in labels:
            each(aws, document, label, ACCEPTED, examples=2)


@pytest.mark.requirement("aggregator.configuration.empty-regions", needs="schemathesis")
def test_answers_without_regions(stages: Stages) -> None:
    """Empty answers have every field, too: lists with nothing in them, and sums of nothing."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        labels = sound(aws, document, *ROUTES)
        aws.restart(TARGET_REGIONS="[]")
        for label in labels:
            each(aws, document, label, ACCEPTED, examples=2)


@pytest.mark.requirement("aggregator.http.deterministic", needs="schemathesis")
def test_no_answer_depends_on_what_was_asked_before(stages: Stages) -> None:
    """A process serves one caller after the other: what the links lead to is answered the same for each."""
    document = described()
    with stages.open(*REGIONS) as aws:
        aws.works()
        has_jobs(aws)
        remembers_nothing(aws, walk(aws, document, scenarios=4, steps=5))
