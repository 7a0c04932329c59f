"""A checkout as the rules see it: what its files say, and who receives what each service documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gco_conformance.drift.gateway_api import HttpRoute, Manifest, Match
from gco_conformance.drift.readers.configuration import Configuration
from gco_conformance.drift.readers.published import Published
from gco_conformance.drift.router import Router, Taken
from gco_conformance.drift.service import Documented, Service, path_key
from gco_conformance.drift.templates import Parameters, PathFinder
from gco_conformance.model.routing import segments


@dataclass(frozen=True)
class Group:
    """HTTPRoutes that compete for the same requests: those of the same hosts on the same listeners."""

    routes: tuple[HttpRoute, ...]
    router: Router

    @property
    def matches(self) -> Iterable[Match]:
        return (match for route in self.routes for match in route.matches)


@dataclass(frozen=True)
class Delivery:
    """What becomes of a documented path. `receiver` is the match that takes it, `None` where none does."""

    service: Service
    documented: Documented
    receiver: Match | None
    delivered: bool
    taken: tuple[Taken, ...]
    """For a delivered path, all ways in which rules split its requests."""
    group: Group | None = None
    """Where it is delivered."""

    @property
    def shadowing(self) -> frozenset[tuple[str, str]]:
        """Path and Service of the matches that take requests of the template, whatever its schemas exclude.

        This is what the composed document records in `x-gco-shadowed-by`.
        """
        if self.group is None or "{" not in self.documented.path:
            return frozenset()
        every = self.group.router.taken(segments(self.documented.path), lambda _segment, _text: True)
        return frozenset(
            (taken.match.path, taken.match.service)
            for taken in every
            if taken.match is not None and taken.match.service != self.service.name
        )


@dataclass(frozen=True)
class Project:
    """All that was read. What is derived from it is worked out once, when it is first asked for."""

    configuration: Configuration
    manifest: Manifest
    services: Mapping[str, Service]
    unreadable: frozenset[str]
    """Services whose document can't be used: nothing is said about what isn't in it."""
    published: Published | None
    """The composed document, `None` where it can't be used or isn't asked for."""

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        together: dict[tuple[object, ...], list[HttpRoute]] = {}
        for route in self.manifest.routes:
            together.setdefault((frozenset(route.parents), frozenset(route.hostnames)), []).append(route)
        groups = []
        for routes in together.values():
            # Between routes the older wins, which a manifest can't tell; then the name decides.
            ordered = tuple(sorted(routes, key=lambda route: (route.namespace, route.name)))
            competing = (match for route in ordered for match in route.matches if not match.conditional)
            groups.append(Group(ordered, Router(competing)))
        return tuple(groups)

    @cached_property
    def backends(self) -> frozenset[str]:
        """Every Service that a rule names."""
        return frozenset().union(*(route.services for route in self.manifest.routes))

    @cached_property
    def internal(self) -> frozenset[str]:
        return frozenset(consumer.name for consumer in self.configuration.internal)

    @cached_property
    def exposed(self) -> tuple[Service, ...]:
        """The services that clients of the gateway are meant to reach, in the order of their names."""
        names = sorted(self.backends - self.internal)
        return tuple(self.services[name] for name in names if name in self.services)

    @cached_property
    def uncertain(self) -> frozenset[str]:
        """Services that some requests reach in ways that aren't modelled."""
        return frozenset().union(*(route.uncertain for route in self.manifest.routes))

    @cached_property
    def deliveries(self) -> tuple[Delivery, ...]:
        """Every documented path of the exposed services, by service and in the order of its document."""
        return tuple(
            self._delivery(service, documented) for service in self.exposed for documented in service.paths
        )

    @cached_property
    def documented_by(self) -> Mapping[str, tuple[Delivery, ...]]:
        """The deliveries of each path key."""
        found: dict[str, list[Delivery]] = {}
        for delivery in self.deliveries:
            found.setdefault(delivery.documented.key, []).append(delivery)
        return {key: tuple(deliveries) for key, deliveries in found.items()}

    @cached_property
    def delivered_below(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """By prefix, the services that receive a path below it through a rule that is shorter."""
        found: dict[tuple[str, ...], set[str]] = {}
        for delivery in self.deliveries:
            if delivery.delivered and delivery.receiver is not None:
                path = segments(delivery.documented.path)
                for length in range(len(delivery.receiver.segments) + 1, len(path) + 1):
                    found.setdefault(path[:length], set()).add(delivery.service.name)
        return {prefix: frozenset(names) for prefix, names in found.items()}

    @cached_property
    def decided(self) -> frozenset[str]:
        """The keys of the paths about which a decision is recorded."""
        return frozenset(path_key(decision.path) for decision in self.configuration.decisions)

    @cached_property
    def alive(self) -> frozenset[int]:
        """The identities of the matches that bring a documented operation to its service."""
        found = set()
        for delivery in self.deliveries:
            for group in self.groups:
                already = group is delivery.group
                ways = delivery.taken if already else self._taken(group, delivery.service, delivery.documented)
                for taken in ways:
                    if taken.match is not None and taken.match.service == delivery.service.name:
                        found.add(id(taken.match))
        return frozenset(found)

    @cached_property
    def dead_rules(self) -> Mapping[str, Match]:
        """For each Service the first match that could win and brings it no documented operation."""
        found: dict[str, Match] = {}
        for group in self.groups:
            for match in group.matches:
                if not (
                    match.conditional
                    or match.opaque
                    or id(match) in self.alive
                    or id(match) in group.router.beaten
                ):
                    found.setdefault(match.service, match)
        return found

    @cached_property
    def ports(self) -> Mapping[str, int]:
        """The lowest port under which rules name each Service."""
        found: dict[str, int] = {}
        for route in self.manifest.routes:
            for match in route.matches:
                if match.port is not None:
                    found[match.service] = min(match.port, found.get(match.service, match.port))
        return found

    def receiver(self, path: str) -> Match | None:
        """The match that takes a path, in the first group in which one is known to."""
        winners = [group.router.winner(segments(path)) for group in self.groups]
        known = [match for match in winners if match is not None]
        return next((match for match in known if not match.opaque), known[0] if known else None)

    def finder(self, service: str) -> PathFinder | None:
        """What answers which path in a service, `None` where its document isn't known."""
        if service not in self.services:
            return None
        if service not in self._finders:
            self._finders[service] = PathFinder(self.services[service].paths)
        return self._finders[service]

    @cached_property
    def _finders(self) -> dict[str, PathFinder]:
        return {}

    def _delivery(self, service: Service, documented: Documented) -> Delivery:
        path = segments(documented.path)
        other: Match | None = None
        for group in self.groups:
            match = group.router.winner(path)
            if match is not None and match.service == service.name:
                return Delivery(service, documented, match, True, self._taken(group, service, documented), group)
            if match is not None and (other is None or other.opaque):
                other = match
        return Delivery(service, documented, other, False, ())

    def _taken(self, group: Group, service: Service, documented: Documented) -> tuple[Taken, ...]:
        path = segments(documented.path)
        if "{" not in documented.path:
            return (Taken(group.router.winner(path), path),)
        return tuple(group.router.taken(path, Parameters(service.document, documented).allows))
