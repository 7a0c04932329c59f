"""What must hold of a composed document as a whole when it is used: what is delivered, and what isn't."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, Final

from gco_conformance.checkouts.route import Route
from gco_conformance.evidence.expectations import operations
from gco_conformance.evidence.violation import Violation
from gco_conformance.gateway import routed
from gco_conformance.gateway.routed import server_path
from gco_conformance.gateway.templates import Templates
from gco_conformance.http_messages import Reply, Request
from gco_conformance.model.routing import segments, shadows, winner
from gco_conformance.suite.routed.exercise import Exercise

NOWHERE = "no-such-path"
_NAME = re.compile(r"\{[^{}]*\}")


def delivers_what_it_documents(exercise: Exercise) -> None:
    """Every operation of the document is answered, and every one that is delivered is documented."""
    kept = {f"{method.upper()} {path}" for path, method in exercise.gateway.surface.kept}
    documented = operations(dict(exercise.document))
    for label in sorted(documented - kept):
        if exercise.gateway.route(label.split(" ", 1)[1]) is not None:
            raise _undelivered(exercise, label)
    for label in sorted(kept - documented):
        request = _plain(exercise, label)
        raise exercise.violation(
            f"{label} is delivered, and the composed document doesn't have it",
            expected=label,
            actual=_told(exercise.verdict(request)),
            request=request,
        )


def documents_nothing_unrouted(exercise: Exercise) -> None:
    """No operation of the document is one that no rule takes to anybody."""
    for label in sorted(operations(dict(exercise.document))):
        if exercise.gateway.route(label.split(" ", 1)[1]) is None:
            raise _undelivered(exercise, label)


def _undelivered(exercise: Exercise, label: str) -> Violation:
    request = _plain(exercise, label)
    return exercise.violation(
        f"the composed document has {label}, which nobody delivers",
        expected="an answer of the service that documents it",
        actual=_told(exercise.verdict(request)),
        request=request,
    )


def delivers_nothing_unreachable(exercise: Exercise) -> None:
    """What is listed as unreachable goes where the list says, and what goes elsewhere is listed."""
    listed = exercise.document.get("x-gco-unreachable")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise exercise.violation("x-gco-unreachable is no list of objects", expected="a list", actual=listed)
    for entry in listed:
        _goes_elsewhere(exercise, entry)
    known = [(entry.get("service"), entry.get("path")) for entry in listed]
    for lost in exercise.gateway.surface.unreachable:
        if (lost.service, lost.path) not in known:
            method = min(exercise.gateway.services[lost.service].by_path.get(lost.path, {"GET": None}))
            request = _plain(exercise, f"{method} {lost.path}")
            raise exercise.violation(
                f"{lost.path} of {lost.service} isn't delivered to it, and x-gco-unreachable doesn't say so",
                expected={"path": lost.path, "service": lost.service},
                actual=_told(exercise.verdict(request)),
                request=request,
            )


def _goes_elsewhere(exercise: Exercise, entry: dict[str, Any]) -> None:
    path, service = entry.get("path"), exercise.gateway.services.get(str(entry.get("service")))
    methods = service.by_path.get(path) if service is not None and isinstance(path, str) else None
    if methods is None:
        raise exercise.violation(
            "x-gco-unreachable has a path that no service documents", expected="documented paths", actual=entry
        )
    for method in sorted(methods):
        request = _plain(exercise, f"{method} {path}")
        reply = exercise.verdict(request)
        actual = (reply.header(routed.RULE), reply.header(routed.SERVICE))
        if actual[1] == entry["service"] or _rule(*actual) != _rule(entry.get("rule"), entry.get("deliveredTo")):
            raise exercise.violation(
                f"{method} {path} doesn't go where x-gco-unreachable says",
                expected=entry,
                actual=_told(reply),
                request=request,
            )


def tells_what_is_shadowed(exercise: Exercise) -> None:
    """What `x-gco-shadowed-by` lists goes elsewhere, and instances that do are listed."""
    surface = exercise.gateway.surface
    for path, method in sorted(surface.kept):
        label = f"{method.upper()} {path}"
        described = exercise.path_item(path).get(method)
        if not isinstance(described, dict):
            continue
        listed = described.get("x-gco-shadowed-by", [])
        if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
            message = f"x-gco-shadowed-by of {label} is no list of objects"
            raise exercise.violation(message, expected="a list", actual=listed)
        told = [(entry.get("rule"), entry.get("service")) for entry in listed]
        for rule, service in told:
            request = exercise.signed(_instance(exercise, label, str(rule)))
            reply = exercise.verdict(request)
            if _rule(reply.header(routed.RULE), reply.header(routed.SERVICE)) != _rule(rule, service):
                raise exercise.violation(
                    f"a request for {label} doesn't go where x-gco-shadowed-by says",
                    expected={"rule": rule, "service": service},
                    actual=_told(reply),
                    request=request,
                )
        for route in shadows(surface.routes, path):
            if _rule(route.prefix, route.service) not in [_rule(*entry) for entry in told]:
                request = exercise.signed(_instance(exercise, label, route.prefix))
                raise exercise.violation(
                    f"a request for {label} goes to {route.service}, and x-gco-shadowed-by doesn't say so",
                    expected={"rule": route.prefix, "service": route.service},
                    actual=_told(exercise.verdict(request)),
                    request=request,
                )


def answers_nothing_else(exercise: Exercise) -> None:
    """Outside the document there is nothing but the 404 of who receives the path by `x-gco-routes`."""
    listed = exercise.document.get("x-gco-routes")
    if not isinstance(listed, list) or not all(map(_is_route, listed)):
        raise exercise.violation("x-gco-routes is no list of routes", expected="a list", actual=listed)
    routes = [Route(entry["prefix"], entry["service"], entry["port"]) for entry in listed]
    documented = Templates(path for path in exercise.document["paths"] if not path.startswith("x-"))
    for path in sorted(set(_around(exercise))):
        if documented.find(path) is not None or _is_of_a_lost_template(exercise, path):
            continue
        request = exercise.signed(Request("GET", exercise.gateway.mounted_at + path, ()))
        reply = exercise.verdict(request)
        expected = winner(routes, path)
        receiver = (expected.prefix, expected.service, str(expected.port)) if expected else (None, None, None)
        actual = tuple(reply.header(name) for name in (routed.RULE, routed.SERVICE, routed.PORT))
        if reply.status != 404 or _rule(*actual[:2]) != _rule(*receiver[:2]) or actual[2] != receiver[2]:
            raise exercise.violation(
                f"{path} isn't in the composed document, and isn't the 404 of who receives it by x-gco-routes",
                expected=f"404 from {receiver[1] or 'the gateway'}, by the rule {receiver[0]}",
                actual=_told(reply),
                request=request,
            )


def _is_route(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.keys() >= {"service", "port"} and isinstance(entry.get("prefix"), str)


def _is_of_a_lost_template(exercise: Exercise, path: str) -> bool:
    """Whether the receiver answers a path for a template of its document that isn't delivered as a whole."""
    route = exercise.gateway.route(path)
    found = exercise.gateway.services[route.service].find(path) if route is not None else None
    kept = {path for path, _ in exercise.gateway.surface.kept}
    return found is not None and found.template not in kept


