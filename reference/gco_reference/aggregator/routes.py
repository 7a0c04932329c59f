"""The four routes: what each asks the regions, how their answers are read, and how these become one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from gco_reference.aggregator import merging, reports, strict_json
from gco_reference.aggregator.answers import cut_to_size
from gco_reference.aggregator.merging import Collected
from gco_reference.aggregator.request_check import MAX_LIMIT, Deletion, JobsQuery, deletion, jobs_query

Report = TypeVar("Report")

JOBS = "/api/v1/global/jobs"
HEALTH = "/api/v1/global/health"
STATUS = "/api/v1/global/status"


class NotFoundError(Exception):
    """No route has this path, or jobs this method."""


class MethodNotAllowedError(Exception):
    """The path is right, and answers GET alone."""


@dataclass(frozen=True)
class Question(Generic[Report]):
    """The same request for every region, and what becomes of the answers."""

    read: Callable[[Mapping[str, Any]], Report]  # raises WrongShapeError
    merge: Callable[[Collected[Report]], Mapping[str, Any]]
    target: str  # path and query below the region's endpoint, encoded
    method: str = "GET"
    body: bytes = b""
    successes: Collection[int] = (200,)
    rows_are_cut: bool = False  # whether `merge` keeps the answer within Lambda's limit by itself


def question(event: Mapping[str, Any]) -> Question[Any]:
    """What an event asks. Raises `NotFoundError`, `MethodNotAllowedError` or `BadRequestError`."""
    method, path = event.get("httpMethod") or "GET", event.get("path")
    if (method, path) == ("GET", JOBS):
        return _jobs(jobs_query(event))
    if (method, path) == ("DELETE", JOBS):
        return _deletion(deletion(event))
    if path not in (HEALTH, STATUS):
        raise NotFoundError
    if method != "GET":
        raise MethodNotAllowedError
    if path == HEALTH:
        # 503 with a report says that the region is there, and degraded
        return Question(reports.health_report, merging.merge_health, "/api/v1/health", successes=(200, 503))
    return Question(reports.status_report, merging.merge_status, "/api/v1/status")


def _jobs(query: JobsQuery) -> Question[reports.JobsReport]:
    """Twice the limit is asked for, as far as a region goes: the newest jobs may all be in one region."""
    parameters = {"limit": str(min(2 * query.limit, MAX_LIMIT)), **query.filters}
    return Question(
        read=lambda body: merging.shortened(reports.jobs_report(body), query.limit),
        merge=lambda collected: cut_to_size(merging.merge_jobs(collected, query.limit)),
        target="/api/v1/jobs?" + urlencode(parameters, safe="", quote_via=quote),  # RFC 3986: no "+" for a space
        rows_are_cut=True,
    )


def _deletion(asked: Deletion) -> Question[reports.DeletionReport]:
    return Question(
        read=reports.deletion_report,
        merge=lambda collected: merging.merge_deletion(collected, asked.dry_run),
        target="/api/v1/jobs",
        method="DELETE",
        body=strict_json.write({**asked.filters, "dry_run": asked.dry_run}).encode("ascii"),
    )
