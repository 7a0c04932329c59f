"""What is answered, against the OpenAPI document of the global routes: the aggregator contract's section 5."""

from __future__ import annotations

import pytest

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.suite.aggregator.test_document import REGIONS, has_jobs, sound
from gco_conformance.suite.described.document import DELETE, HEALTH, LIST, ROUTES, STATUS, described
from gco_conformance.suite.described.judgement import ACCEPTED, CONTENT_TYPE, DOCUMENTED, HEADERS, each
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault

LARGEST_LIMIT = 1000


def is_refused(aws: Stage, reply: Reply) -> None:
    """A 400, and no region has heard of it."""
    reply.refuses("")
    aws.expect(not reply.story, "no request to AWS or to a region")


@pytest.mark.requirement("aggregator.jobs.limit-range", needs="schemathesis")
def test_limits_within_and_beyond_the_document(stages: Stages) -> None:
    """What the document allows is listed, what it forbids is refused, and nothing is a 500."""
    document = described(LARGEST_LIMIT)
    with stages.open(*REGIONS) as aws:
        aws.works()
        each(aws, document, LIST, ("not_a_server_error", "positive_data_acceptance"), examples=5)
        each(aws, document, LIST, DOCUMENTED, examples=12, wrong=True, also=is_refused)


@pytest.mark.requirement("aggregator.deletion.strict-body", needs="schemathesis")
def test_bodies_beyond_the_document(stages: Stages) -> None:
    """Whatever the document forbids is a documented 400 and no deletion."""
    document = described(LARGEST_LIMIT)
    with stages.open(*REGIONS) as aws:
        aws.works()
        each(aws, document, DELETE, ("not_a_server_error", "positive_data_acceptance"), examples=2)
        each(aws, document, DELETE, DOCUMENTED, examples=15, wrong=True, also=is_refused)


@pytest.mark.requirement("aggregator.http.method", needs="schemathesis")
@pytest.mark.parametrize("label", [HEALTH, STATUS], ids=["health", "status"])
def test_other_methods_are_answered_as_documented(stages: Stages, label: str) -> None:
    """405, with an Allow header of the documented form."""
    document = described(LARGEST_LIMIT)
    with stages.open(*REGIONS) as aws:
        aws.works()
        for other in document.other_methods(label.removeprefix("GET ")):
            each(aws, document, other, (*DOCUMENTED, *HEADERS), examples=1)


@pytest.mark.requirement("aggregator.http.content-type", needs="schemathesis")
def test_every_answer_has_the_documented_content_type(stages: Stages) -> None:
    """Whether the request is right or wrong, and whether the regions can be found or not."""
    document = described(LARGEST_LIMIT)
    others = [other for path in (LIST, STATUS) for other in document.other_methods(path.removeprefix("GET "))]
    with stages.open(*REGIONS) as aws:
        aws.works()
        for label in (*ROUTES, *others):
            each(aws, document, label, CONTENT_TYPE, examples=1)
        for label in (LIST, DELETE):
            each(aws, document, label, CONTENT_TYPE, examples=2, wrong=True)
        aws.restart()
        aws.stack("us-east-1").missing()
        each(aws, document, STATUS, CONTENT_TYPE, examples=1)


WRONG: dict[str, tuple[WireFault, ...]] = {
    LIST: (
        faults.Member("total", "null"),
        faults.Member("count", '"1"'),
        faults.Member("jobs", "{}"),
        faults.Member("jobs", "[7]"),
    ),
    DELETE: (
        faults.Member("total_matched", '"1"'),
        faults.Member("deleted_count", "-1"),
        faults.Member("failed_count", "true"),
    ),
    STATUS: (faults.Member("templates_count", "1.5"), faults.Member("webhooks_count", "null")),
}
"""By route: what is wrong in the answer of a region."""


@pytest.mark.requirement("aggregator.failure.shape", needs="schemathesis")
def test_answers_with_wrongly_shaped_regions(stages: Stages) -> None:
    """Whatever regions send: what callers get is of the documented form."""
    document = described(LARGEST_LIMIT)
    with stages.open(*REGIONS) as aws:
        aws.works()
        has_jobs(aws)
        for label in sound(aws, document, *WRONG):
            for fault in WRONG[label]:
                aws.region("us-east-1").recovers().fails(fault)
                each(aws, document, label, ACCEPTED, examples=1)
            aws.region("us-east-1").recovers()