def is_at_its_server(exercise: Exercise) -> None:
    """Requests sent to the document's server get to their service."""
    servers = exercise.document.get("servers")
    if not isinstance(servers, list) or not servers or not isinstance(servers[0], dict):
        raise exercise.violation("the composed document has no server", expected="one server", actual=servers)
    base = server_path(servers[0])
    for (path, method), kept in sorted(exercise.gateway.surface.kept.items()):
        request = Request(method.upper(), base + _filled(exercise, path), ())
        reply = exercise.verdict(request)
        if reply.header(routed.SERVICE) != kept.service:
            raise exercise.violation(
                f"{method.upper()} {path} doesn't get to {kept.service} when it is sent to the document's server",
                expected=f"an answer of {kept.service}",
                actual=_told(reply),
                request=request,
            )


def _around(exercise: Exercise) -> Iterator[str]:
    """Paths near those that rules and documents have."""
    surface = exercise.gateway.surface
    yield f"/{NOWHERE}"
    for route in surface.routes:
        prefix = "/" + "/".join(segments(route.prefix))
        yield prefix
        yield f"{prefix.rstrip('/')}/{NOWHERE}"
        yield f"{prefix}-{NOWHERE}"
    for path, _ in surface.kept:
        yield f"{_filled(exercise, path)}/{NOWHERE}"
    for lost in surface.unreachable:
        yield _filled(exercise, lost.path)


def _plain(exercise: Exercise, label: str) -> Request:
    """A signed request for an operation, of which nothing but the path is right."""
    method, path = label.split(" ", 1)
    return exercise.signed(Request(method, exercise.gateway.mounted_at + _filled(exercise, path), ()))


def _filled(exercise: Exercise, template: str) -> str:
    """A path of a template's form, with a text for its parameters that stands in no rule."""
    taken = {part for route in exercise.gateway.surface.routes for part in segments(route.prefix)}
    text = next(text for text in map(str, itertools.count(1)) if text not in taken)
    return _NAME.sub(text, template)


def _instance(exercise: Exercise, label: str, rule: str) -> Request:
    """A request for an operation whose path the rule leads."""
    method, path = label.split(" ", 1)
    parts, leading = segments(path), segments(rule)
    fits = len(leading) <= len(parts) and all(
        own == led or "{" in own for own, led in zip(parts, leading, strict=False)
    )
    if not fits:
        raise exercise.violation(
            f"x-gco-shadowed-by of {label} has a rule that takes none of its requests",
            expected=f"a rule that takes some of {path}",
            actual=rule,
        )
    rest = [_filled(exercise, part) for part in parts[len(leading) :]]
    return Request(method, exercise.gateway.mounted_at + "/" + "/".join([*leading, *rest]), ())


def _rule(prefix: Any, service: Any) -> tuple[Any, Any]:
    """A rule and its service, to compare: a slash at the end of a prefix means nothing."""
    return (segments(prefix) if isinstance(prefix, str) else prefix), service


def _told(reply: Reply) -> str:
    service, rule = reply.header(routed.SERVICE), reply.header(routed.RULE)
    return f"{reply.status} from {service}, by the rule {rule}" if service else f"{reply.status} from the gateway"


JUDGES: Final = (
    delivers_what_it_documents,
    documents_nothing_unrouted,
    delivers_nothing_unreachable,
    tells_what_is_shadowed,
    answers_nothing_else,
    is_at_its_server,
)
"""All that a composed document is judged by, as a whole."""
