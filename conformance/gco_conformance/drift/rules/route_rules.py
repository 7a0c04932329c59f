"""Rules of HTTPRoutes that do nothing or mislead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import HttpRoute, Match
from gco_conformance.drift.project import Group, Project
from gco_conformance.drift.rules.answers import rule_text

_CONTROLLER = "https://github.com/kubernetes-sigs/aws-load-balancer-controller, pkg/gateway/"
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
    "The answer of the first rule's service, always. Between equal paths Gateway API takes the first rule; the "
    "AWS Load Balancer Controller sorts by the length of the text, so that of /a and /a/ it takes the second.",
    "Take one of the two rules out.",
    (
        f"{_SPEC}#httprouterule",
        f"{_CONTROLLER}routeutils/route_rule_precedence.go",
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
RULES: Final = (DEAD, NEVER_WINS, ORDER, CATCH_ALL_LAST, CATCH_ALL_UNIQUE)


def check(project: Project) -> Iterator[Finding]:
    for group in project.groups:
        for match in group.matches:
            yield from _never_wins(group, match)
            if project.manifest.complete:
                yield from _dead(project, group, match)
        for route in group.routes:
            yield from _order(route)


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
        "take the rule out, correct its path, or document what is below in "
        + project.services[match.service].file,
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
            "nothing different; who reads the rules from top to bottom expects "
            f"{match.service or 'nobody'} always",
            f"move the rule behind {behind[-1].insert_place}",
            (Related(behind[0].place, f"{rule_text(behind[0])} comes after it"),),
        )


def _subject(match: Match) -> Subject:
    return Subject(match.path, match.service, match.route)
