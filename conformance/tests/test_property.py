"""Properties: the seed gives the values, a failure is shown on a small one, and a search ends."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from gco_conformance.evidence.violation import Violation
from gco_conformance.suite.property import EXAMPLES, SHRINKING_TRIES, for_each


def judged(seed: int, *, harmless_below: int = 1_000_001) -> tuple[list[int], str]:
    """The numbers that were judged, and what was raised: the number that was too large, or nothing."""
    values: list[int] = []

    def judge(value: int) -> None:
        values.append(value)
        if value >= harmless_below:
            raise Violation(str(value))

    try:
        for_each(seed, st.integers(0, 1_000_000), judge)
    except Violation as violation:
        return values, str(violation)
    return values, ""


def test_what_holds_is_judged_by_every_example() -> None:
    values, raised = judged(0)
    assert len(values) == EXAMPLES
    assert raised == ""


def test_the_same_seed_gives_the_same_values() -> None:
    assert judged(1) == judged(1)
    assert judged(1, harmless_below=70) == judged(1, harmless_below=70)


def test_another_seed_gives_other_values() -> None:
    assert judged(1)[0] != judged(2)[0]


def test_a_failure_is_shown_on_a_small_value() -> None:
    values, raised = judged(0, harmless_below=1000)
    first = next(value for value in values if value >= 1000)
    assert 1000 <= int(raised) < first


def test_a_failure_costs_a_bounded_number_of_calls() -> None:
    values, _ = judged(0, harmless_below=1)
    assert len(values) <= EXAMPLES + SHRINKING_TRIES


def test_what_a_value_was_judged_is_remembered() -> None:
    values, _ = judged(0, harmless_below=1000)
    assert len(values) == len(set(values))


def test_a_failure_that_does_not_come_again_is_raised_all_the_same() -> None:
    met: list[int] = []

    def judge(value: int) -> None:
        met.append(value)
        if len(met) == 3:
            raise Violation("the third value")

    with pytest.raises(Violation, match="the third value"):
        for_each(0, st.integers(0, 1_000_000), judge)
