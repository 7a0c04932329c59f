"""What a request asks for: a route of the regional API and how its answers are merged, or a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gco_conformance.campaigns.effect import Outcome
from gco_conformance.campaigns.vocabulary import REFUSED
from gco_conformance.model import aggregation
from gco_conformance.scenarios.step import Asked, Request

PATHS: Mapping[str, str] = {
    "jobs": "/api/v1/global/jobs",
    "deletion": "/api/v1/global/jobs",
    "health": "/api/v1/global/health",
    "status": "/api/v1/global/status",
}

MOST_JOBS = 1000
"""How many jobs a region gives at most, by its OpenAPI document."""


@dataclass(frozen=True)
class Question:
    """A request that reaches the regions: by `route`, and with the body that all outcomes `merge` to.

    `asked` is what the regions are then asked for.
    """

    route: str
    merge: Callable[[Mapping[str, Outcome]], dict[str, Any]]
    asked: Asked


@dataclass(frozen=True)
class Refusal:
    """A request that reaches nobody: its status, and what the error mentions."""

    status: int
    mentions: str


def question_of(request: Request) -> Question | None:
    """What a request asks the regions; None where it is refused."""
    if _refused(request) is not None:
        return None
    match request.method, request.path:
        case "GET", "/api/v1/global/jobs":
            limit = int(request.query.get("limit", "50"))
            filters = {name: request.query.get(name) for name in ("namespace", "status")}
            # Of regions that give 1,000 at most, twice more than 500 can't be asked for.
            twice = {"limit": str(2 * limit)} if limit <= MOST_JOBS // 2 else {}
            asked = Asked({**filters, **twice})
            return Question("jobs", lambda outcomes: aggregation.jobs(outcomes, limit), asked)
        case "GET", "/api/v1/global/health":
            return Question("health", aggregation.health, Asked())
        case "GET", "/api/v1/global/status":
            return Question("status", aggregation.status, Asked())
        case "DELETE", "/api/v1/global/jobs":
            body = json.loads(request.body) if request.body else {}
            dry_run = bool(body.get("dry_run", True))
            asked = Asked(json=({**body, "dry_run": dry_run},))
            return Question("deletion", lambda outcomes: aggregation.deletion(outcomes, dry_run), asked)
    return None


def refusal_of(request: Request) -> Refusal:
    """How a request is refused that asks nobody."""
    refused = _refused(request)
    if refused is not None:
        return Refusal(400, refused)
    known = request.path in PATHS.values()
    return Refusal(405, "") if known else Refusal(404, "Not found")


def _refused(request: Request) -> str | None:
    """What the error names where a request is one of those that are refused."""
    form = (request.method, request.path, request.query, request.body)
    return next((mentions for kind in REFUSED for *asked, mentions in kind if tuple(asked) == form), None)
