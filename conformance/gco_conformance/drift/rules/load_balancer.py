"""Limits of the AWS load balancer into which the manifest is turned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import HttpRoute, Match
from gco_conformance.drift.project import Project
from gco_conformance.drift.rules.answers import rule_text

_CONTROLLER = "https://github.com/kubernetes-sigs/aws-load-balancer-controller, pkg/gateway/"
_QUOTAS = "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html"
_PATTERN = (
    "https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_PathPatternConditionConfig.html"
)
RULE_LIMIT: Final = 100
VALUE_LIMIT: Final = 5
PATTERN_LIMIT: Final = 128

TOO_MANY_RULES: Final = Rule(
    "alb.too-many-rules",
    Severity.WARNING,
    f"more rules than an ALB takes by default ({RULE_LIMIT})",
    "The old routes go on, or only a part of the new ones: the controller can't create the rules beyond the "
    "quota. Each match makes one rule of the load balancer for each hostname.",
    "Join rules under a common prefix, split the routes over two Gateways, or have the quota raised and suppress "
    "this.",
    (f"{_QUOTAS} (rules per Application Load Balancer)", f"{_CONTROLLER}model/model_build_listener.go"),
)
TOO_MANY_CONDITIONS: Final = Rule(
    "alb.too-many-conditions",
    Severity.WARNING,
    f"a match that takes more condition values than an ALB's rule has ({VALUE_LIMIT})",
    "The old routes go on: the load balancer refuses the rule. A path prefix takes two values (/p and /p/*), an "
    "exact path one, a host, a method and each header or query parameter one.",
    "Ask for fewer headers or query parameters in one match.",
    (f"{_QUOTAS} (condition values per rule)", f"{_CONTROLLER}routeutils/route_rule_condition.go"),
)
PATH_TOO_LONG: Final = Rule(
    "alb.path-too-long",
    Severity.WARNING,
    f"a path that makes a longer pattern than an ALB allows ({PATTERN_LIMIT} characters)",
    "The old routes go on: the load balancer refuses the rule. The pattern of a prefix is two characters longer "
    "than the prefix (/*).",
    "Match by a shorter prefix.",
    (_PATTERN, f"{_CONTROLLER}routeutils/route_rule_condition.go"),
)
WILDCARD: Final = Rule(
    "alb.wildcard",
    Severity.WARNING,
    "a path with a character that an ALB takes for a wildcard (* or ?)",
    "More than the path: in an exact path * and ? match any text or character; with a * in a prefix the "
    "controller builds nothing at all.",
    "Match by a path without * and ?.",
    (_PATTERN, f"{_CONTROLLER}routeutils/route_rule_condition.go"),
)
RULES: Final = (TOO_MANY_RULES, TOO_MANY_CONDITIONS, PATH_TOO_LONG, WILDCARD)


def check(project: Project) -> Iterator[Finding]:
    """Only for manifests that the AWS Load Balancer Controller reads."""
    if not project.manifest.on_aws:
        return
    yield from _too_many_rules(project)
    for route in project.manifest.routes:
        for match in route.matches:
            yield from _match(route, match)


def _too_many_rules(project: Project) -> Iterator[Finding]:
    counts: dict[tuple[str, str], int] = {}
    for route in project.manifest.routes:
        for name in sorted({(parent.namespace, parent.name) for parent in route.parents} or {("", "")}):
            before = counts.get(name, 0)
            hosts = max(1, len(route.hostnames))
            counts[name] = before + hosts * len(route.matches)
            if before <= RULE_LIMIT < counts[name]:
                first = route.matches[(RULE_LIMIT - before) // hosts]
                total = sum(
                    max(1, len(other.hostnames)) * len(other.matches)
                    for other in project.manifest.routes
                    if name in {(parent.namespace, parent.name) for parent in other.parents} or not other.parents
                )
                yield Finding(
                    TOO_MANY_RULES,
                    Subject(route=route.title),
                    first.place,
                    f"the matches make {total} rules of the load balancer, {RULE_LIMIT} is its default quota; "
                    "this is the first beyond it",
                    "the routes as they were before, or a part of the new ones",
                    "join rules under a common prefix, use a second Gateway, or raise the quota and suppress this",
                )


def _match(route: HttpRoute, match: Match) -> Iterator[Finding]:
    subject = Subject(match.path, match.service, match.route)
    values = match.values + (1 if match.exact or match.catches_all else 2) + bool(route.hostnames)
    if values > VALUE_LIMIT:
        yield Finding(
            TOO_MANY_CONDITIONS,
            subject,
            match.place,
            f"{rule_text(match)} needs {values} condition values, a rule of the load balancer has {VALUE_LIMIT}",
            "the routes as they were before: the load balancer refuses the rule",
            "ask for fewer headers or query parameters in this match",
        )
    pattern = match.path if match.exact else match.path.rstrip("/") + "/*"
    if len(pattern) > PATTERN_LIMIT:
        yield Finding(
            PATH_TOO_LONG,
            subject,
            match.place,
            f"{rule_text(match)} makes a pattern of {len(pattern)} characters, an ALB allows {PATTERN_LIMIT}",
            "the routes as they were before: the load balancer refuses the rule",
            "match by a shorter prefix",
        )
    if "*" in match.path or "?" in match.path:
        yield Finding(
            WILDCARD,
            subject,
            match.place,
            f"{rule_text(match)} has a character that the load balancer takes for a wildcard",
            "more than the path" if match.exact else "the routes as they were before, if the path has a *",
            "match by a path without * and ?",
        )
