"""Properties: checks on generated checkouts instead of written ones."""

from __future__ import annotations

import contextlib
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
SHRINKING_TRIES = 60
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
    known: dict[str, Exception | None] = {}
    for value in generated(values, seed, examples):
        known[repr(value)] = failure = _failure(judge, value)
        if failure is not None:
            _shrink(seed, values, judge, examples, known)
            failures = [(len(text), error) for text, error in known.items() if error is not None]
            # Of equal lengths the last one, since the search goes from larger to smaller values.
            raise min(reversed(failures), key=lambda found: found[0])[1]


@functools.cache
def generated(values: SearchStrategy[Value], seed: int, examples: int) -> tuple[Value, ...]:
    """The values that a seed gives, whatever is judged by them: made once for each strategy."""
    found: list[Value] = []
    _search(seed, values, found.append, examples)
    return tuple(found)


def _failure(judge: Callable[[Value], None], value: Value) -> Exception | None:
    try:
        judge(value)
    except Exception as error:
        return error
    return None


class _Enough(BaseException):
    """Ends a search, which Hypothesis wouldn't by itself."""


def _shrink(
    seed: int,
    values: SearchStrategy[Value],
    judge: Callable[[Value], None],
    examples: int,
    known: dict[str, Exception | None],
) -> None:
    """Meet the failure again and make it smaller. `known` are the values judged, and what was raised for them.

    The search ends after so many tries, which are the same on every machine, or after so many seconds, which
    bound what a slow implementation costs.
    """
    tries = 0
    ends = time.monotonic() + SHRINKING_SECONDS

    def holds(value: Value) -> None:
        nonlocal tries
        tries += 1
        if tries > SHRINKING_TRIES or time.monotonic() > ends:
            raise _Enough
        text = repr(value)
        if text not in known:
            known[text] = _failure(judge, value)
        failure = known[text]
        if failure is not None:
            # Always from here: Hypothesis takes failures from two places for two failures.
            raise failure.with_traceback(None)

    with contextlib.suppress(_Enough, Exception):
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
