"""The written cases: a checkout, one thing about it, and what composers must make of it."""

from __future__ import annotations

import pytest

from gco_conformance.checkouts.case import Check, checks
from gco_conformance.evidence import expectations
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject

FORM = "composer.manifest.malformed"
"""A requirement that is about the form of its refusals, too."""


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, id=check.id, marks=pytest.mark.requirement(check.requirement)) for check in checks()],
)
def test_case(composer: Subject, check: Check) -> None:
    """The twin is composed first: who refuses everything has refused nothing."""
    twin = composer.compose(check.twin)
    expectations.composed(twin, check.composes)

    observation = composer.compose(check.checkout)
    if check.refusal is not None and not (check.expectation and _accepted(observation)):
        expectations.refused(observation, check.refusal)
        if check.requirement == FORM:
            expectations.refused_in_form(observation, twin)
    if check.expectation is not None and _accepted(observation):
        document = expectations.composed(observation, check.composes if check.refusal is None else ())
        expectations.meets(observation, document, check.expectation)


def _accepted(observation: Observation) -> bool:
    return observation.answer.exit == 0
