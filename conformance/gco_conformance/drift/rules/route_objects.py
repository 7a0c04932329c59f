"""HTTPRoutes and rules that aren't in effect, or that decide by more than the gate knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import Gateway, HttpRoute, Parent
from gco_conformance.drift.project import Project
from gco_conformance.drift.rules.answers import rule_text

_SPEC = "https://gateway-api.sigs.k8s.io/reference/spec/"

NO_BACKEND: Final = Rule(
    "rule.no-backend",
    Severity.ERROR,
    "a rule that leads to no Service, or to Services of weight 0 only",
    "500 from the gateway for every path of the rule, those of shorter rules included.",
    "Give the rule a backend that receives traffic, or take it out.",
    (f"{_SPEC}#httprouterule",),
)
INVALID_PATH: Final = Rule(
    "rule.invalid-path",
    Severity.ERROR,
    "a rule's path that Gateway API doesn't allow",
    "The old routes go on: the Kubernetes API server refuses the whole HTTPRoute.",
    "Write a path that begins with / and has no //, /./, /../, %2f or #.",
    (f"{_SPEC}#httppathmatch",),
)
NOT_MODELLED: Final = Rule(
    "rule.not-modelled",
    Severity.WARNING,
    "a rule that decides by more than the path",
    "Something that this gate can't tell: it knows paths, not headers, methods, rewrites or weights. It says "
    "nothing about the deliveries that depend on them.",
    "Decide by path prefix alone, or suppress the finding with a reason and check these requests otherwise.",
    (f"{_SPEC}#httproutematch",),
)
NOT_ATTACHED: Final = Rule(
    "route.not-attached",
    Severity.ERROR,
    "an HTTPRoute that no Gateway of the manifest takes in",
    "404 from the gateway for every path: none of the HTTPRoute's rules is in effect.",
    "Name the Gateway and, if any, its listener in parentRefs as they are called.",
    (f"{_SPEC}#parentreference",),
)
RULES: Final = (NO_BACKEND, INVALID_PATH, NOT_MODELLED, NOT_ATTACHED)
_INVALID = re.compile(r"^(?!/)|//|/\.{1,2}(/|$)|%2f|#", re.IGNORECASE)


def check(project: Project) -> Iterator[Finding]:
    for route in project.manifest.routes:
        yield from _rules(route)
        yield from _not_attached(project, route)


def _rules(route: HttpRoute) -> Iterator[Finding]:
    for matches in route.rules:
        first = matches[0]
        if not first.service and not first.opaque:
            yield Finding(
                NO_BACKEND,
                Subject(first.path, route=first.route),
                first.backend_place,
                f"{rule_text(first)} leads to no Service that receives traffic",
                f"500 from the gateway for {first.path}"
                + ("" if first.exact else " and everything below that has no rule of its own"),
                "name a backendRef with a weight above 0, or take the rule out",
            )
        for match in matches:
            if _INVALID.search(match.path):
                yield Finding(
                    INVALID_PATH,
                    Subject(match.path, match.service, match.route),
                    match.place,
                    f"{match.path!r} is no path that Gateway API allows",
                    "the routes as they were before: the API server refuses the HTTPRoute",
                    "write it with one / before each segment, and without . and .. as segments, %2f and #",
                )
    for part in route.not_modelled:
        yield Finding(
            NOT_MODELLED,
            Subject(path=part.what, route=route.title),
            part.place,
            f"{part.what} decides here, and isn't modelled",
            "not known: what depends on it isn't checked",
            "decide by path prefix alone, or suppress this with the reason",
        )


def _not_attached(project: Project, route: HttpRoute) -> Iterator[Finding]:
    gateways = project.manifest.gateways
    if not gateways or any(_takes(gateway, parent) for gateway in gateways for parent in route.parents):
        return
    known = ", ".join(
        f"{gateway.namespace}/{gateway.name}" + (f" ({', '.join(gateway.listeners)})" if gateway.listeners else "")
        for gateway in gateways
    )
    named = ", ".join(f"{p.namespace}/{p.name}" + (f" ({p.section})" if p.section else "") for p in route.parents)
    yield Finding(
        NOT_ATTACHED,
        Subject(route=route.title),
        route.parents[0].place if route.parents else route.place,
        f"HTTPRoute {route.title} names {named or 'no Gateway'}; the manifest has {known}",
        "404 from the gateway for every path",
        f"name one of {known} in parentRefs",
    )


def _takes(gateway: Gateway, parent: Parent) -> bool:
    same = (gateway.namespace, gateway.name) == (parent.namespace, parent.name)
    return same and (not parent.section or parent.section in gateway.listeners)
