"""The document of the global routes as Schemathesis has it, read once for all checks."""

from __future__ import annotations

import copy
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gco_conformance.evidence.violation import NotTested
from gco_conformance.extras import missing
from gco_conformance.importing import ALONE
from gco_conformance.suite.described.request import Request, Standing, asked
from gco_conformance.suite.property import generated
from gco_fixtures.global_api import global_document
from gco_fixtures.services import regional_services

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from schemathesis.specs.openapi.schemas import OpenApiSchema

EXTRA = "schemathesis"
LIST, DELETE = "GET /api/v1/global/jobs", "DELETE /api/v1/global/jobs"
HEALTH, STATUS = "GET /api/v1/global/health", "GET /api/v1/global/status"
ROUTES = (LIST, DELETE, HEALTH, STATUS)
CORE_LIMIT = 500
"""What is more than this differs between core and hardened."""

_METHODS = ("get", "post", "put", "patch", "delete")
_OTHER = "x-gco-other-methods"
_CONFIGURATION = {
    # Nothing in the world gives reason for a 500, though callers have to expect one.
    "checks": {
        "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", 503]},
        "positive_data_acceptance": {"expected-statuses": [200]},
    },
    "generation": {"mode": "positive"},
    # The document has its links written down.
    "phases": {"stateful": {"inference": {"algorithms": []}}},
}


class Described:
    """The operations of the document, by method and path, and the requests that it allows or forbids.

    Those of other methods than the document lists are operations as well, with the one answer that it has for
    them. Of what it allows, requests have limits up to `limit` and the states of jobs that regions know.
    """

    def __init__(self, limit: int = CORE_LIMIT) -> None:
        self._document = _narrowed(global_document(), limit)
        self._strategies: dict[tuple[str, bool], SearchStrategy[Request]] = {}

    @cached_property
    def schema(self) -> OpenApiSchema:
        """The document as it is published, but for the limit."""
        return _loaded(self._document)

    @cached_property
    def _operations(self) -> Mapping[str, Any]:
        schema = _loaded(_with_other_methods(self._document))
        places = [(path, method) for path in self._document["paths"] for method in _METHODS]
        return {f"{method.upper()} {path}": schema[path][method] for path, method in places}

    def other_methods(self, path: str) -> Sequence[str]:
        """The labels of the operations on a path that the document doesn't list."""
        listed = self._document["paths"][path]
        return [f"{method.upper()} {path}" for method in _METHODS if method not in listed]

    def requests(self, label: str, seed: int, examples: int, *, wrong: bool = False) -> SearchStrategy[Request]:
        """Requests for an operation that are right beyond doubt, or `wrong` beyond doubt.

        The first `examples` of `seed` have been made when this returns, so that no two threads do that at once.
        """
        with SCHEMATHESIS, ALONE:
            if (label, wrong) not in self._strategies:
                self._strategies[label, wrong] = self._strategy(label, wrong)
            strategy = self._strategies[label, wrong]
            generated(strategy, seed, examples)
        return strategy

    def _strategy(self, label: str, wrong: bool) -> SearchStrategy[Request]:
        with ALONE:
            import schemathesis

        mode = schemathesis.GenerationMode.NEGATIVE if wrong else schemathesis.GenerationMode.POSITIVE
        wanted = Standing.WRONG if wrong else Standing.RIGHT
        cases = self._operations[label].as_strategy(generation_mode=mode)
        # Whether a deletion may have no body at all is a matter of its own, and no other check's.
        fitting = asked(cases).filter(lambda request: label != DELETE or request.event["body"] is not None)
        return fitting.filter(lambda request: request.standing is wanted)


_LOADING = threading.Lock()
SCHEMATHESIS = threading.RLock()
"""Held while it works, and taken before `ALONE`: it isn't made for several threads, and imports as it goes."""
_READ: dict[int, Described] = {}


def described(limit: int = CORE_LIMIT) -> Described:
    """The document for limits up to `limit`. Raises `NotTested` where Schemathesis isn't installed."""
    reason = missing(EXTRA)
    if reason:
        raise NotTested(reason)
    with _LOADING:
        if limit not in _READ:
            _READ[limit] = Described(limit)
        return _READ[limit]


def prepare() -> None:
    """Import Schemathesis and have it read the document, which takes about a second."""
    described().requests(LIST, 0, 1)


def _loaded(document: dict[str, Any]) -> OpenApiSchema:
    with ALONE:
        import schemathesis
        from schemathesis.config import SchemathesisConfig

    # With a configuration of its own: Schemathesis would look for one in the directories above, which isn't ours.
    return schemathesis.openapi.from_dict(document, config=SchemathesisConfig.from_dict(_CONFIGURATION))


def _narrowed(document: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """The document with this limit, and with no states of jobs but those that the regions know."""
    changed: dict[str, Any] = copy.deepcopy(dict(document))
    components = changed["components"]
    components["parameters"]["Limit"]["schema"]["maximum"] = limit
    states = regional_services()["jobs"]["components"]["schemas"]["JobStatus"]["enum"]
    components["schemas"]["DeletionRequest"]["properties"]["status"]["enum"] = states
    return changed


def _with_other_methods(document: Mapping[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(dict(document))
    for item in changed["paths"].values():
        response = item.pop(_OTHER)
        status = "405" if response["$ref"].endswith("/MethodNotAllowed") else "404"
        for method in _METHODS:
            item.setdefault(method, {"responses": {status: response}})
    return changed
