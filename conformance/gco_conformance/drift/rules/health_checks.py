"""Health checks that a service can't answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import TargetGroup
from gco_conformance.drift.project import Project
from gco_conformance.drift.service import Service
from gco_conformance.model.routing import segments

_AWS = "https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/gateway/targetgroupconfig/"

UNSERVED: Final = Rule(
    "health-check.unserved",
    Severity.ERROR,
    "a health check path that no service serves",
    "503, or answers of targets that nobody has checked: the load balancer probes each Service's pods at this "
    "path, gets 404, and takes all of them for unhealthy.",
    "Probe a path that the services document, or document the one that is probed.",
    (_AWS,),
)
PARTLY_SERVED: Final = Rule(
    "health-check.partly-served",
    Severity.WARNING,
    "a health check path that some service doesn't document",
    "503 for the paths of that service, if it really doesn't serve the path: the load balancer probes the pods of "
    "every Service, whatever the rules say.",
    "Document the path in the service, or give the service a TargetGroupConfiguration of its own.",
    (_AWS,),
)
RULES: Final = (UNSERVED, PARTLY_SERVED)


def check(project: Project) -> Iterator[Finding]:
    """Rules don't matter here: the load balancer asks the pods of each Service, not the listener."""
    own = {group.service: group for group in project.manifest.target_groups if group.service}
    default = _default(project)
    probed: dict[int, tuple[TargetGroup, list[Service]]] = {}
    for service in project.exposed:
        group = own.get(service.name, default)
        if group is not None and group.health_check:
            probed.setdefault(id(group), (group, []))[1].append(service)
    for group, services in probed.values():
        missing = [service for service in services if not _serves(project, service, group.health_check)]
        if missing and len(missing) == len(services):
            if not project.unreadable:
                yield _finding(UNSERVED, group, missing, "")
        else:
            for service in missing:
                yield _finding(PARTLY_SERVED, group, [service], service.name)


def _default(project: Project) -> TargetGroup | None:
    """The target group of services without one of their own: the one that the Gateway's load balancer names."""
    candidates = [group for group in project.manifest.target_groups if not group.service]
    parameters = {gateway.parameters for gateway in project.manifest.gateways}
    named = {name for owner, name in project.manifest.default_target_groups if owner in parameters}
    chosen = [group for group in candidates if group.name in named] or candidates
    return chosen[0] if len(chosen) == 1 else None


def _serves(project: Project, service: Service, probe: str) -> bool:
    finder = project.finder(service.name)
    path = segments(probe.partition("?")[0])
    documented = None if finder is None else finder.find(path)
    return documented is not None and "get" in documented.methods


def _finding(rule: Rule, group: TargetGroup, services: list[Service], name: str) -> Finding:
    names = ", ".join(service.name for service in services)
    return Finding(
        rule,
        Subject(group.health_check, name),
        group.place,
        f"the target group probes GET {group.health_check}, which {names} "
        f"{'does' if len(services) == 1 else 'do'} not document",
        f"503 for what {names} should answer, if the path isn't served: its targets are unhealthy",
        f"document GET {group.health_check} in {', '.join(service.file for service in services)}, or probe "
        "another path",
        tuple(Related(service.place("/paths"), f"the paths of {service.name}") for service in services),
    )
