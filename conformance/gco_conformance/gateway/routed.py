"""The routed system: the rules of a checkout decide who gets a request, and that service answers it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.route import Route
from gco_conformance.gateway.answers import answer
from gco_conformance.gateway.refusals import json_reply
from gco_conformance.gateway.service import UNUSABLE, Found, Service, error_line
from gco_conformance.gateway.signing import Envelope
from gco_conformance.gateway.templates import normalized
from gco_conformance.http_messages import Reply, Request
from gco_conformance.model.routing import winner
from gco_conformance.model.surface import Surface, base_path, read

SERVICE = "x-gco-simulated-service"
RULE = "x-gco-simulated-rule"
PORT = "x-gco-simulated-port"
NAMESPACE = "x-gco-simulated-namespace"
OPERATION = "x-gco-simulated-operation"
"""Headers of every answer: who gave it, by which rule, and for which documented operation, if for any."""


class Gateway:
    """The gateway of a checkout with its simulated services. May be asked from several threads at once.

    The same request gets the same answer, which depends on `seed` and on nothing before. The path of the
    configured server is where the gateway is: requests elsewhere reach no rule. Unless it is `signed`, it asks
    for no signatures.
    """

    def __init__(self, checkout: Checkout, seed: int = 0, *, signed: bool = True) -> None:
        self.checkout = checkout
        self._signed = signed
        self.seed = seed
        self.surface: Surface = read(checkout)
        self.envelope = Envelope.of(checkout.configuration)
        self.services = {name: Service(doc, base_path(doc)) for name, doc in self.surface.services.items()}
        self.unsigned = frozenset(checkout.configuration.get("unauthenticated_paths") or ())

    @cached_property
    def mounted_at(self) -> str:
        """The path of the configured server, without a slash at its end."""
        return server_path(self.checkout.configuration.get("server") or {})

    def route(self, path: str) -> Route | None:
        """The rule that takes a path below `mounted_at`, as it was sent."""
        return winner(self.surface.routes, normalized(path))

    def answer(self, request: Request, *, data: bool = True) -> Reply:
        """What a client gets, with the headers that tell how. Without `data` it is only told who accepts it."""
        below = self._below(request.path)
        route = None if below is None else self.route(below)
        if below is None or route is None:
            return json_reply(404, {"detail": "No rule of the gateway matches"})
        service = self.services[route.service]
        found = service.find(below)
        operation = found.methods.get(request.method) if found is not None else None
        told = [
            (SERVICE, route.service),
            (RULE, route.prefix),
            (PORT, str(route.port)),
            (NAMESPACE, self.surface.namespace),
        ]
        if operation is not None:
            told.append((OPERATION, f"{operation.method} {operation.path}"))
        reply = self._reply(service, found, request, below, data)
        return replace(reply, headers=(*reply.headers, *told))

    def is_signed(self, path: str, found: Found | None) -> bool:
        """Whether a path, or the documented one that it is an instance of, needs a signature."""
        open_ = path in self.unsigned or (found is not None and found.template in self.unsigned)
        return self._signed and not open_

    def _reply(self, service: Service, found: Found | None, request: Request, below: str, data: bool) -> Reply:
        if self.is_signed(below, found):
            refused = self.envelope.refused(request)
            if refused:
                return json_reply(403, {"detail": refused})
        try:
            refusal = service.refusal(request, below)
            if refusal is not None or found is None:
                return refusal or json_reply(404, {"detail": "Not Found"})
            operation = found.methods[request.method]
            return answer(service, operation, self._seed_of(request)) if data else Reply(200)
        except UNUSABLE as error:
            return json_reply(500, {"detail": f"The service's document can't be used: {error_line(error)}"})

    def _seed_of(self, request: Request) -> str:
        sent = hashlib.sha256(request.body).hexdigest()
        return f"{self.seed} {request.method} {request.target} {sent}"

    def _below(self, path: str) -> str | None:
        if not path.startswith(f"{self.mounted_at}/"):
            return None
        return path[len(self.mounted_at) :]


def server_path(server: Mapping[str, Any]) -> str:
    """The path of a server's URL, its variables replaced by their defaults; "" for none."""
    url = str(server.get("url", ""))
    variables = server.get("variables")
    for name, variable in variables.items() if isinstance(variables, dict) else ():
        default = variable.get("default", "") if isinstance(variable, dict) else variable
        url = url.replace(f"{{{name}}}", str(default))
    # A host is of no interest, and may hold what no host can, such as a variable without a default.
    scheme, separator, rest = url.partition("://")
    path = "/" + rest.partition("/")[2] if separator else scheme
    return urlsplit(path).path.rstrip("/") if path.startswith("/") else ""
