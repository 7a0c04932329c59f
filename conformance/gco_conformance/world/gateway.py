"""What API Gateway and the service behind it say to a request before it is answered."""

from __future__ import annotations

import datetime
import email.utils
import uuid
from collections.abc import Callable

from gco_conformance.http_messages import Headers, Reply, Request
from gco_conformance.world import signature
from gco_conformance.world.service import json_reply, refusal
from gco_conformance.world.signature import Credentials

STAGE = "/prod"


def check(
    request: Request,
    *,
    host: str,
    region: str,
    find: Callable[[str], Credentials | None],
    now: float,
) -> tuple[Reply, str] | None:
    """The answer to a request that isn't accepted, and why it isn't; None when it is accepted.

    First the signature, then the route, then the service's OpenAPI document.
    """
    named = (request.header("host") or "").lower().removesuffix(":443").rstrip(".")
    if named != host:
        return _forbidden("Forbidden", "ForbiddenException"), f"sent to the host {named!r}"
    refused = signature.check(request, find=find, region=region, service="execute-api", now=now)
    if refused is not None:
        return _forbidden(refused.message, refused.problem.gateway), refused.message
    path = service_path(request)
    if path is None:
        return _forbidden("Forbidden", "ForbiddenException"), f"{request.path} isn't below {STAGE}"
    answer = refusal(request, path)
    return None if answer is None else (answer, answer.body.decode("utf-8", "replace"))


def service_path(request: Request) -> str | None:
    """The path that the service behind the API sees; None when the request isn't for the API's stage."""
    path = request.path
    return path.removeprefix(STAGE) if path.startswith(STAGE + "/") else None


def own_headers(request: Request, now: float) -> Headers:
    """The headers that API Gateway adds to every answer."""
    date = email.utils.format_datetime(datetime.datetime.fromtimestamp(int(now), datetime.UTC), usegmt=True)
    connection = "keep-alive" if request.keeps_alive else "close"
    return (("Date", date), ("x-amzn-RequestId", str(uuid.uuid4())), ("Connection", connection))


def _forbidden(message: str, error: str) -> Reply:
    return json_reply(403, {"message": message}, ("x-amzn-ErrorType", error))
