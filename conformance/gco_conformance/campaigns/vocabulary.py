"""What campaigns choose from. Each choice is small and named, so that a failing run can be made simpler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gco_conformance.world import faults
from gco_conformance.world.faults import Stage, WireFault
from gco_conformance.world.stack import ENDPOINT

Refused = tuple[str, str, Mapping[str, str], str | None, str]
"""A request that is refused: method, path, query, body, and what the error names."""

REGIONS = ("eu-west-1", "us-east-1", "ap-southeast-2", "us-west-2")

_OTHER = REGIONS[0]

PROMPT_FAULTS: tuple[WireFault, ...] = (
    faults.Status(500),
    faults.Status(503),
    faults.Status(503, retry_after="1"),
    *(faults.Status(code) for code in (201, 400, 403, 404, 409, 422, 429, 502, 504)),
    faults.Refuse(),
    faults.Unresolved(),
    *(faults.Reset(phase) for phase in ("before-headers", "handshake", "headers", "body")),
    *(faults.End(phase) for phase in ("before-headers", "handshake", "headers", "body", "end")),
    faults.CutBody(),
    faults.WrongLength(10),
    faults.WrongLength(-5),
    *(faults.BadChunk(what) for what in ("size", "short", "unended")),
    faults.Chunks(7),
    faults.Delay(0.2),
    faults.Interim(100, times=2),
    *(faults.Redirect(code) for code in (301, 303, 307, 308)),
    faults.Redirect(302, to=_OTHER),
    faults.Redirect(307, to=_OTHER),
    faults.Redirect(307, scheme="http"),
    *(faults.Body(text) for text in ("", "<html>", "[]", "null", '{"total": 1')),
    *(faults.Member("total", text) for text in ("null", '"3"', "-1", "true", "1.5", "NaN", str(2**53 + 2))),
    *(faults.Member("jobs", text) for text in ("null", "{}", '["a"]', "[null]", '[{"metadata": {}}, 3]')),
    *(faults.Member("deleted_count", text) for text in ("null", '"2"', "-1", "false")),
    faults.Member("total_matched", "1e300"),
    faults.Member("templates_count", '"4"'),
    faults.Member("webhooks_count", "-1"),
    faults.Member("load", "Infinity"),
    faults.DuplicateMember("total", "99"),
    faults.DuplicateMember("deleted_count", "0"),
    faults.DeepNesting(),
    faults.HugeBody(8 * 1024 * 1024 - 1024),
    faults.HugeBody(8 * 1024 * 1024 + 1024),
    faults.CompressionBomb(8 * 1024 * 1024 + 1024),
    faults.Flood(),
    faults.WrongCoding(),
    faults.Charset("utf-16"),
    *(faults.BadCertificate(kind) for kind in ("unknown-ca", "expired", "not-yet-valid", "wrong-name")),
    faults.TlsAlert(),
    faults.OldTls(),
    faults.NotTls(),
    faults.DeadConnection("reset"),
    faults.DeadConnection("ended"),
)
"""Faults of a region's API that cost nobody time."""

WAITING_FAULTS: tuple[WireFault, ...] = (
    faults.Hang("before-headers"),
    *(faults.Hang(phase) for phase in ("handshake", "headers", "body")),
    faults.Hang("before-headers", seconds=9),
    faults.BlackHole(),
    faults.SilentDns(),
    *(faults.Drip(phase, bytes_per_second=0.5) for phase in ("headers", "body", "chunks")),
    faults.DeadConnection("silent"),
    faults.Status(503, retry_after="12"),
)
"""Faults for which a caller may wait as long as an invocation may take."""

ONE_SHOTS: tuple[WireFault, ...] = tuple(
    fault
    for fault in PROMPT_FAULTS
    if fault.stage in {Stage.REPLY, Stage.ANSWER}
    and not isinstance(fault, (faults.HugeBody, faults.CompressionBomb, faults.Flood))
)
"""Faults that may strike a single request."""


