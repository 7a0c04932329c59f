"""Properties: checks on generated checkouts instead of written ones."""

from __future__ import annotations

import functools
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
SHRINKING_CALLS = 60
SHRINKING_SECONDS = 5.0


Value = TypeVar("Value")


def for_all(
    composer: Subject,
    checkouts: SearchStrategy[Checkout],
    judge: Callable[[Observation], None],
    *,
    examples: int = EXAMPLES,
) -> None:
    """Judge what the composer makes of generated checkouts; raises what `judge` raised on a small one.

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
    """Judge the values that `seed` gives; raises what `judge` raised on the smallest that was found."""
    known: dict[str, BaseException | None] = {}
    for value in generated(values, seed, examples):
        try:
            judge(value)
        except BaseException as error:
            known[repr(value)] = error
            _shrink(seed, values, judge, examples, known)
            raise
        known[repr(value)] = None


@functools.cache
def generated(values: SearchStrategy[Value], seed: int, examples: int) -> tuple[Value, ...]:
    """The values that a seed gives, whatever is judged by them: made once for each strategy."""
    found: list[Value] = []
    _search(seed, values, found.append, examples)
    return tuple(found)


def _shrink(
    seed: int,
    values: SearchStrategy[Value],
    judge: Callable[[Value], None],
    examples: int,
    known: dict[str, BaseException | None],
) -> None:
    """Meet the failure again, make it smaller, and raise what `judge` raised on the smallest value.

    `known` are the values judged before. After so many others, or so many seconds, those that aren't known
    count as harmless, which ends the search: the number is the same on every machine, the time bounds what a
    slow implementation costs.
    """
    enough = len(known) + SHRINKING_CALLS
    ends = time.monotonic() + SHRINKING_SECONDS

    def holds(value: Value) -> None:
        name = repr(value)
        if name not in known:
            if len(known) >= enough or time.monotonic() > ends:
                return
            try:
                judge(value)
            except BaseException as error:
                known[name] = error
            else:
                known[name] = None
        failure = known[name]
        if failure is not None:
            # Always from here: Hypothesis takes failures from two places for two failures.
            raise failure.with_traceback(None)

    _search(seed, values, holds, examples)


def _search(seed: int, values: SearchStrategy[Value], judge: Callable[[Value], None], examples: int) -> None:
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
    def run(value: Value) -> None:
        judge(value)

    run()
