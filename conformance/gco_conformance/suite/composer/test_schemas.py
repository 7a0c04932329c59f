"""Generated schemas in several services: what they mean and what they are called when composed."""

from __future__ import annotations

import pytest

from gco_conformance.checkouts import generate
from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import Violation
from gco_conformance.model.invariants import faithful
from gco_conformance.model.naming import names
from gco_conformance.suite.property import for_all


@pytest.mark.requirement("composer.schemas.conflict-renamed")
def test_names_of_plain_schemas(composer: Subject) -> None:
    """Equal definitions share a name, others get their service's in front: clients depend on both."""
    for_all(composer, generate.conflicting_schemas(references=False), named_as_modelled)


@pytest.mark.requirement("composer.schemas.recursive")
def test_names_of_schemas_that_refer_to_each_other(composer: Subject) -> None:
    """Text doesn't tell whether two schemas are the same: what they refer to counts, in a cycle too."""
    for_all(composer, generate.conflicting_schemas(references=True), named_as_modelled)


@pytest.mark.requirement("composer.schemas.faithful")
def test_operations_mean_what_their_service_says(composer: Subject) -> None:
    """Follow every reference to the end: a client generated from the document must fit the service."""
    for_all(composer, generate.conflicting_schemas(references=True), means_the_same)


def named_as_modelled(observation: Observation) -> None:
    document = composed(observation, observation.checkout.services()["alpha"]["paths"])
    expected = sorted(set(names(observation.checkout.services()).values()))
    actual = sorted(document.get("components", {}).get("schemas", {}))
    if expected != actual:
        raise Violation("the schemas have other names", expected=expected, actual=actual, observation=observation)


def means_the_same(observation: Observation) -> None:
    services = observation.checkout.services()
    document = composed(observation, [path for service in services.values() for path in service["paths"]])
    for breach in faithful(document, observation.checkout):
        raise Violation(
            "an operation doesn't mean what its service says",
            expected="the same after following every reference",
            actual=breach,
            observation=observation,
        )
