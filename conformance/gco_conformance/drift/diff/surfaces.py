"""What the composed document says of the gateway's surface, against what manifest and services say now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gco_conformance.drift.diff.operations import OperationDiffer
from gco_conformance.drift.finding import Change
from gco_conformance.drift.place import pointer_to
from gco_conformance.drift.project import Delivery, Project
from gco_conformance.model.positions import METHODS

SHOWN_PER_OPERATION: Final = 5
_SHADOWS: Final = "x-gco-shadowed-by"
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """A change and where it shows in the composed document."""

    change: Change
    pointer: str


def differences(project: Project, document: Document) -> list[Difference]:
    """All that is different, by path and method; then the extensions that a composer writes."""
    return [*_operations(project, document), *_extensions(project, document)]


def _operations(project: Project, document: Document) -> Iterator[Difference]:
    kept = {
        (delivery.documented.path, method): delivery
        for delivery in project.deliveries
        if delivery.delivered
        for method in delivery.documented.methods
    }
    paths = document.get("paths") or {}
    documented = {
        (path, method)
        for path, item in paths.items()
        if not path.startswith("x-") and isinstance(item, dict)
        for method in METHODS & item.keys()
    }
    differs = {
        service.name: OperationDiffer(document, service.document) for service in project.exposed if documented
    }
    # A composer that doesn't tell of shadows at all isn't wrong about them.
    shadows_are_told = any(_SHADOWS in paths[path][method] for path, method in documented)
    for path, method in sorted(kept.keys() | documented):
        name, pointer = f"{method.upper()} {path}", pointer_to("paths", path, method)
        delivery = kept.get((path, method))
        if delivery is None:
            if not _may_be_unread(project, paths[path][method]):
                yield Difference(Change(name, "is documented, and isn't delivered", True, "delivery"), pointer)
        elif (path, method) not in documented:
            text = f"is delivered to {delivery.service.name}, and isn't documented"
            yield Difference(Change(name, text, False, "delivery"), "/paths")
        else:
            differ = differs[delivery.service.name]
            for change in _operation(project, document, delivery, method, differ, shadows_are_told):
                yield Difference(change, pointer)


def _may_be_unread(project: Project, operation: Mapping[str, Any]) -> bool:
    route = operation.get("x-gco-route")
    service = route.get("service") if isinstance(route, dict) else None
    return bool(project.unreadable) if service is None else service in project.unreadable


def _operation(
    project: Project,
    document: Document,
    delivery: Delivery,
    method: str,
    differ: OperationDiffer,
    shadows_are_told: bool,
) -> Iterator[Change]:
    path = delivery.documented.path
    name = f"{method.upper()} {path}"
    item = document["paths"][path]
    if "x-gco-source" in document:
        yield from _annotations(project, delivery, name, item[method])
    if shadows_are_told:
        yield from _shadows(delivery, name, item[method])
    details = differ.compare(item, delivery.documented.item, method)
    for detail in details[:SHOWN_PER_OPERATION]:
        yield Change(name, str(detail), detail.breaking, "content")
    if len(details) > SHOWN_PER_OPERATION:
        rest = details[SHOWN_PER_OPERATION:]
        yield Change(name, f"and {len(rest)} more differences", any(detail.breaking for detail in rest), "content")


def _annotations(
    project: Project, delivery: Delivery, name: str, operation: Mapping[str, Any]
) -> Iterator[Change]:
    """What a composer adds to an operation: its route, and whether it needs a signature."""
    receiver = delivery.receiver
    route = operation.get("x-gco-route")
    if receiver is not None and isinstance(route, dict):
        now = {
            "rule": receiver.path,
            "service": receiver.service,
            "namespace": receiver.route.partition("/")[0],
            "port": receiver.port,
        }
        for key, value in now.items():
            if route.get(key) != value and not (key == "namespace" and route.get(key) is None):
                text = f"x-gco-route.{key} is {value} now, {route.get(key)} in the document"
                yield Change(name, text, False, "route")
    is_open = delivery.documented.path in {path.text for path in project.configuration.unauthenticated}
    security: list[Any] = [] if is_open else [{project.configuration.scheme: []}]
    said = operation.get("security")
    if said != security:
        told = "needs a signature now" if said == [] else "security names another scheme"
        yield Change(name, "needs no signature any more" if is_open else told, not is_open, "security")


def _shadows(delivery: Delivery, name: str, operation: Mapping[str, Any]) -> Iterator[Change]:
    now = sorted(delivery.shadowing)
    said = sorted(
        (str(entry.get("rule")), str(entry.get("service")))
        for entry in _list(operation.get(_SHADOWS))
        if isinstance(entry, dict)
    )
    if now != said:
        text = f"{_SHADOWS} is {_pairs(now)} now, {_pairs(said)} in the document"
        yield Change(name, text, False, "shadow")


def _extensions(project: Project, document: Document) -> Iterator[Difference]:
    """The lists that a composer writes at the top, where it wrote them and all services could be read."""
    if project.unreadable:
        return
    lost = [delivery for delivery in project.deliveries if not delivery.delivered]
    now: dict[str, set[str]] = {
        "x-gco-unreachable": {
            f"{delivery.documented.path} of {delivery.service.name}, delivered to "
            f"{delivery.receiver.service if delivery.receiver else None}"
            for delivery in lost
        },
        "x-gco-routes": {
            f"{match.path} to {match.service}:{match.port}"
            for route in project.manifest.routes
            for match in route.matches
        },
        "x-gco-not-exposed": {
            entry.name for entry in project.configuration.services if entry.name in project.internal
        },
        "x-gco-unauthenticated-paths": {path.text for path in project.configuration.unauthenticated},
    }
    for key, expected in now.items():
        if key in document:
            said = set(_said(key, document[key]))
            for text in sorted(expected - said):
                yield Difference(Change(key, f"lacks {text}", False, "fact"), pointer_to(key))
            for text in sorted(said - expected):
                yield Difference(Change(key, f"has {text}, which is so no more", False, "fact"), pointer_to(key))


def _said(key: str, value: Any) -> Iterator[str]:
    """The entries of an extension as text; composers write some as lists and some as mappings."""
    entries = value.items() if isinstance(value, dict) else ((None, entry) for entry in _list(value))
    for name, entry in entries:
        if not isinstance(entry, dict):
            yield str(entry if name is None else name)
        elif key == "x-gco-unreachable":
            yield f"{entry.get('path')} of {entry.get('service')}, delivered to {entry.get('deliveredTo')}"
        elif key == "x-gco-routes":
            yield f"{entry.get('prefix')} to {entry.get('service')}:{entry.get('port')}"
        else:
            yield str(name or entry.get("service") or entry.get("name"))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pairs(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(f"{rule} to {service}" for rule, service in pairs) or "nothing"
