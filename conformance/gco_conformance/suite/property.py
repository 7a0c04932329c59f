"""Properties: checks on generated checkouts instead of written ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

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


Value = TypeVar("Value")


def for_all(
    composer: Subject,
    checkouts: SearchStrategy[Checkout],
    judge: Callable[[Observation], None],
    *,
    examples: int = EXAMPLES,
) -> None:
    """Judge what the composer makes of generated checkouts; raises what `judge` raised on the smallest.

    A plain checkout comes first: a composer that can't compose that one needs no search.
    """
    composed(composer.compose(samples.SHOP), samples.SHOP_PATHS)
    for_each(composer.seed, checkouts, lambda checkout: judge(composer.compose(checkout)), examples=examples)


def for_each(
    seed: int,
    values: SearchStrategy[Value],
    judge: Callable[[Value], None],
    *,
    examples: int = EXAMPLES,
) -> None:
    """Judge generated values; raises what `judge` raised on the smallest of those that it raised on.

    `seed` gives the values. After a first failure only a bounded time is spent to make it smaller: from then on
    values that haven't failed yet count as harmless, which ends the search.
    """
    ends = float("inf")
    failed: dict[str, BaseException] = {}

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(values)
    def holds(value: Value) -> None:
        nonlocal ends
        error = failed.get(repr(value)) if failed else None
        if error is None and time.monotonic() <= ends:
            try:
                judge(value)
            except BaseException as found:
                error = failed[repr(value)] = found
                ends = min(ends, time.monotonic() + SHRINKING_SECONDS)
        if error is not None:
            # Always from here: Hypothesis takes failures from two places for two failures.
            raise error.with_traceback(None)

    holds()
