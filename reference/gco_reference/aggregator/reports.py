"""What a region may answer on each route: its shape is checked here, before anything is merged (section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MAX_COUNT = 2**53  # the largest integer that every reader of JSON keeps exactly


class WrongShapeError(Exception):
    """The region's JSON isn't what its route answers; the text is for the log."""


@dataclass(frozen=True)
class JobsReport:
    jobs: tuple[Mapping[str, Any], ...]
    count: int
    total: int


@dataclass(frozen=True)
class DeletionReport:
    matched: int
    deleted: int
    failed: int


@dataclass(frozen=True)
class HealthReport:
    status: str
    cluster_id: Any
    kubernetes_api: Any


@dataclass(frozen=True)
class StatusReport:
    cluster_id: Any
    templates_count: int
    webhooks_count: int
    resource_limits: Mapping[str, Any]
    allowed_namespaces: list[Any]


def jobs_report(body: Mapping[str, Any]) -> JobsReport:
    jobs = body.get("jobs", [])
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise WrongShapeError("jobs isn't a list of objects")
    return JobsReport(tuple(jobs), _count(body, "count", len(jobs)), _count(body, "total", len(jobs)))


def deletion_report(body: Mapping[str, Any]) -> DeletionReport:
    return DeletionReport(
        matched=_count(body, "total_matched", 0),
        deleted=_count(body, "deleted_count", 0),
        failed=_count(body, "failed_count", 0),
    )


def health_report(body: Mapping[str, Any]) -> HealthReport:
    status = body.get("status", "unknown")
    if not isinstance(status, str):
        raise WrongShapeError("status isn't text")
    return HealthReport(status, body.get("cluster_id"), body.get("kubernetes_api"))


def status_report(body: Mapping[str, Any]) -> StatusReport:
    limits, namespaces = body.get("resource_limits", {}), body.get("allowed_namespaces", [])
    if not isinstance(limits, dict):
        raise WrongShapeError("resource_limits isn't an object")
    if not isinstance(namespaces, list):
        raise WrongShapeError("allowed_namespaces isn't a list")
    return StatusReport(
        cluster_id=body.get("cluster_id"),
        templates_count=_count(body, "templates_count", 0),
        webhooks_count=_count(body, "webhooks_count", 0),
        resource_limits=limits,
        allowed_namespaces=namespaces,
    )


def _count(body: Mapping[str, Any], name: str, default: int) -> int:
    count = body.get(name, default)
    if type(count) is not int or not 0 <= count <= _MAX_COUNT:  # isinstance would take true for 1
        raise WrongShapeError(f"{name} isn't a count")
    return count
