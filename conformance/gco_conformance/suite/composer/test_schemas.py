"""Generated schemas in several services: what they mean and what they are called when composed."""

from __future__ import annotations

import functools

import pytest

from gco_conformance.checkouts import generate
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import Violation
from gco_conformance.model.invariants import faithful
from gco_conformance.model.naming import names
from gco_conformance.suite.property import for_all


@pytest.mark.requirement("composer.schemas.conflict-renamed")
def test_names_of_conflicting_schemas(composer: Subject) -> None:
    """A later service's definition that differs gets the service in front: clients depend on the name."""
    for_all(composer, generate.conflicting_schemas(references=False), names_each_conflict)


@pytest.mark.requirement("composer.schemas.identical-shared")
def test_names_of_equal_schemas(composer: Subject) -> None:
    """Equal definitions share a name: another one for each service would be another type for each client."""
    for_all(composer, generate.conflicting_schemas(references=False), names_nothing_else)


@pytest.mark.requirement("composer.schemas.recursive")
def test_names_of_schemas_that_refer_to_each_other(composer: Subject) -> None:
    """Text doesn't tell whether two schemas are the same: what they refer to counts, in a cycle too."""
    # Two services: with whom a third one shares is judged where names are.
    for_all(composer, generate.conflicting_schemas(references=True, most=2), named_as_modelled)


@pytest.mark.requirement("composer.schemas.faithful")
def test_operations_mean_what_their_service_says(composer: Subject) -> None:
    """Follow every reference to the end: a client generated from the document must fit the service."""
    for_all(composer, generate.conflicting_schemas(references=True), means_the_same)


def names_each_conflict(observation: Observation) -> None:
    expected, actual = _names(observation)
    _none(expected - actual, "schemas of these names are missing", actual, observation)


def names_nothing_else(observation: Observation) -> None:
    expected, actual = _names(observation)
    _none(actual - expected, "schemas have names that nothing asks for", actual, observation)


def named_as_modelled(observation: Observation) -> None:
    names_each_conflict(observation)
    names_nothing_else(observation)


def _names(observation: Observation) -> tuple[frozenset[str], frozenset[str]]:
    """The names of schemas as modelled, and as they are in the composed document."""
    document = composed(observation, observation.checkout.services()["alpha"]["paths"])
    return _modelled(observation.checkout), frozenset(document.get("components", {}).get("schemas", {}))


@functools.cache
def _modelled(checkout: Checkout) -> frozenset[str]:
    return frozenset(names(checkout.services()).values())


def _none(wrong: frozenset[str], message: str, actual: frozenset[str], observation: Observation) -> None:
    if wrong:
        raise Violation(
            f"{message}: {', '.join(sorted(wrong))}",
            expected=sorted(_modelled(observation.checkout)),
            actual=sorted(actual),
            observation=observation,
        )


def means_the_same(observation: Observation) -> None:
    services = observation.checkout.services()
    document = composed(observation, [path for service in services.values() for path in service["paths"]])
    for breach in faithful(document, observation.checkout):
        raise Violation(breach.message, expected=breach.expected, actual=breach.actual, observation=observation)
