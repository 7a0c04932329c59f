"""HTTPRoutes, with the defaults of Gateway API v1 for what they leave out."""

from __future__ import annotations

from dataclasses import dataclass

from gco_conformance.drift.gateway_api import HttpRoute, Match, NotModelled, Parent
from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Unusable
from gco_conformance.drift.readers.yaml_tree import Tree
from gco_conformance.model.routing import segments

NAMESPACE = "default"
# These change what is asked for or where; header modifiers, mirrors and CORS leave both as they are.
_DIVERTING = frozenset({"URLRewrite", "RequestRedirect", "ExtensionRef"})
_CONDITIONS = (("headers", "headers"), ("queryParams", "query parameters"))


def read_http_route(tree: Tree) -> HttpRoute:
    """The HTTPRoute that `tree` holds. Raises `Unusable` at the first part that has the wrong type."""
    namespace, name = names(tree)
    spec = tree.get("spec")
    if spec is None:
        raise Unusable(tree.place, f"HTTPRoute {name} has no spec")
    reader = _Reader(namespace, f"{namespace}/{name}")
    hostnames = spec.get("hostnames")
    parents = spec.get("parentRefs")
    rules = spec.get("rules")
    # Without rules, everything matches and goes nowhere.
    trees = [spec] if rules is None else rules.items("rules")
    return HttpRoute(
        namespace=namespace,
        name=name,
        place=tree.place,
        hostnames=() if hostnames is None else tuple(h.text("a hostname") for h in hostnames.items("hostnames")),
        parents=() if parents is None else tuple(map(reader.parent, parents.items("parentRefs"))),
        rules=tuple(map(reader.rule, trees)),
        not_modelled=tuple(reader.not_modelled),
        services=frozenset(reader.services),
        uncertain=frozenset(reader.uncertain),
    )


def names(tree: Tree) -> tuple[str, str]:
    """Namespace and name of an object."""
    name = tree.at("metadata", "name")
    if name is None:
        raise Unusable(tree.place, "the object has no metadata.name")
    namespace = tree.at("metadata", "namespace")
    return NAMESPACE if namespace is None else namespace.text("metadata.namespace"), name.text("metadata.name")


@dataclass(frozen=True)
class _Backend:
    weight: int
    service: str
    port: int | None
    place: Place


class _Reader:
    """Reads one HTTPRoute and collects what isn't modelled on the way."""

    def __init__(self, namespace: str, title: str) -> None:
        self._namespace = namespace
        self._title = title
        self.not_modelled: list[NotModelled] = []
        self.services: set[str] = set()
        self.uncertain: set[str] = set()

    def parent(self, tree: Tree) -> Parent:
        name, namespace, section = (tree.get(key) for key in ("name", "namespace", "sectionName"))
        if name is None:
            raise Unusable(tree.place, "a parentRef has no name")
        return Parent(
            namespace=self._namespace if namespace is None else namespace.text("a parentRef's namespace"),
            name=name.text("a parentRef's name"),
            section="" if section is None else section.text("a parentRef's sectionName"),
            place=tree.place,
        )

    def rule(self, tree: Tree) -> tuple[Match, ...]:
        tree.entries("a rule")
        noted = len(self.not_modelled)
        receiving, place, opaque = self._backends(tree)
        matches = tree.get("matches")
        trees = [] if matches is None else matches.items("matches")
        main = max(receiving, key=lambda backend: backend.weight, default=_Backend(0, "", None, place))
        found = tuple(self._match(own, tree, main, opaque) for own in trees or [tree])
        names = {backend.service for backend in receiving}
        self.services |= names
        if len(self.not_modelled) > noted:
            self.uncertain |= names
        return found

    def _backends(self, rule: Tree) -> tuple[list[_Backend], Place, bool]:
        """The Services that receive traffic, where they stand, and whether what stands there isn't known."""
        backends = rule.get("backendRefs")
        opaque = self._diverts(rule)
        receiving: list[_Backend] = []
        for backend in [] if backends is None else backends.items("backendRefs"):
            name, port, weight = (backend.get(key) for key in ("name", "port", "weight"))
            kind, group = backend.get("kind"), backend.get("group")
            if name is None:
                raise Unusable(backend.place, "a backendRef has no name")
            share = 1 if weight is None else weight.integer("a backendRef's weight")
            if share == 0:
                continue
            if (kind is not None and kind.value != "Service") or (group is not None and group.value):
                self._note("a backendRef that is no Service", backend.place)
                opaque = True
                continue
            opaque = self._diverts(backend) or opaque
            number = None if port is None else port.integer("a backendRef's port")
            receiving.append(_Backend(share, name.text("a backendRef's name"), number, name.place))
        if len({backend.service for backend in receiving}) > 1:
            self._note("more than one Service behind a rule", receiving[1].place)
            opaque = True
        return receiving, (backends or rule).place, opaque

    def _diverts(self, tree: Tree) -> bool:
        filters = tree.get("filters")
        diverting = [
            kind
            for item in ([] if filters is None else filters.items("filters"))
            if (kind := item.get("type")) is not None and kind.value in _DIVERTING
        ]
        for kind in diverting:
            self._note(f"a filter of type {kind.value}", kind.place)
        return bool(diverting)

    def _match(self, tree: Tree, rule: Tree, backend: _Backend, opaque: bool) -> Match:
        path = tree.get("path") if tree is not rule else None
        kind = None if path is None else path.get("type")
        value = None if path is None else path.get("value")
        conditional, values = False, 0
        if tree is not rule:
            tree.entries("a match")
            if tree.get("method") is not None:
                conditional, values = True, 1
                self._note("a match by method", tree.place)
            for key, title in _CONDITIONS:
                conditions = tree.get(key)
                if conditions is not None and (count := len(conditions.items(key))):
                    conditional, values = True, values + count
                    self._note(f"a match by {title}", conditions.place)
        if kind is not None and kind.value not in ("PathPrefix", "Exact"):
            conditional = True
            self._note(f"a path of type {kind.value}", kind.place)
        text = "/" if value is None else value.text("a match's path")
        return Match(
            path=text,
            segments=segments(text),
            exact=kind is not None and kind.value == "Exact",
            service=backend.service,
            port=backend.port,
            route=self._title,
            place=(value or path or tree).place,
            backend_place=backend.place,
            insert_place=rule.place,
            values=values,
            conditional=conditional,
            opaque=opaque,
        )

    def _note(self, what: str, place: Place) -> None:
        self.not_modelled.append(NotModelled(what, place))
