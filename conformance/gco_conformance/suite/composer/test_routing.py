"""Generated rules and paths: who receives what is compared with the model of the contract's section 3.

An operation tells by its summary which service documents it, so that its receiver shows without relying on
anything that the composer writes itself.
"""

from __future__ import annotations

from typing import Any

import pytest

from gco_conformance.checkouts import generate
from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import Violation
from gco_conformance.model.routing import shadows
from gco_conformance.model.surface import read
from gco_conformance.suite.property import for_all


@pytest.mark.requirement("composer.routing.longest-prefix")
def test_nested_prefixes_in_any_order(composer: Subject) -> None:
    """Rules are written in any order; a composer that goes by order sends paths to the wrong service."""
    for_all(composer, generate.routed(nested=True), delivers_as_modelled)


@pytest.mark.requirement("composer.routing.whole-segments")
def test_prefixes_that_begin_alike(composer: Subject) -> None:
    """`/v1` must not take `/v10`, `/v1-beta` or `/V1`, which a comparison of text would give it."""
    for_all(composer, generate.routed(words=generate.NEAR), delivers_as_modelled)


@pytest.mark.requirement("composer.routing.tie-first")
def test_prefixes_that_stand_twice(composer: Subject) -> None:
    """Two rules with one prefix: the gateway takes the first of them, and so must the document."""
    for_all(composer, generate.routed(ties=True, catch_all=False), delivers_as_modelled)


@pytest.mark.requirement("composer.routing.trailing-slash")
def test_prefixes_with_and_without_a_trailing_slash(composer: Subject) -> None:
    """`/jobs/` and `/jobs` are the same prefix; a comparison of text makes two of them."""
    for_all(composer, generate.routed(slashes=True, catch_all=False), delivers_as_modelled)


@pytest.mark.requirement("composer.routing.no-match")
def test_rules_without_a_catch_all(composer: Subject) -> None:
    """Without a rule `/` many paths are delivered to nobody and must not be promised."""
    for_all(composer, generate.routed(catch_all=False), promises_nothing_that_no_rule_matches)


@pytest.mark.requirement("composer.document.delivered-only")
def test_only_what_is_delivered_is_promised(composer: Subject) -> None:
    """An operation in the document that another service receives is a 404, or worse another answer."""
    for_all(composer, generate.routed(), promises_no_more_than_is_delivered)


@pytest.mark.requirement("composer.document.unreachable")
def test_what_is_not_delivered_is_listed(composer: Subject) -> None:
    """The list of unreachable paths is what people review when a rule changes: it must be complete."""
    for_all(composer, generate.routed(), lists_what_is_unreachable)


@pytest.mark.requirement("composer.routing.partial-shadow")
def test_templates_beside_rules_that_take_their_instances(composer: Subject) -> None:
    """`/jobs/{id}` beside a rule `/jobs/archive`: the document must say that some instances go elsewhere."""
    for_all(composer, generate.routed(nested=True, longest_first=True, templates=True), tells_shadows)


def delivers_as_modelled(observation: Observation) -> None:
    """Each operation of the document is that of the service which receives its path, and none is missing."""
    document = composed(observation, ())
    kept = read(observation.checkout).kept
    expected = {f"{method.upper()} {path}": f"{k.service} {path}" for (path, method), k in kept.items()}
    actual = {
        name: operation.get("summary")
        for name, operation in _operations(document).items()
        # What isn't delivered at all is judged by another requirement.
        if name in expected
    }
    _compare("operations aren't those of the service that receives them", expected, actual, observation)


def promises_nothing_that_no_rule_matches(observation: Observation) -> None:
    document = composed(observation, ())
    unmatched = {entry.path for entry in read(observation.checkout).unreachable if entry.route is None}
    promised = sorted(document["paths"].keys() & unmatched)
    _compare("paths are promised that no rule matches", [], promised, observation)


def promises_no_more_than_is_delivered(observation: Observation) -> None:
    document = composed(observation, ())
    kept = read(observation.checkout).kept
    if document["paths"] and not any("x-gco-route" in item for item in _operations(document).values()):
        raise Violation("no operation has an x-gco-route", actual=document["paths"], observation=observation)
    expected = sorted(f"{method.upper()} {path}" for path, method in kept)
    more = sorted(_operations(document).keys() - set(expected))
    _compare("operations are promised that no service delivers", [], more, observation)


def lists_what_is_unreachable(observation: Observation) -> None:
    document = composed(observation, ())
    expected = [
        {
            "path": entry.path,
            "service": entry.service,
            "rule": entry.route.prefix if entry.route else None,
            "deliveredTo": entry.route.service if entry.route else None,
        }
        for entry in sorted(read(observation.checkout).unreachable, key=lambda entry: (entry.service, entry.path))
    ]
    listed = document.get("x-gco-unreachable")
    _compare("x-gco-unreachable is wrong", expected, listed, observation)


def tells_shadows(observation: Observation) -> None:
    document = composed(observation, ())
    surface = read(observation.checkout)
    for (path, method), _ in sorted(surface.kept.items()):
        operation = _operations(document).get(f"{method.upper()} {path}", {})
        expected = [{"rule": route.prefix, "service": route.service} for route in shadows(surface.routes, path)]
        _compare(
            f"x-gco-shadowed-by of {method.upper()} {path} is wrong",
            expected or "absent",
            operation.get("x-gco-shadowed-by", "absent"),
            observation,
        )


def _operations(document: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{method.upper()} {path}": operation
        for path, item in document["paths"].items()
        if isinstance(item, dict)
        for method, operation in item.items()
        if isinstance(operation, dict)
    }


def _compare(message: str, expected: Any, actual: Any, observation: Observation) -> None:
    if expected != actual:
        raise Violation(message, expected=expected, actual=actual, observation=observation)
