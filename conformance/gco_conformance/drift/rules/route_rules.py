"""Rules of HTTPRoutes that do nothing, mislead, or can't be judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import Gateway, HttpRoute, Match, Parent
from gco_conformance.drift.project import Group, Project
from gco_conformance.drift.rules.answers import rule_text

_SPEC = "https://gateway-api.sigs.k8s.io/reference/spec/"

DEAD: Final = Rule(
    "rule.dead",
    Severity.WARNING,
    "a rule under which no documented operation lives",
    "404 from the service for all that the rule gives it.",
    "Take the rule out, correct its prefix, or document what the service serves below it.",
)
NEVER_WINS: Final = Rule(
    "rule.never-wins",
    Severity.WARNING,
    "a rule that can never win: an equal one comes first",
    "The answer of the first rule's service, always. Between equal paths Gateway API takes the first rule; the AWS "
    "Load Balancer Controller sorts by the length of the text, so that of /a and /a/ it takes the second.",
    "Take one of the two rules out.",
    (
        f"{_SPEC}#httprouterule",
        "https://github.com/kubernetes-sigs/aws-load-balancer-controller, pkg/gateway/routeutils/"
        "route_rule_precedence.go",
    ),
)
ORDER: Final = Rule(
    "rule.order",
    Severity.WARNING,
    "a rule after a less specific one that covers it",
    "Nothing different: the longest prefix wins whatever the order. Who reads the manifest from top to bottom "
    "takes the first match, and is wrong.",
    "Move the rule before the less specific one.",
    (f"{_SPEC}#httprouterule",),
)
CATCH_ALL_LAST: Final = Rule(
    "catch-all.not-last",
    Severity.WARNING,
    "a catch-all rule that isn't the last rule",
    "Nothing different; who reads the manifest thinks that the rules after it can't win.",
    "Move the catch-all rule to the end.",
    (f"{_SPEC}#httprouterule",),
)
CATCH_ALL_UNIQUE: Final = Rule(
    "catch-all.not-unique",
    Severity.WARNING,
    "a second catch-all rule",
    "The answer of the first catch-all's service for everything that no other rule takes; the second never wins.",
    "Take one of the two out.",
    (f"{_SPEC}#httprouterule",),
)
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
RULES: Final = (
    DEAD,
    NEVER_WINS,
    ORDER,
    CATCH_ALL_LAST,
    CATCH_ALL_UNIQUE,
    NO_BACKEND,
    INVALID_PATH,
    NOT_MODELLED,
    NOT_ATTACHED,
)
_INVALID = re.compile(r"^(?!/)|//|/\.{1,2}(/|$)|%2f|#", re.IGNORECASE)


def check(project: Project) -> Iterator[Finding]:
    for group in project.groups:
        for match in group.matches:
            yield from _never_wins(group, match)
            if project.manifest.complete:
                yield from _dead(project, group, match)
        for route in group.routes:
            yield from _order(route)
            yield from _each(route)
            yield from _not_attached(project, route)


def _dead(project: Project, group: Group, match: Match) -> Iterator[Finding]:
    if match.conditional or match.opaque or id(match) in group.router.beaten or id(match) in project.alive:
        return
    if match.service in project.internal | project.uncertain or match.service not in project.services:
        return
    yield Finding(
        DEAD,
        _subject(match),
        match.place,
        f"{rule_text(match)} is dead: {match.service} documents no operation that it brings",
        f"404 from {match.service} for everything that the rule takes",
        f"take the rule out, correct its path, or document in {project.services[match.service].file} what is below",
    )


def _never_wins(group: Group, match: Match) -> Iterator[Finding]:
    first = group.router.beaten.get(id(match))
    if first is None:
        return
    same = "the same Service" if first.service == match.service else first.service or "nobody"
    yield Finding(
        CATCH_ALL_UNIQUE if match.catches_all else NEVER_WINS,
        _subject(match),
        match.place,
        f"{rule_text(match)} to {match.service or 'nobody'} never wins: {first.place} has the same path and comes "
        f"first, to {same}",
        f"never an answer by this rule: {first.service or 'nobody'} receives what it describes",
        f"take this rule out, or that at {first.place}",
        (Related(first.place, f"{rule_text(first)} comes first"),),
    )


def _order(route: HttpRoute) -> Iterator[Finding]:
    """Rules after a shorter prefix of theirs. Rules that have nothing to do with each other are in any order."""
    prefixes: dict[tuple[str, ...], Match] = {}
    matches = [match for match in route.matches if not match.conditional]
    for position, match in enumerate(matches):
        if match.catches_all:
            yield from _not_last(match, matches[position + 1 :])
            continue
        for length in range(len(match.segments) - 1, 0, -1):
            shorter = prefixes.get(match.segments[:length])
            if shorter is not None:
                yield Finding(
                    ORDER,
                    _subject(match),
                    match.place,
                    f"{rule_text(match)} comes after the less specific {shorter.path} of {shorter.place}",
                    "nothing different; who reads the rules from top to bottom expects "
                    f"{shorter.service or 'nobody'}",
                    f"move the rule before {shorter.insert_place}",
                    (Related(shorter.place, f"{rule_text(shorter)} covers it"),),
                )
                break
        if not match.exact:
            prefixes.setdefault(match.segments, match)


def _not_last(match: Match, following: list[Match]) -> Iterator[Finding]:
    behind = [other for other in following if not other.catches_all]
    if behind:
        yield Finding(
            CATCH_ALL_LAST,
            _subject(match),
            match.place,
            f"the catch-all rule / isn't the last one: {len(behind)} more come after it",
            f"nothing different; who reads the rules from top to bottom expects {match.service or 'nobody'} always",
            f"move the rule behind {behind[-1].insert_place}",
            (Related(behind[0].place, f"{rule_text(behind[0])} comes after it"),),
        )


def _each(route: HttpRoute) -> Iterator[Finding]:
    for matches in route.rules:
        first = matches[0]
        if not first.service and not first.opaque:
            yield Finding(
                NO_BACKEND,
                _subject(first),
                first.backend_place,
                f"{rule_text(first)} leads to no Service that receives traffic",
                f"500 from the gateway for {first.path}"
                + ("" if first.exact else f" and everything below that has no rule of its own"),
                "name a backendRef with a weight above 0, or take the rule out",
            )
        for match in matches:
            if _INVALID.search(match.path):
                yield Finding(
                    INVALID_PATH,
                    _subject(match),
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


def _subject(match: Match) -> Subject:
    return Subject(match.path, match.service, match.route)
