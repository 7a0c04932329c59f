"""The rules of the gate, by family. Each module says what its rules are, and finds what breaks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gco_conformance.drift.finding import Finding, Rule
from gco_conformance.drift.project import Project
from gco_conformance.drift.rules import (
    composed,
    decisions,
    delivery,
    health_checks,
    load_balancer,
    route_objects,
    route_rules,
    services,
    suppressions,
    unauthenticated,
)


@dataclass(frozen=True)
class Family:
    """Rules that are about the same things, and what finds that they are broken."""

    rules: tuple[Rule, ...]
    check: Callable[[Project], Iterator[Finding]]


FAMILIES: Final = (
    Family(delivery.RULES, delivery.check),
    Family(decisions.RULES, decisions.check),
    Family(services.RULES, services.check),
    Family(route_rules.RULES, route_rules.check),
    Family(route_objects.RULES, route_objects.check),
    Family(health_checks.RULES, health_checks.check),
    Family(unauthenticated.RULES, unauthenticated.check),
    Family(composed.RULES, composed.check),
    Family(load_balancer.RULES, load_balancer.check),
)
RULES: Final[Mapping[str, Rule]] = {
    rule.id: rule for rules in (*(family.rules for family in FAMILIES), suppressions.RULES) for rule in rules
}
"""Every rule by its id, in the order in which they are explained."""


def find(project: Project) -> list[Finding]:
    """All that breaks a rule."""
    return [finding for family in FAMILIES for finding in family.check(project)]