def by_kind(choices: Sequence[WireFault]) -> tuple[tuple[WireFault, ...], ...]:
    """The faults of each kind, so that kinds with many variants aren't chosen more often than others.

    Faults at different phases of an answer, or of different members of it, are different kinds.
    """
    kinds: dict[tuple[str, ...], list[WireFault]] = {}
    for fault in choices:
        place = (str(getattr(fault, detail, "")) for detail in ("phase", "key"))
        kinds.setdefault((fault.name, *place), []).append(fault)
    return tuple(map(tuple, kinds.values()))


STACK_FAULTS: tuple[WireFault, ...] = (
    faults.Status(500),
    faults.Status(503),
    faults.Body(""),
    faults.Body("<html>"),
    faults.CutBody(),
    *(faults.Reset(phase) for phase in ("before-headers", "body")),
    *(faults.End(phase) for phase in ("before-headers", "headers")),
    faults.BadChunk("size"),
    faults.Delay(0.2),
    faults.Chunks(),
)
"""Faults of calls to CloudFormation that cost nobody time. All but the last two leave nothing that is of use."""
HARMLESS_STACK_FAULTS = STACK_FAULTS[-2:]

WAITING_STACK_FAULTS: tuple[WireFault, ...] = (
    faults.Hang("before-headers"),
    faults.Hang("body"),
    faults.Drip("body", bytes_per_second=0.5),
)

_ADDRESS = "https://abcdefghij.execute-api.eu-west-1.amazonaws.com/prod"

BRIDGES: tuple[Mapping[str, Any], ...] = tuple(
    {"status": status} for status in ("UPDATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED")
)
"""States of a stack in which it vouches for a region's API."""

NO_BRIDGES: tuple[tuple[str | Mapping[str, Any], ...], ...] = (
    ("missing", "denied", {"error": {"code": "ValidationError", "status": 400}}),
    ("several", {"named": "gco-regional-api-elsewhere"}),
    ("paged",),
    tuple({"status": status} for status in ("ROLLBACK_COMPLETE", "CREATE_IN_PROGRESS", "DELETE_IN_PROGRESS")),
    (
        {"output": "https://example.com/prod"},
        {"outputs": [{"key": ENDPOINT, "value": _ADDRESS.replace("https", "http")}]},
        {"outputs": [{"key": ENDPOINT, "value": _ADDRESS}, {"key": ENDPOINT, "value": _ADDRESS}]},
    ),
)
"""States in which it doesn't, by what is wrong."""

_JOB_A = {
    "metadata": {"name": "a", "namespace": "team-a", "uid": "1", "creationTimestamp": "2026-03-01T10:00:00Z"}
}
_JOB_B = {
    "metadata": {"name": "b", "namespace": "team-a", "uid": "2", "creationTimestamp": "2026-03-02T10:00:00Z"}
}
_JOB_C = {"metadata": {"name": "c", "namespace": "team-b", "uid": "3"}, "status": {"active": 1}}
_JOB_D = {"metadata": {"name": "a", "namespace": "team-a", "uid": "0", "creationTimestamp": 5}}

