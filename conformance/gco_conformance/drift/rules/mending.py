"""The smallest change that brings a documented path to its service."""

from __future__ import annotations

from gco_conformance.drift.project import Delivery, Project
from gco_conformance.model.routing import segments


def mend_delivery(project: Project, delivery: Delivery) -> str:
    """What to change so that the path arrives, in one line."""
    path, service = delivery.documented.path, delivery.service.name
    literal = _literal_lead(path)
    receiver = delivery.receiver
    if receiver is not None and not receiver.catches_all and id(receiver) not in project.alive:
        return f"point {receiver.path} at {service} instead of {receiver.service}, at {receiver.backend_place}"
    dead = project.dead_rules.get(service)
    if dead is not None and literal:
        return f"correct the path of the dead rule {dead.path} to /{'/'.join(literal)}, at {dead.place}"
    if receiver is None and not literal:
        backend = f"{{name: {service}, port: {project.ports.get(service, '…')}}}"
        return f"add a catch-all rule as the last one: - {{backendRefs: [{backend}]}}"
    if not literal:
        return f"serve {path} below a prefix of its own, and add a rule for that to {service}"
    if receiver is not None and len(literal) <= len(receiver.segments):
        return f"serve {path} below a prefix that no other Service has, and add a rule for that to {service}"
    prefix = "/" + "/".join(literal)
    backend = f"{{name: {service}, port: {project.ports.get(service, '…')}}}"
    rule = f"- {{matches: [{{path: {{type: PathPrefix, value: {prefix}}}}}], backendRefs: [{backend}]}}"
    taken = sorted(project.delivered_below.get(literal, frozenset()) - {service})
    warning = f" (it takes {', '.join(taken)} along)" if taken else ""
    return f"add the rule {rule} {_where(project, literal)}{warning}"


def _literal_lead(path: str) -> tuple[str, ...]:
    """The segments before the first parameter."""
    lead = []
    for segment in segments(path):
        if "{" in segment:
            break
        lead.append(segment)
    return tuple(lead)


def _where(project: Project, prefix: tuple[str, ...]) -> str:
    """The place for a new rule: before the first rule that is less specific."""
    route = max(project.manifest.routes, key=lambda route: len(route.rules))
    for match in route.matches:
        if match.segments == prefix[: len(match.segments)] and not match.exact:
            return f"to HTTPRoute {route.title} before {match.insert_place}"
    return f"to HTTPRoute {route.title} at {route.rules[-1][-1].insert_place if route.rules else route.place}"
