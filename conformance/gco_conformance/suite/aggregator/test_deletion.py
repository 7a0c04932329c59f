"""Deletions in every region: the aggregator contract's section 4."""

from __future__ import annotations

from typing import Any

import pytest

from gco_conformance.evidence.stage import Stages
from gco_conformance.model import aggregation
from gco_conformance.world.regional import JOBS

REGIONS = ("us-east-1", "ap-southeast-2", "eu-west-1")


@pytest.mark.requirement("aggregator.deletion.dry-run-default")
@pytest.mark.parametrize("body", [{}, {"namespace": "team-a"}, None], ids=repr)
def test_without_dry_run_nothing_is_deleted(stages: Stages, body: dict[str, Any] | None) -> None:
    """Who forgets the flag must not delete everything everywhere."""
    with stages.open(*REGIONS) as aws:
        aws.delete("/api/v1/global/jobs", body).says(dry_run=True)
        for region in REGIONS:
            aws.deleted_with(region, dry_run=True)


@pytest.mark.requirement("aggregator.deletion.dry-run-default")
def test_without_a_body_nothing_is_deleted(stages: Stages) -> None:
    """An event that leaves the body out altogether is no wish to delete."""
    with stages.open(*REGIONS) as aws:
        aws.event({"httpMethod": "DELETE", "path": "/api/v1/global/jobs"}).says(dry_run=True)
        for region in REGIONS:
            aws.deleted_with(region, dry_run=True)


@pytest.mark.requirement("aggregator.deletion.dry-run-default")
def test_the_last_deletion_is_forgotten(stages: Stages) -> None:
    """That somebody deleted something doesn't mean that the next one wants to, or wants the same."""
    with stages.open(*REGIONS) as aws:
        aws.delete("/api/v1/global/jobs", {"namespace": "team-a", "dry_run": False}).says(dry_run=False)
        mark = aws.mark()
        aws.delete("/api/v1/global/jobs", {"status": "failed"}).says(dry_run=True)
        for region in REGIONS:
            sent = [body if isinstance(body, dict) else {} for body in aws.bodies(region, mark)]
            forgotten = all(body.get("dry_run") is True and body.get("namespace") is None for body in sent)
            aws.expect(bool(sent) and forgotten, f"nothing of the deletion before, not {sent}")


@pytest.mark.requirement("aggregator.deletion.filters")
@pytest.mark.parametrize(
    "body",
    [
        {"namespace": "team-a", "dry_run": False},
        {"status": "failed", "dry_run": False},
        {"older_than_days": 30, "dry_run": True},
        {"label_selector": "app=x,tier in (a,b)", "dry_run": False},
        {"namespace": "a", "status": "failed", "older_than_days": 1, "label_selector": "x=é", "dry_run": False},
    ],
    ids=lambda body: "-".join(body),
)
def test_filters_of_a_deletion_are_passed_on(stages: Stages, body: dict[str, Any]) -> None:
    """A filter that gets lost widens the deletion."""
    with stages.open(*REGIONS) as aws:
        aws.delete("/api/v1/global/jobs", body).says(dry_run=body["dry_run"])
        for region in REGIONS:
            aws.asked_with_json(region, body)


@pytest.mark.requirement("aggregator.deletion.merge")
def test_results_of_a_deletion(stages: Stages) -> None:
    """What was deleted where, with zero for what a region leaves out, and the failed ones beside it."""
    answers: dict[str, Any] = {
        "ap-southeast-2": {"total_matched": 3, "deleted_count": 2, "failed_count": 1},
        "ca-central-1": {"total_matched": 4},
        "ca-west-1": {"deleted_count": 2},
        "eu-west-1": {},
        "sa-east-1": "HTTP 500",
        "us-east-1": "HTTP 500",
    }
    with stages.open(*reversed(answers)) as aws:
        for region, body in answers.items():
            failed = isinstance(body, str)
            aws.region(region).answers(
                JOBS, status=500 if failed else 200, json={} if failed else body, method="DELETE"
            )
        for dry_run in (False, True):
            reply = aws.delete("/api/v1/global/jobs", {"namespace": "team-a", "dry_run": dry_run})
            reply.is_(200, aggregation.deletion(answers, dry_run=dry_run))
