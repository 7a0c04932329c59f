"""One deadline, whatever those do who are waited for (contract section 5, time)."""

from __future__ import annotations

import threading
import time

import pytest

from gco_reference.aggregator.budget import Deadline, of_invocation
from gco_reference.aggregator.fan_out import ask_all, ask_one


class Remaining:
    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:
        return self._milliseconds


@pytest.mark.parametrize(
    ("context", "least", "most"),
    [
        (None, 23.0, 24.0),
        (Remaining(900_000), 23.0, 24.0),
        (Remaining(10_000), 8.0, 8.5),
        (Remaining(400), 0.2, 0.3),
        (Remaining(0), 0.0, 0.0),
    ],
)
def test_answers_must_be_in_before_25_s_and_before_lambda_ends(
    context: Remaining | None, least: float, most: float
) -> None:
    assert least - 0.1 <= of_invocation(context).remaining() <= most


def test_a_deadline_can_only_come_closer() -> None:
    deadline = Deadline.after(10.0)
    assert deadline.at_most(20.0) == deadline
    assert deadline.at_most(1.0).remaining() <= 1.0


def test_a_socket_is_never_told_not_to_wait() -> None:
    with pytest.raises(TimeoutError):
        Deadline.after(0.0).time_out()


def test_all_are_asked_at_once() -> None:
    everybody = threading.Barrier(64, timeout=5.0)
    names = [str(number) for number in range(64)]
    outcomes = dict(ask_all(names, lambda _: everybody.wait() >= 0, Deadline.after(5.0)))
    assert outcomes == dict.fromkeys(names, True)


def test_what_one_raises_is_its_outcome_alone() -> None:
    def ask(name: str) -> str:
        if name == "bad":
            raise OSError("down")
        return name

    outcomes = dict(ask_all(["good", "bad"], ask, Deadline.after(5.0)))
    assert outcomes["good"] == "good"
    assert isinstance(outcomes["bad"], OSError)


def test_nobody_is_waited_for_beyond_the_deadline() -> None:
    released = threading.Event()
    start = time.monotonic()
    outcomes = dict(
        ask_all(["late", "prompt"], lambda name: name == "prompt" or released.wait(5.0), Deadline.after(0.1))
    )
    took = time.monotonic() - start
    released.set()
    assert took < 1.0
    assert outcomes["prompt"] is True
    assert isinstance(outcomes["late"], TimeoutError)


def test_an_answer_that_is_there_counts_though_the_deadline_has_passed() -> None:
    outcomes = ask_all(["first", "second"], lambda name: name, Deadline.after(0.2))
    next(outcomes)
    time.sleep(0.3)
    assert isinstance(next(outcomes)[1], str)


def test_one_question_gives_its_value_or_its_error() -> None:
    assert ask_one(lambda: 7, Deadline.after(5.0)) == 7
    with pytest.raises(ZeroDivisionError):
        ask_one(lambda: 1 // 0, Deadline.after(5.0))
    with pytest.raises(TimeoutError):
        ask_one(lambda: time.sleep(0.3), Deadline.after(0.05))