ANSWERS: tuple[Mapping[str, Mapping[str, Any]], ...] = (
    {"jobs": {"json": {"total": 1, "jobs": [_JOB_A]}}},
    {"jobs": {"json": {"total": 9, "count": 3, "jobs": [_JOB_C, _JOB_B, _JOB_A]}}},
    {"jobs": {"json": {"total": 2, "jobs": [_JOB_B, _JOB_D], "cluster_id": "x"}}},
    {"jobs": {"json": {"total": 0, "jobs": []}}},
    {"jobs": {"json": {"total": 2**40, "jobs": [_JOB_A]}}},
    {"deletion": {"json": {"total_matched": 3, "deleted_count": 2, "failed_count": 1}}},
    {"deletion": {"json": {"deleted_count": 4, "details": []}}},
    {"deletion": {"json": {"total_matched": 2**31 + 1, "deleted_count": 2**31, "failed_count": 1}}},
    {"health": {"json": {"status": "degraded", "cluster_id": "slow", "kubernetes_api": "slow"}}},
    {"health": {"status": 503, "json": {"status": "degraded", "cluster_id": "x"}}},
    {"health": {"status": 503, "json": {"cluster_id": "unknown-status"}}},
    {"health": {"status": 503, "body": '{"status": "degraded", "cluster_id": "x", "load": NaN}'}},
    {"health": {"json": {"status": "healthy", "cluster_id": "well", "kubernetes_api": "healthy"}}},
    {"status": {"json": {"cluster_id": "x", "templates_count": 5, "webhooks_count": 1}}},
    {"status": {"json": {"resource_limits": {"cpu": "4"}, "allowed_namespaces": ["a"], "templates_count": 0}}},
    {"status": {"status": 503, "json": {"cluster_id": "x"}}},
)
"""What regions may answer, all of it but a report with a NaN of the right shape."""

WITH_JOBS = tuple(each for each in ANSWERS if len(each.get("jobs", {}).get("json", {}).get("jobs", ())) > 1)
"""Those with more than one job, so that there is something to put in order and to leave out."""

LIMITS = (None, "1", "2", "50", "501", "1000")
FILTERS: tuple[Mapping[str, str], ...] = (
    {},
    {"namespace": "team-a"},
    {"status": "failed"},
    {"namespace": "team a+b/ü", "status": "running"},
)
BODIES: tuple[Mapping[str, Any] | None, ...] = (
    {"namespace": "team-a", "dry_run": True},
    {"namespace": "team-a", "dry_run": False},
    {"status": "failed", "older_than_days": 30, "dry_run": False},
    {"label_selector": "app=x"},
    {"namespace": " team-a ", "dry_run": False},
    None,
)

_JOBS = "/api/v1/global/jobs"


def _limits(*values: str) -> tuple[Refused, ...]:
    return tuple(("GET", _JOBS, {"limit": value}, None, "limit") for value in values)


def _bodies(field: str, *bodies: str) -> tuple[Refused, ...]:
    return tuple(("DELETE", _JOBS, {}, body, field) for body in bodies)


REFUSED: tuple[tuple[Refused, ...], ...] = (
    _limits("0", "-1", "1001"),
    _limits("ten", "5.0", "1e2"),
    _bodies("", '["namespace"]', "null", '"namespace"'),
    _bodies("", '{"namespace": "team-a"', "{'namespace': 'team-a'}", "namespace=team-a"),
    _bodies("", "eyJzdGF0dXMiOiAiZmFpbGVkIn0="),
    _bodies("dry_run", '{"dry_run": "false"}', '{"dry_run": 0}', '{"dry_run": null}'),
    _bodies("older_than_days", '{"older_than_days": 0}', '{"older_than_days": -1}', '{"older_than_days": 366}'),
    _bodies(
        "older_than_days", '{"older_than_days": "30"}', '{"older_than_days": 1.5}', '{"older_than_days": true}'
    ),
    _bodies("dryrun", '{"dryrun": true}', '{"namespace": "team-a", "dryrun": true}'),
    _bodies("namespace", '{"namespace": ["team-a"]}', '{"namespace": 5, "dry_run": true}'),
    _bodies("status", '{"status": {"phase": "failed"}}', '{"status": false}'),
)
"""Requests that are refused, by what is wrong."""

ELSEWHERE: tuple[tuple[str, str], ...] = (
    ("POST", "/api/v1/global/health"),
    ("DELETE", "/api/v1/global/status"),
    ("OPTIONS", "/api/v1/global/health"),
    ("GET", "/api/v1/global"),
    ("GET", "/api/v1/jobs"),
)
"""Requests, by method and path, that there is nothing for."""

SECONDS = (60.0, 300.0, 600.0, 1800.0, 3600.0)
"""By how much time moves."""
