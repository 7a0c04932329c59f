"""The HTTPRoute's rules as routes: one for each match, in document order (contract section 2).

What isn't modelled (filters, other match types, several backends) is refused: a document that ignored it
would be false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gco_reference.composer.manifest import KubernetesObject
from gco_reference.composer.node import Node

_RULE_KEYS = {"name", "matches", "filters", "backendRefs", "timeouts", "retry", "sessionPersistence"}
_BACKEND_KEYS = {"group", "kind", "name", "namespace", "port", "weight", "filters"}
_MAX_WEIGHT = 1_000_000

# What Gateway API's validation of a path value forbids, each with the words for it.
_FORBIDDEN_IN_PREFIX = (
    (r"^(?!/)", "must begin with /"),
    (r"//", "must not contain //"),
    (r"/\./|/\.$", "must not contain a segment ."),
    (r"/\.\./|/\.\.$", "must not contain a segment .."),
    (r"%2[fF]", "must not contain %2F"),
    (r"#", "must not contain #"),
    # Braces aren't Gateway API's, but a rule may take a template as it stands (contract section 3).
    (
        r"(?!%[0-9a-fA-F]{2})[^-A-Za-z0-9/._~!$&'()*+,;=:@{}]",
        "has a character that Gateway API doesn't allow",
    ),
    (r"^.{1025}", "is longer than 1024 characters"),
)


@dataclass(frozen=True)
class Route:
    """One path prefix and the Service that it delivers to."""

    prefix: str
    service: str
    port: int


def read_routes(http_route: KubernetesObject) -> tuple[Route, ...]:
    """The routes of all rules, in document order."""
    rules = http_route.spec.need("rules")
    found = rules.items()
    if not found:
        raise rules.error("has no rule")
    return tuple(route for number, rule in enumerate(found, 1) for route in _rule_routes(rule, number, http_route))


def _rule_routes(rule: Node, number: int, http_route: KubernetesObject) -> Iterator[Route]:
    rule = rule.named(f"HTTPRoute {http_route.name}: rule {number}")
    _refuse_unknown(rule, _RULE_KEYS)
    prefixes = list(_prefixes(rule))
    rule = rule.named(f"{rule.place} ({', '.join(prefixes)})")
    _refuse_filters(rule)
    backend = _backend(rule, http_route)
    service = backend.need("name").text()
    port = backend.need("port").port()
    for prefix in prefixes:
        yield Route(prefix, service, port)


def _refuse_unknown(node: Node, known: set[str]) -> None:
    for key, below in node.pairs():
        if key not in known and below.value is not None:
            raise below.error(f'"{key}" isn\'t supported here')


def _refuse_filters(node: Node) -> None:
    filters = node.get("filters")
    if filters is not None and filters.items():
        raise filters.error("filters aren't supported")


def _prefixes(rule: Node) -> Iterator[str]:
    matches = rule.get("matches")
    found = [] if matches is None else matches.items()
    if not found:
        yield "/"  # Gateway API: no matches means the path prefix /
    for match in found:
        yield _prefix(match)


def _prefix(match: Node) -> str:
    for key, below in match.pairs():
        if key != "path" and below.value not in (None, []):
            raise below.error(f'a match on "{key}" isn\'t supported, only a path prefix is')
    path = match.get("path")
    if path is None:
        return "/"
    _refuse_unknown(path, {"type", "value"})
    match_type = path.get("type")
    if match_type is not None and match_type.text() != "PathPrefix":
        raise match_type.error(f"{match_type.text()} isn't supported, only PathPrefix is")
    if path.get("value") is None:
        return "/"
    value = path.need("value")
    if value.value == "":
        raise value.error('the prefix "" must begin with /')
    prefix = value.text()
    for pattern, message in _FORBIDDEN_IN_PREFIX:
        if re.search(pattern, prefix):
            raise value.error(f'the prefix "{prefix}" {message}')
    return prefix


def _backend(rule: Node, http_route: KubernetesObject) -> Node:
    references = rule.get("backendRefs")
    found = [] if references is None else references.items()
    if len(found) != 1:
        raise (references or rule).error(f"needs exactly one backendRef, found {len(found)}")
    backend = replace(found[0], place=f"{rule.place}: backendRef")
    _refuse_unknown(backend, _BACKEND_KEYS)
    _refuse_filters(backend)
    group = backend.get("group")
    if group is not None and group.value != "":
        raise group.error(f'"{group.text()}" isn\'t the core group, so the backend is no Service')
    kind = backend.get("kind")
    if kind is not None and kind.text() != "Service":
        raise kind.error(f"must be Service, not {kind.text()}")
    namespace = backend.get("namespace")
    if namespace is not None and namespace.text() != http_route.namespace:
        raise namespace.error(f"{namespace.text()} isn't the HTTPRoute's namespace ({http_route.namespace})")
    weight = backend.get("weight")
    if weight is not None and weight.integer(0, _MAX_WEIGHT) == 0:
        raise weight.error("a backend of weight 0 receives no traffic")
    return backend
