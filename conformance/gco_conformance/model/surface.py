"""What the gateway of a checkout exposes: the operations that are kept and the paths that aren't delivered.

Reads well-formed checkouts only: the kit knows what is wrong in the others, since it planted it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.route import Route
from gco_conformance.model.positions import METHODS
from gco_conformance.model.routing import winner


@dataclass(frozen=True)
class Kept:
    """An operation of the composed document: who receives it, by which route, documented under which path."""

    service: str
    route: Route
    documented_path: str


@dataclass(frozen=True)
class Unreachable:
    """A documented path that its Service doesn't receive, and the route that takes it instead, if any."""

    path: str
    service: str
    route: Route | None


@dataclass(frozen=True)
class Surface:
    """The gateway's surface. `kept` is keyed by path and lower-case method."""

    routes: tuple[Route, ...]
    namespace: str
    services: Mapping[str, Mapping[str, Any]]
    kept: Mapping[tuple[str, str], Kept]
    unreachable: tuple[Unreachable, ...]


@functools.cache
def read(checkout: Checkout) -> Surface:
    """The surface that `checkout` describes."""
    services = checkout.services()
    [route] = [document for document in checkout.manifest() if document.get("kind") == "HTTPRoute"]
    routes = tuple(_routes(route))
    kept: dict[tuple[str, str], Kept] = {}
    unreachable: list[Unreachable] = []
    for service in sorted({route.service for route in routes}):
        base = base_path(services[service])
        for documented, item in sorted(services[service].get("paths", {}).items()):
            if documented.startswith("x-"):
                continue
            path = base + documented
            route_taken = winner(routes, path)
            if route_taken is None or route_taken.service != service:
                unreachable.append(Unreachable(path, service, route_taken))
                continue
            for method in METHODS & _path_item(services[service], item).keys():
                kept[path, method] = Kept(service, route_taken, documented)
    return Surface(routes, route["metadata"]["namespace"], services, kept, tuple(unreachable))


def _routes(route: Mapping[str, Any]) -> list[Route]:
    found = []
    for rule in route["spec"]["rules"]:
        [backend] = rule["backendRefs"]
        for match in rule.get("matches") or [{}]:
            prefix = match.get("path", {}).get("value", "/")
            found.append(Route(prefix, backend["name"], backend["port"]))
    return found


def base_path(document: Mapping[str, Any]) -> str:
    """The path below which a service answers, without a slash at its end."""
    servers = document.get("servers") or [{}]
    return urlsplit(str(servers[0].get("url", "/"))).path.rstrip("/")


def _path_item(document: Mapping[str, Any], item: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = item.get("$ref", "")
    if not reference.startswith("#/components/pathItems/"):
        return item
    named: Mapping[str, Any] = document["components"]["pathItems"][reference.rsplit("/", 1)[1]]
    return {**named, **item}
