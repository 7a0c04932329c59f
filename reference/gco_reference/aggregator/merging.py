"""One answer from many: pure functions of what the regions reported (contract section 4).

Everything is ordered by region here, so an answer can't depend on the order in which the regions' came in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from gco_reference.aggregator.reports import DeletionReport, HealthReport, JobsReport, StatusReport

Report = TypeVar("Report")
Answer = dict[str, Any]
Job = Mapping[str, Any]


@dataclass(frozen=True)
class Collected(Generic[Report]):
    """What came of every region: each is either in `reports` or in `errors`."""

    reports: Mapping[str, Report]
    errors: Mapping[str, str]

    def by_region(self) -> list[tuple[str, Report]]:
        return sorted(self.reports.items(), key=lambda item: item[0])

    def summary(self) -> Answer:
        return {"regions_queried": len(self.reports) + len(self.errors), "regions_successful": len(self.reports)}

    def error_list(self) -> list[Answer] | None:
        return [{"region": region, "error": self.errors[region]} for region in sorted(self.errors)] or None


def merge_jobs(collected: Collected[JobsReport], limit: int) -> Answer:
    reports = collected.by_region()
    located = [(region, job) for region, report in reports for job in report.jobs]
    jobs = [{**job, "_source_region": region} for region, job in _newest_first(located)[:limit]]
    return {
        "total": sum(report.total for _, report in reports),
        "count": len(jobs),
        "limit": limit,
        **collected.summary(),
        "region_summaries": [
            {"region": region, "count": report.count, "total": report.total} for region, report in reports
        ],
        "jobs": jobs,
        "errors": collected.error_list(),
    }


def shortened(report: JobsReport, limit: int) -> JobsReport:
    """The report with no more jobs than the answer can have: a region may send thousands that nobody asked for,
    and those are better sorted while others are waited for.
    """
    newest = _newest_first([("", job) for job in report.jobs])[:limit]
    return replace(report, jobs=tuple(job for _, job in newest))


def _newest_first(located: Sequence[tuple[str, Job]]) -> list[tuple[str, Job]]:
    """Regions and jobs in the order of the answer."""

    def text(job: Job, name: str) -> str:
        metadata = job.get("metadata")
        value = metadata.get(name) if isinstance(metadata, dict) else None
        return value if isinstance(value, str) else ""

    def place(entry: tuple[str, Job]) -> tuple[str, str, str, str]:
        region, job = entry
        return region, text(job, "namespace"), text(job, "name"), text(job, "uid")

    ascending = sorted(located, key=place)
    return sorted(ascending, key=lambda entry: text(entry[1], "creationTimestamp"), reverse=True)  # stable


def merge_deletion(collected: Collected[DeletionReport], dry_run: bool) -> Answer:
    reports = collected.by_region()
    return {
        "dry_run": dry_run,
        "total_matched": sum(report.matched for _, report in reports),
        "total_deleted": sum(report.deleted for _, report in reports),
        "regions_queried": collected.summary()["regions_queried"],
        "region_results": [{"region": region, **vars(report)} for region, report in reports],
        "errors": collected.error_list(),
    }


def merge_health(collected: Collected[HealthReport]) -> Answer:
    rows: dict[str, Answer] = {
        region: {"region": region, "status": "unreachable", "error": error}
        for region, error in collected.errors.items()
    }
    for region, report in collected.reports.items():
        rows[region] = {"region": region, **vars(report)}
    healthy = sum(row["status"] == "healthy" for row in rows.values())
    return {
        "overall_status": _overall(healthy, len(rows)),
        "healthy_regions": healthy,
        "total_regions": len(rows),
        "regions": [rows[region] for region in sorted(rows)],
    }


def _overall(healthy: int, regions: int) -> str:
    if healthy == 0:  # so too with no regions
        return "unhealthy"
    return "healthy" if healthy == regions else "degraded"


def merge_status(collected: Collected[StatusReport]) -> Answer:
    return {
        **collected.summary(),
        "regions": [{"region": region, **vars(report)} for region, report in collected.by_region()],
        "errors": collected.error_list(),
    }
