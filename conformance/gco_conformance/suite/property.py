"""Properties: checks on generated checkouts instead of written ones."""

from __future__ import annotations

import time
from collections.abc import Callable

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.strategies import SearchStrategy

from gco_conformance.checkouts import samples
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject

EXAMPLES = 25
SHRINKING_SECONDS = 5.0


def for_all(
    composer: Subject,
    checkouts: SearchStrategy[Checkout],
    judge: Callable[[Observation], None],
    *,
    examples: int = EXAMPLES,
) -> None:
    """Judge what the composer makes of generated checkouts; raises what `judge` raised on the smallest.

    A plain checkout comes first: a composer that can't compose that one needs no search. The run's seed gives
    the checkouts. After a first failure only a bounded time is spent to make it smaller: from then on checkouts
    that were not asked for before count as harmless, which ends the search.
    """
    composed(composer.compose(samples.SHOP), samples.SHOP_PATHS)
    ends = float("inf")

    @hypothesis.seed(composer.seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(checkouts)
    def holds(checkout: Checkout) -> None:
        nonlocal ends
        if time.monotonic() > ends and not composer.knows(checkout):
            return
        try:
            judge(composer.compose(checkout))
        except BaseException:
            ends = min(ends, time.monotonic() + SHRINKING_SECONDS)
            raise

    holds()
