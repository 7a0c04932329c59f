"""Up to so many long-lived workers, started when they are needed and used again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from gco_conformance.adapters.worker import Worker

W = TypeVar("W", bound=Worker)

_FAREWELL = 0.5


class Pool(Generic[W]):
    """Workers for `jobs` threads. `opened` starts one, ready to be asked, and may raise."""

    def __init__(self, opened: Callable[[], W], jobs: int) -> None:
        self._opened = opened
        self._seats = threading.BoundedSemaphore(jobs)
        self._lock = threading.Lock()
        self._idle: list[W] = []
        self._closed = False

    @contextmanager
    def worker(self) -> Iterator[W]:
        """A worker for this thread alone. After an exception it is ended, and the next call gets another."""
        with self._seats:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                worker = self._opened()
            try:
                yield worker
            except BaseException:
                worker.end()
                raise
            self.add(worker)

    def add(self, worker: W) -> None:
        """Keep a worker for later calls."""
        with self._lock:
            if not self._closed:
                self._idle.append(worker)
                return
        dismiss([worker])

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        dismiss(idle)


def dismiss(workers: Sequence[Worker]) -> None:
    """Let the workers end by themselves within a moment, all at once, and end those that don't."""
    deadline = time.monotonic() + _FAREWELL
    for worker in workers:
        worker.dismiss()
    for worker in workers:
        worker.settle(deadline)
