"""The service behind a regional API: which requests its OpenAPI documents allow, and what it says to others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gco_conformance.gateway.refusals import JSON, json_reply
from gco_conformance.gateway.service import Service
from gco_conformance.http_messages import Reply, Request
from gco_fixtures.services import regional_services

__all__ = ["JSON", "json_reply", "refusal"]


def refusal(request: Request, path: str) -> Reply | None:
    """What the service answers to a request for `path` that its document doesn't allow; None when it does."""
    service = _by_path().get(path)
    return json_reply(404, {"detail": "Not Found"}) if service is None else service.refusal(request, path)


@cache
def _by_path() -> Mapping[str, Service]:
    """The service that documents a path; none has parameters."""
    services = [Service(document) for document in regional_services().values()]
    return {path: service for service in services for path in service.by_path}
