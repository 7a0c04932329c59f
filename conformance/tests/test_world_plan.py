"""A plan strikes where it's told to, and remembers."""

from __future__ import annotations

import pytest

from gco_conformance.world.faults import BlackHole, Delay, Hang, Refuse, Reset, Stage, Status, Unresolved
from gco_conformance.world.plan import Plan


def test_ordinals_count_from_when_a_fault_was_added() -> None:
    plan = Plan()
    plan.strike(Stage.ANSWER)
    plan.add(Reset(), on=[1, 3])
    assert [plan.strike(Stage.ANSWER) for _ in range(4)] == [Reset(), None, Reset(), None]
    assert plan.fired(Reset()) == 2


def test_stages_are_counted_apart() -> None:
    plan = Plan()
    plan.add(Reset(), on=[2])
    plan.add(Status(500))
    assert plan.strike(Stage.REPLY) == Status(500)
    assert plan.strike(Stage.ANSWER) is None
    assert plan.strike(Stage.ANSWER) == Reset()


def test_what_was_added_last_strikes_first_and_lets_others_through() -> None:
    plan = Plan()
    plan.add(Hang())
    plan.add(Delay(2), on=[2])
    assert [plan.strike(Stage.ANSWER) for _ in range(3)] == [Hang(), Delay(2), Hang()]


def test_an_ended_fault_strikes_no_more_and_is_not_forgotten() -> None:
    plan = Plan()
    plan.add(Reset())
    plan.add(Hang("handshake"))
    assert plan.strike(Stage.ANSWER) == Reset()
    plan.end()
    assert plan.strike(Stage.ANSWER) is None
    assert not plan.has_any()
    assert plan.fired(Reset()) == 1
    assert plan.unfired() == (Hang("handshake"),)


def test_one_stage_can_end_alone() -> None:
    plan = Plan()
    plan.add(Reset())
    plan.add(Status(500))
    plan.end(Stage.REPLY)
    assert plan.strike(Stage.REPLY) is None
    assert plan.strike(Stage.ANSWER) == Reset()


def test_a_standing_fault_can_be_seen_without_counting() -> None:
    plan = Plan()
    assert not plan.stands(BlackHole)
    plan.add(BlackHole())
    assert plan.stands(BlackHole)
    assert plan.unfired() == (BlackHole(),)


@pytest.mark.parametrize("fault", [Refuse(), BlackHole(), Unresolved()], ids=lambda fault: fault.name)
def test_what_cannot_be_told_apart_has_no_ordinals(fault: Refuse | BlackHole | Unresolved) -> None:
    with pytest.raises(ValueError, match="single requests"):
        Plan().add(fault, on=[1])


@pytest.mark.parametrize("on", [[], [0], [1, -1]])
def test_ordinals_begin_at_one(on: list[int]) -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        Plan().add(Reset(), on=on)


def test_jitter_is_spread_evenly_and_always_alike() -> None:
    def delays() -> list[float]:
        plan = Plan()
        plan.add(Delay(1, jitter=0.5))
        return [strike.seconds for _ in range(10) if isinstance(strike := plan.strike(Stage.ANSWER), Delay)]

    first = delays()
    assert first == delays()
    assert all(sum(start <= delay < start + 0.25 for delay in first) in (2, 3) for start in (0.5, 0.75, 1.0, 1.25))
    assert first != sorted(first)


def test_what_jitters_is_still_the_fault_that_was_planned() -> None:
    plan = Plan()
    plan.add(Delay(1, jitter=1))
    plan.strike(Stage.ANSWER)
    assert plan.fired(Delay(1, jitter=1)) == 1
    assert not plan.unfired()
