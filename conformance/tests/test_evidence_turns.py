"""Turns keep work from crowding, and never keep anything from going on."""

from __future__ import annotations

import threading

from gco_conformance.evidence.turns import Turns


def test_no_more_than_the_places_at_a_time() -> None:
    turns, entered, leave = Turns(1, seconds=60), [threading.Event(), threading.Event()], threading.Event()

    def work(number: int) -> None:
        with turns.take():
            entered[number].set()
            leave.wait(10)

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    threads[0].start()
    assert entered[0].wait(10)
    threads[1].start()
    assert not entered[1].wait(0.1)
    leave.set()
    assert entered[1].wait(10)
    for thread in threads:
        thread.join()


def test_a_turn_ends_in_time_and_is_given_back_once() -> None:
    turns, leave = Turns(1, seconds=0.05), threading.Event()

    def wait() -> None:
        with turns.take():
            leave.wait(10)

    slow = [threading.Thread(target=wait) for _ in range(3)]
    for thread in slow:
        thread.start()
    with turns.take():
        leave.set()
    for thread in slow:
        thread.join()
    entered = threading.Event()
    with turns.take():
        second = threading.Thread(target=lambda: entered.set() if turns._places.acquire(blocking=False) else None)
        second.start()
        second.join()
    assert not entered.is_set()


def test_a_turn_ends_when_its_work_says_so() -> None:
    turns, waits, leave = Turns(1, seconds=60), threading.Event(), threading.Event()

    def start_then_wait() -> None:
        with turns.take(works_until=waits.wait):
            leave.wait(10)

    slow = threading.Thread(target=start_then_wait)
    slow.start()
    assert not turns._places.acquire(timeout=0.1)
    waits.set()
    assert turns._places.acquire(timeout=10)
    leave.set()
    slow.join()
    assert not turns._places.acquire(blocking=False)
