"""Checks run ahead of pytest, several at once, while pytest takes up their results one by one.

A check mostly waits for the implementation. All that it needs are its parameters and the composer under
test, so it can run on a thread as soon as the collection is known; pytest's order, reports and fixtures
stay as they are.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Finished:
    """How a check ended: its own running time in seconds, and what it raised, if anything."""

    seconds: float
    error: BaseException | None


class Ahead:
    """The checks that are running or have run, by pytest item."""

    def __init__(self, jobs: int) -> None:
        self._threads = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="check")
        self._running: dict[str, Future[Finished]] = {}

    def start(self, items: list[pytest.Item], provided: Mapping[str, object]) -> None:
        """Begin with `items`, in order. `provided` are the fixtures that checks may take, by name."""
        for item in items:
            if isinstance(item, pytest.Function):
                self._running[item.nodeid] = self._threads.submit(run, item, provided)

    def result(self, item: pytest.Item) -> Finished | None:
        """Wait for an item's end. `None` when it wasn't started here."""
        running = self._running.pop(item.nodeid, None)
        return None if running is None else running.result()

    def stop(self) -> None:
        """Forget what hasn't begun. What runs ends with the implementation that it waits for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


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
