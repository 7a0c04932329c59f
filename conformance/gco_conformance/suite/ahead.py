"""Checks run ahead of pytest, several at once, while pytest takes up their results one by one.

A check mostly waits for the implementation. All that it needs are its parameters and the composer under
test, so it can run on a thread as soon as the collection is known; pytest's order, reports and fixtures
stay as they are.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.suite.results import requirement_of

LEFT_OUT = "left out: the requirement has failed already"


@dataclass(frozen=True)
class Finished:
    """How a check ended: its own running time in seconds, and what it raised, if anything."""

    seconds: float
    error: BaseException | None


class Ahead:
    """The checks that are running or have run, by pytest item.

    With `failed`, the ids of requirements that have failed, their further checks are left out; it is added to.
    """

    def __init__(self, jobs: int, failed: set[str] | None = None) -> None:
        self._failed = failed
        self._threads = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="check")
        self._running: dict[str, Future[Finished]] = {}

    def start(self, items: list[pytest.Item], provided: Mapping[str, object]) -> None:
        """Begin with `items`, in order. `provided` are the fixtures that checks may take, by name."""
        for item in items if self._failed is None else in_turns(items):
            if isinstance(item, pytest.Function):
                self._running[item.nodeid] = self._threads.submit(self._finish, item, provided)

    def _finish(self, item: pytest.Function, provided: Mapping[str, object]) -> Finished:
        if self._failed is None:
            return run(item, provided)
        requirement = requirement_of(item)
        if requirement in self._failed:
            return Finished(0.0, NotTested(LEFT_OUT))
        finished = run(item, provided)
        if isinstance(finished.error, Violation):
            self._failed.add(requirement)
        return finished

    def result(self, item: pytest.Item) -> Finished | None:
        """Wait for an item's end. `None` when it wasn't started here."""
        running = self._running.pop(item.nodeid, None)
        return None if running is None else running.result()

    def stop(self, *, wait: bool = False) -> None:
        """Forget what hasn't begun, and `wait` for what runs, which ends with the implementation."""
        self._threads.shutdown(wait=wait, cancel_futures=True)


def in_turns(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The first check of each requirement, then the second of each, and so on."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, pytest.Item]] = []
    for item in items:
        requirement = requirement_of(item)
        turns.append((seen[requirement], item))
        seen[requirement] += 1
    return [item for _, item in sorted(turns, key=lambda turn: turn[0])]


def run(item: pytest.Function, provided: Mapping[str, object]) -> Finished:
    """Call the item's function with the parameters and fixtures that it names."""
    parameters = getattr(item, "callspec", None)
    given = {**provided, **(parameters.params if parameters else {})}
    arguments = {name: given[name] for name in item._fixtureinfo.argnames}
    began = time.monotonic()
    try:
        item.obj(**arguments)
    except BaseException as error:
        return Finished(time.monotonic() - began, error)
    return Finished(time.monotonic() - began, None)
