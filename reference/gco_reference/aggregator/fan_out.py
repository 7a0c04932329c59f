"""Asking many at once and waiting for all of them, but never beyond the deadline.

Every question has a thread of its own, and it is the *waiting* that ends at the deadline: a look-up of a name
can't be given a time limit, so a thread that is late is left behind. It ends by itself soon after, since its
socket has the same deadline; being a daemon, it doesn't keep the process from ending either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

from gco_reference.aggregator.budget import Deadline

T = TypeVar("T")


def ask_all(
    names: Sequence[str], ask: Callable[[str], T], deadline: Deadline
) -> Iterator[tuple[str, T | Exception]]:
    """Each name with what `ask` returned or raised for it, as the answers come in; the late ones come last."""
    outcomes: SimpleQueue[tuple[str, T | Exception]] = SimpleQueue()

    def work(name: str) -> None:
        try:
            outcomes.put((name, ask(name)))
        except Exception as error:
            outcomes.put((name, error))

    for name in names:
        threading.Thread(target=work, args=(name,), name=f"ask {name}", daemon=True).start()
    waiting = set(names)
    while waiting:
        try:
            name, outcome = outcomes.get(timeout=deadline.remaining())
        except Empty:
            break
        waiting.remove(name)
        yield name, outcome
    for name in waiting:
        yield name, TimeoutError("no answer before the deadline")


def ask_one(ask: Callable[[], T], deadline: Deadline) -> T:
    """What `ask` returns or raises, or `TimeoutError` at the deadline."""
    for _, outcome in ask_all(["one"], lambda _: ask(), deadline):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome
    raise AssertionError("one question has one outcome")
