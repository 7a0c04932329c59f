"""The rules of the gate, by family. Each module says what its rules are, and finds what breaks them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

from gco_conformance.drift.finding import Finding, Rule
from gco_conformance.drift.project import Project
from gco_conformance.drift.rules import (
    composed,
    decisions,
    delivery,
    health_checks,
    load_balancer,
    route_rules,
    services,
    suppressions,
    unauthenticated,
)


class Family(Protocol):
    """A module of rules that are about the same things."""

    RULES: Final[tuple[Rule, ...]]

    def check(self, project: Project) -> Iterator[Finding]:
        """What breaks the family's rules."""


FAMILIES: Final[tuple[Family, ...]] = (
    delivery,
    decisions,
    services,
    route_rules,
    health_checks,
    unauthenticated,
    composed,
    load_balancer,
)
RULES: Final[dict[str, Rule]] = {
    rule.id: rule for rules in (*(family.RULES for family in FAMILIES), suppressions.RULES) for rule in rules
}
"""Every rule by its id."""


def check(project: Project) -> list[Finding]:
    """All findings, by place. Those of the same place keep the order of the families."""
    found = [finding for family in FAMILIES for finding in family.check(project)]
    return sorted(found, key=lambda finding: (finding.place.file, finding.place.line or 0))
