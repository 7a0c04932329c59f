"""The drift gate's route coverage, held against what the composer under test wrote.

In a repository's CI the gate compares a document with rules and services that have moved on. Here they are those
that it was composed from: what the gate would report is wrong.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gco_conformance.checkouts import generate
from gco_conformance.drift.coverage import coverage
from gco_conformance.drift.finding import Kind
from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import Violation
from gco_conformance.suite.property import for_all


@pytest.mark.requirement("composer.document.delivered-only")
def test_the_gate_finds_all_delivered_that_is_promised(composer: Subject) -> None:
    """An operation that is promised and not delivered sends clients to a 404."""
    for_all(composer, generate.routed(), agrees_about("delivery"))


@pytest.mark.requirement("composer.document.route-annotation")
def test_the_gate_finds_each_route_where_it_is(composer: Subject) -> None:
    """People follow the annotation to the rule that they have to change, and to the service that answers."""
    for_all(composer, generate.routed(), agrees_about("route"))


@pytest.mark.requirement("composer.document.security")
def test_the_gate_finds_the_same_operations_signed(composer: Subject) -> None:
    """Security that the gateway doesn't enforce, or enforces and isn't told, is a wrong promise."""
    for_all(composer, generate.routed(), agrees_about("security"))


@pytest.mark.requirement("composer.routing.partial-shadow")
def test_the_gate_finds_the_same_shadows(composer: Subject) -> None:
    """Where some instances of a path go elsewhere, gate and document must tell of the same ones."""
    routed = generate.routed(nested=True, longest_first=True, templates=True)
    for_all(composer, routed, agrees_about("shadow"))


@pytest.mark.requirement("composer.document.unreachable")
def test_the_gate_finds_the_same_paths_unreachable(composer: Subject) -> None:
    """The list in the document is what the next pull request is compared with."""
    for_all(composer, generate.routed(), agrees_about("fact"))


def agrees_about(kind: Kind) -> Callable[[Observation], None]:
    """Judges that the gate reports nothing of a kind; what is missing altogether is another requirement's."""

    def judge(observation: Observation) -> None:
        changes = coverage(composed(observation, ()), observation.checkout, {kind})
        told = [f"{change.operation} {change.what}" for change in changes if change.breaking or kind != "delivery"]
        if told:
            raise Violation(
                "the drift gate reports the composed document", expected=[], actual=told, observation=observation
            )

    return judge
