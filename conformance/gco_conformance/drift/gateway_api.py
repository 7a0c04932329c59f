"""The Gateway API and AWS objects that decide who receives a path, reduced to what the gate needs.

Where an HTTPRoute asks for something that decides by more than the path, it is kept as `not_modelled`, so that
no rule of the gate claims to know what it doesn't.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from gco_conformance.drift.place import Place


@dataclass(frozen=True)
class NotModelled:
    """A part of a rule that decides by more than the path, such as a header or a rewrite."""

    what: str
    place: Place


@dataclass(frozen=True)
class Match:
    """One match of a rule: the requests that it takes, and the Service that they go to."""

    path: str
    segments: tuple[str, ...]
    exact: bool
    service: str
    """"" where nobody receives what matches."""
    port: int | None
    route: str
    """The HTTPRoute, as namespace/name."""
    place: Place
    """Of the path's value, or of what stands for it."""
    backend_place: Place
    insert_place: Place
    """Of the rule in the list of rules."""
    values: int
    """How many values the conditions have, without the path's and the host's."""
    conditional: bool = False
    """It asks for more than the path, so requests may pass it by."""
    opaque: bool = False
    """What stands behind it isn't known, or is asked for another path."""

    @property
    def catches_all(self) -> bool:
        return not self.segments and not self.exact


@dataclass(frozen=True)
class Parent:
    """What a `parentRefs` entry names."""

    namespace: str
    name: str
    section: str
    place: Place = field(compare=False)


@dataclass(frozen=True)
class HttpRoute:
    namespace: str
    name: str
    place: Place
    hostnames: tuple[str, ...]
    parents: tuple[Parent, ...]
    rules: tuple[tuple[Match, ...], ...]
    not_modelled: tuple[NotModelled, ...]
    services: frozenset[str]
    """Every Service that it sends requests to."""
    uncertain: frozenset[str]
    """Those of them to which some rule sends requests by more than the path."""

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.name}"

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        return tuple(match for rule in self.rules for match in rule)


@dataclass(frozen=True)
class Gateway:
    namespace: str
    name: str
    class_name: str
    listeners: tuple[str, ...]
    parameters: str
    """The LoadBalancerConfiguration that it names, or ""."""


@dataclass(frozen=True)
class TargetGroup:
    """A TargetGroupConfiguration. `service` is the Service that it is for, "" for a default."""

    name: str
    service: str
    health_check: str
    """The path that is probed, "" where none is given."""
    place: Place


@dataclass(frozen=True)
class Manifest:
    """All that the manifests say."""

    routes: tuple[HttpRoute, ...] = ()
    gateways: tuple[Gateway, ...] = ()
    target_groups: tuple[TargetGroup, ...] = ()
    default_target_groups: tuple[tuple[str, str], ...] = ()
    """By LoadBalancerConfiguration, the TargetGroupConfiguration that it names."""
    on_aws: bool = False
    """The AWS Load Balancer Controller reads them."""
    complete: bool = True
    """False where a part couldn't be read, so that what isn't there may only not have been seen."""
