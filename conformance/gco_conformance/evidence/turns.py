"""Turns: at most so many at a time, each for so long, for work that takes all of a processor."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class Turns:
    """Lets `places` threads work at the same time.

    A turn is over after `seconds` even if the work goes on: by then it waits for something rather than works.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self._places = threading.Semaphore(places)
        self._seconds = seconds

    @contextlib.contextmanager
    def take(self) -> Iterator[None]:
        """Wait for a turn and take it."""
        self._places.acquire()
        over = threading.Lock()

        def end() -> None:
            if over.acquire(blocking=False):
                self._places.release()

        timer = threading.Timer(self._seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            end()
