"""Slips of the hand: lines of a sound checkout changed at random. Composed or refused, but never a crash."""

from __future__ import annotations

import pytest

from gco_conformance.adapters.answer import Ending
from gco_conformance.checkouts import samples
from gco_conformance.checkouts.case import Refusal
from gco_conformance.checkouts.checkout import CONFIGURATION
from gco_conformance.checkouts.generate import mangled
from gco_conformance.evidence.expectations import composed, refused, refused_in_form
from gco_conformance.evidence.observation import TRACEBACK, Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import Violation
from gco_conformance.suite.property import for_all


@pytest.mark.requirement("composer.manifest.malformed")
@pytest.mark.parametrize("file", ["manifest.yaml", "services/orders.json"])
def test_mangled_files(composer: Subject, file: str) -> None:
    """Whatever a slip does to a file, people need one line that says what is wrong, and no traceback."""
    _composed_or_refused(composer, file, in_form=True)


@pytest.mark.requirement("composer.configuration.invalid")
def test_mangled_configuration(composer: Subject) -> None:
    """A slip in the configuration is told, too."""
    _composed_or_refused(composer, CONFIGURATION, in_form=False)


def _composed_or_refused(composer: Subject, file: str, *, in_form: bool) -> None:
    twin = composer.compose(samples.SHOP)
    composed(twin, samples.SHOP_PATHS)

    def judge(observation: Observation) -> None:
        answer = observation.answer
        if answer.ending is not Ending.EXITED or TRACEBACK in answer.stderr:
            raise Violation(
                f"a slip in {file} is neither composed nor refused",
                expected="exit status 0, or 2 with one line `ERROR: …` on stderr",
                actual=observation.summary(),
                observation=observation,
            )
        if answer.exit != 0:
            refused(observation, Refusal())
            if in_form:
                refused_in_form(observation, twin)

    for_all(composer, mangled(samples.SHOP, file), judge)
