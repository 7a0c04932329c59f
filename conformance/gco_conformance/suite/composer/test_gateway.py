"""The composed document used: requests that it allows and forbids, through a simulated gateway.

The services behind it behave as their own documents say. What they answer shows whether the composed document
tells the truth, whatever form it has.
"""

from __future__ import annotations

import pytest

from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested
from gco_conformance.extras import missing
from gco_conformance.suite.routed import operations, surface
from gco_conformance.suite.routed.exercise import Exercise, exercise
from gco_conformance.suite.routed.used import Used, UsedOperation, used

REQUIREMENTS = {
    "test_routes": "composer.document.route-annotation",
    "test_signatures": "composer.document.security",
    "test_delivered_operations": "composer.document.delivered-only",
    "test_unrouted_operations": "composer.routing.no-match",
    "test_unreachable_paths": "composer.document.unreachable",
    "test_shadowed_requests": "composer.routing.partial-shadow",
    "test_undocumented_paths": "composer.document.gateway-facts",
    "test_server": "composer.document.top-level",
}
"""What each check is about, but for those that are about what the operation is there for."""

HARDENED = ("test_requests", "test_answers", "test_shadowed_requests")
"""Checks that aren't, or needn't be, about the core of the contract."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    given = used(metafunc.config.getoption("checkout"), metafunc.config.getoption("examples"))
    check = metafunc.function.__name__
    if check not in HARDENED:
        given = tuple(one for one in given if one.core)
    if "whole" in metafunc.fixturenames:
        marks = [pytest.mark.requirement(REQUIREMENTS[check])]
        metafunc.parametrize("whole", [pytest.param(one, id=one.name, marks=marks) for one in given])
    elif "operation" in metafunc.fixturenames:
        found = [operation for one in given for operation in one.operations()]
        metafunc.parametrize(
            "operation",
            [
                pytest.param(one, id=one.id, marks=[pytest.mark.requirement(_requirement(check, one))])
                for one in found
            ],
        )


def _requirement(check: str, operation: UsedOperation) -> str:
    own = {"test_requests": operation.of_requests, "test_answers": operation.of_answers}
    return own.get(check) or REQUIREMENTS[check]


def test_routes(composer: Subject, operation: UsedOperation) -> None:
    """`x-gco-route` is believed when a call fails: a request must arrive where it says, by the rule it names."""
    operations.reaches_its_service(_use(composer, operation.used), operation.label)


def test_requests(composer: Subject, operation: UsedOperation) -> None:
    """A request that the document allows must be accepted, and one that it forbids refused, or clients break."""
    operations.accepts_what_is_documented(_use(composer, operation.used), operation.label)


def test_answers(composer: Subject, operation: UsedOperation) -> None:
    """Clients parse answers by the document: what the service answers must be what it says."""
    operations.answers_as_documented(_use(composer, operation.used), operation.label)


def test_signatures(composer: Subject, operation: UsedOperation) -> None:
    """A client that doesn't sign because the document says so gets nothing but 403."""
    operations.asks_for_signatures_as_documented(_use(composer, operation.used), operation.label)


def test_delivered_operations(composer: Subject, whole: Used) -> None:
    """An operation that nobody delivers is a 404 for everyone who believes the document."""
    surface.delivers_what_it_documents(_use(composer, whole))


def test_unrouted_operations(composer: Subject, whole: Used) -> None:
    """Where no rule matches, the gateway itself answers 404: no service is there to document."""
    surface.documents_nothing_unrouted(_use(composer, whole))


def test_unreachable_paths(composer: Subject, whole: Used) -> None:
    """People mend rules by the list of what isn't delivered: it must name who really gets it."""
    surface.delivers_nothing_unreachable(_use(composer, whole))


def test_shadowed_requests(composer: Subject, whole: Used) -> None:
    """Some requests of a template go to another service: the document must say which, and be right."""
    surface.tells_what_is_shadowed(_use(composer, whole))


def test_undocumented_paths(composer: Subject, whole: Used) -> None:
    """By `x-gco-routes` one knows whose 404 it is that a path outside the document gives."""
    surface.answers_nothing_else(_use(composer, whole))


def test_server(composer: Subject, whole: Used) -> None:
    """Generated clients put the server's address before every path."""
    surface.is_at_its_server(_use(composer, whole))


def _use(composer: Subject, one: Used) -> Exercise:
    """The composed document of a checkout. The control is that it was composed."""
    reason = missing("schemathesis")
    if reason:
        raise NotTested(reason)
    observation = composer.compose(one.checkout)
    examples = composer.examples if one.most is None else min(one.most, composer.examples)
    return exercise(observation, composed(observation, ()), composer.seed, examples)
