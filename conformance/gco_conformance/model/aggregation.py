"""What an aggregator answers: the aggregator contract's section 4, as short as it can be said.

Each function takes what every region answered, in any order: the JSON object of a success, or the text of a
failure. It gives the body of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REDACTED = "Authenticated regional API request failed"
UNAVAILABLE = "Regional aggregation is temporarily unavailable"

Answers = Mapping[str, Mapping[str, Any] | str]
"""By region: a JSON object where the region answered, the error where it failed."""


def jobs(answers: Answers, limit: int = 50) -> dict[str, Any]:
    """The merged jobs, newest first, cut to `limit`."""
    succeeded = _succeeded(answers)
    found = [
        {**job, "_source_region": region} for region, body in succeeded.items() for job in body.get("jobs", ())
    ]
    found.sort(key=lambda job: (job["_source_region"], *(_text(job, key) for key in ("namespace", "name", "uid"))))
    found.sort(key=lambda job: _text(job, "creationTimestamp"), reverse=True)
    summaries = [
        {
            "region": region,
            "count": body.get("count", len(body.get("jobs", ()))),
            "total": body.get("total", len(body.get("jobs", ()))),
        }
        for region, body in succeeded.items()
    ]
    return {
        "total": sum(summary["total"] for summary in summaries),
        "count": len(found[:limit]),
        "limit": limit,
        "regions_queried": len(answers),
        "regions_successful": len(succeeded),
        "region_summaries": summaries,
        "jobs": found[:limit],
        "errors": _errors(answers),
    }


def status(answers: Answers) -> dict[str, Any]:
    """The status of every region that answered."""
    defaults: dict[str, Any] = {
        "cluster_id": None,
        "templates_count": 0,
        "webhooks_count": 0,
        "resource_limits": {},
        "allowed_namespaces": [],
    }
    succeeded = _succeeded(answers)
    return {
        "regions_queried": len(answers),
        "regions_successful": len(succeeded),
        "regions": [
            {"region": region, **{key: body.get(key, default) for key, default in defaults.items()}}
            for region, body in succeeded.items()
        ],
        "errors": _errors(answers),
    }


def health(answers: Answers) -> dict[str, Any]:
    """The health of every region, and of all."""
    regions: list[dict[str, Any]] = []
    for region, body in sorted(answers.items()):
        if isinstance(body, str):
            regions.append({"region": region, "status": "unreachable", "error": body})
        else:
            said = {key: body.get(key) for key in ("cluster_id", "kubernetes_api")}
            regions.append({"region": region, "status": body.get("status", "unknown"), **said})
    healthy = sum(entry["status"] == "healthy" for entry in regions)
    overall = "unhealthy" if healthy == 0 else "healthy" if healthy == len(regions) else "degraded"
    return {
        "overall_status": overall,
        "healthy_regions": healthy,
        "total_regions": len(regions),
        "regions": regions,
    }


def deletion(answers: Answers, dry_run: bool = True) -> dict[str, Any]:
    """What was deleted in every region that answered, or would have been."""
    results = [
        {
            "region": region,
            "matched": body.get("total_matched", 0),
            "deleted": body.get("deleted_count", 0),
            "failed": body.get("failed_count", 0),
        }
        for region, body in _succeeded(answers).items()
    ]
    return {
        "dry_run": dry_run,
        "total_matched": sum(result["matched"] for result in results),
        "total_deleted": sum(result["deleted"] for result in results),
        "regions_queried": len(answers),
        "region_results": results,
        "errors": _errors(answers),
    }


def _succeeded(answers: Answers) -> dict[str, Mapping[str, Any]]:
    return {region: body for region, body in sorted(answers.items()) if not isinstance(body, str)}


def _errors(answers: Answers) -> list[dict[str, str]] | None:
    errors = [
        {"region": region, "error": body} for region, body in sorted(answers.items()) if isinstance(body, str)
    ]
    return errors or None


def _text(job: Mapping[str, Any], key: str) -> str:
    """A job's metadata as text; what isn't text counts as empty."""
    metadata = job.get("metadata")
    value = metadata.get(key) if isinstance(metadata, dict) else None
    return value if isinstance(value, str) else ""
