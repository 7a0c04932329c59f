"""Used, what the reference composes tells the truth: every composer case whose checkout can be composed."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from gco_conformance.adapters import spec
from gco_conformance.checkouts.case import checks
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested
from gco_conformance.extras import missing
from gco_conformance.suite.routed import operations, surface
from gco_conformance.suite.routed.exercise import Exercise
from gco_conformance.suite.routed.used import Used

pytestmark = pytest.mark.skipif(bool(missing("schemathesis")), reason=missing("schemathesis"))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    composer = spec.parse(f"stdio:{sys.executable} -m gco_reference serve", jobs=1, timeout=30.0)
    composer.start()
    yield Subject(composer, tmp_path_factory.mktemp("checkouts"))
    composer.close()


def composed_by(reference: Subject, checkout: Checkout) -> bool:
    return reference.compose(checkout).answer.exit == 0


CASES = sorted({check.id.split("/")[0] for check in checks()})
ABOUT_THE_DOCUMENT = ("document-", "routing-", "schemas-")
"""Cases of other kinds are about what can be composed, and have services like these."""


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith(ABOUT_THE_DOCUMENT)])
def test_the_reference_tells_the_truth(case: str, reference: Subject) -> None:
    own = [check for check in checks() if check.id.split("/")[0] == case]
    found = list(dict.fromkeys(checkout for check in own for checkout in (check.twin, check.checkout)))
    sound = [checkout for checkout in found if composed_by(reference, checkout)]
    assert sound
    tested = 0
    for checkout in sound[:1]:
        observation = reference.compose(checkout)
        exercise = Exercise(observation, observation.document, seed=0, examples=0)
        for whole in surface.JUDGES:
            whole(exercise)
        for operation in Used("case", checkout).operations():
            for check in operations.JUDGES:
                try:
                    check(exercise, operation.label)
                except NotTested as reason:
                    print(operation.label, reason)
                else:
                    tested += 1
    assert tested
