"""One region's part of a request: ask its API and say what came of it (contract section 3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from gco_reference.aggregator import strict_json
from gco_reference.aggregator.budget import Deadline
from gco_reference.aggregator.connections import Connections
from gco_reference.aggregator.details import details
from gco_reference.aggregator.exchange import Answer, Limits, NoAnswerError, Request, exchange
from gco_reference.aggregator.signing import Credentials, sign

REDACTED = "Authenticated regional API request failed"
KEPT_PATIENCE = 5.0  # seconds for a kept connection to begin its answer, before a new one is tried

_log = logging.getLogger(__name__)


class RegionFailedError(Exception):
    """The region has no usable answer; the text is for the caller, details are in the cause."""


def ask(
    region: str,
    request: Request,
    *,
    successes: Collection[int],
    credentials: Credentials | None,
    connections: Connections,
    deadline: Deadline,
) -> dict[str, Any]:
    """The JSON object that the region answers with one of the statuses `successes`.

    Raises `RegionFailedError` for another status and for another body, and what `Connections.open` and
    `exchange` raise.
    """
    signed = partial(sign, credentials=credentials, service="execute-api", region=region)
    answer = _attempts(region, request, signed, connections, deadline, successes.__contains__)
    if answer.status not in successes:
        raise RegionFailedError(f"HTTP {answer.status}")
    try:
        body = strict_json.parse(answer.body)
        if not isinstance(body, dict):
            raise strict_json.NotJsonError("isn't a JSON object")
    except strict_json.NotJsonError as error:
        raise RegionFailedError(REDACTED if answer.status == 200 else f"HTTP {answer.status}") from error
    return body


def _attempts(
    region: str,
    request: Request,
    signed: Callable[[Request], Mapping[str, str]],
    connections: Connections,
    deadline: Deadline,
    wants_body: Callable[[int], bool],
) -> Answer:
    """Sends the request once, or a second time where the first went to a kept connection that proved dead.

    A DELETE never uses a kept connection: it can't be sent again, and so needs one that is known to be alive.
    """
    kept = connections.take_kept(request.host) if request.method == "GET" else None
    if kept is not None:
        try:
            limits = Limits(begin=deadline.at_most(KEPT_PATIENCE), end=deadline)
            answer, reusable = exchange(kept, request, signed, limits, wants_body)
            if reusable:
                connections.keep(kept)
            return answer
        except NoAnswerError as error:
            _log.info("%s: the kept connection is dead: %s", region, details(error))
    new = connections.open(request.host, deadline)
    answer, reusable = exchange(new, request, signed, Limits(deadline, deadline), wants_body)
    if reusable:
        connections.keep(new)
    return answer
