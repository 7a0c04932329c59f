"""Services that are forgotten, unknown, or reachable where they shouldn't be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import Match
from gco_conformance.drift.project import Project
from gco_conformance.drift.rules.answers import rule_text
from gco_conformance.model.routing import segments

FORGOTTEN: Final = Rule(
    "service.forgotten",
    Severity.ERROR,
    "a service that no rule names and that isn't an internal consumer",
    "None of its paths arrives. They are answered by whoever has the catch-all rule, or with 404.",
    "Add a rule for it, list it in internal_consumers with the service in front, or take it out of services.",
)
UNDOCUMENTED: Final = Rule(
    "service.undocumented",
    Severity.ERROR,
    "a backend of a rule without a document",
    "Requests arrive at a service of which nobody can say what it answers; composers refuse such a manifest.",
    "Add its OpenAPI document, and its name to services.",
)
ROUTABLE: Final = Rule(
    "internal.routable",
    Severity.ERROR,
    "an internal service that has become a backend of a rule",
    "Everybody who reaches the gateway reaches a service that was meant for other services only.",
    "Take the rule out, or take the service out of internal_consumers and review what it exposes.",
)
FRONT_GONE: Final = Rule(
    "internal.front-gone",
    Severity.ERROR,
    "an internal service whose front no longer serves the prefix",
    "404 for everything that used to reach the internal service through its front.",
    "Serve the prefix in the front again, or record where the service is reached now.",
)
RULES: Final = (FORGOTTEN, UNDOCUMENTED, ROUTABLE, FRONT_GONE)


def check(project: Project) -> Iterator[Finding]:
    if project.manifest.complete:
        yield from _forgotten(project)
        yield from _undocumented(project)
    yield from _routable(project)
    yield from _front_gone(project)


def _forgotten(project: Project) -> Iterator[Finding]:
    for entry in project.configuration.services:
        if entry.name not in project.backends | project.internal:
            service = project.services.get(entry.name)
            count = len(service.paths) if service is not None else 0
            yield Finding(
                FORGOTTEN,
                Subject(service=entry.name),
                entry.place,
                f"{entry.name} is forgotten: no rule names it and it isn't an internal consumer",
                f"none of its {count} documented paths arrives" if count else "no request arrives",
                f"add a rule with backendRefs: [{{name: {entry.name}, port: …}}], or list {entry.name} in "
                "internal_consumers",
            )


def _undocumented(project: Project) -> Iterator[Finding]:
    known = project.services.keys() | project.unreadable | project.internal
    for name, matches in sorted(_by_service(project).items()):
        if name not in known:
            yield Finding(
                UNDOCUMENTED,
                Subject(service=name),
                matches[0].backend_place,
                f"{rule_text(matches[0])} leads to {name}, which has no document among the services",
                f"whatever {name} answers; nothing about it is documented or checked",
                f"add {name}'s OpenAPI document, and {name} to services",
            )


def _routable(project: Project) -> Iterator[Finding]:
    matches = _by_service(project)
    for consumer in project.configuration.internal:
        routes = matches.get(consumer.name, [])
        if routes:
            prefixes = ", ".join(sorted({match.path for match in routes}))
            yield Finding(
                ROUTABLE,
                Subject(service=consumer.name),
                routes[0].backend_place,
                f"{consumer.name} is internal, behind {consumer.via}, and {rule_text(routes[0])} exposes it",
                f"{consumer.name} answers below {prefixes} to everybody who reaches the gateway",
                f"take the rule out, or take {consumer.name} out of internal_consumers",
                (Related(consumer.place, f"{consumer.name} is internal"),),
            )


def _front_gone(project: Project) -> Iterator[Finding]:
    for consumer in project.configuration.internal:
        if consumer.via in project.unreadable:
            continue
        front = project.services.get(consumer.via)
        prefix = segments(consumer.prefix)
        paths = () if front is None else front.paths
        if any(segments(documented.path)[: len(prefix)] == prefix for documented in paths):
            continue
        why = f"{consumer.via} documents no path below {consumer.prefix}"
        if front is None:
            why = f"there is no document of {consumer.via} among the services"
        yield Finding(
            FRONT_GONE,
            Subject(consumer.prefix, consumer.name),
            consumer.prefix_place,
            f"{consumer.name} is reached through {consumer.via} below {consumer.prefix}, but {why}",
            f"404 for what used to reach {consumer.name} below {consumer.prefix}",
            f"serve {consumer.prefix} in {consumer.via} again, or correct internal_consumers.{consumer.name}",
            () if front is None else (Related(front.place("/paths"), "the front's paths"),),
        )


def _by_service(project: Project) -> dict[str, list[Match]]:
    found: dict[str, list[Match]] = {}
    for route in project.manifest.routes:
        for match in route.matches:
            if match.service:
                found.setdefault(match.service, []).append(match)
    return found
