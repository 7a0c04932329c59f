"""Turns: at most so many at a time, each for so long, for work that takes all of a processor."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


class Turns:
    """Lets `places` threads work at the same time.

    A turn is over after `seconds` even if the work goes on: by then it waits for something rather than works.
    """

    def __init__(self, places: int, seconds: float) -> None:
        self._places = threading.Semaphore(places)
        self._seconds = seconds

    @contextlib.contextmanager
    def take(self, works_until: Callable[[float], object] | None = None) -> Iterator[None]:
        """Wait for a turn and take it. `works_until` returns when it can be over, or after the seconds given."""
        self._places.acquire()
        ended = threading.Event()
        over = threading.Lock()

        def end() -> None:
            if over.acquire(blocking=False):
                self._places.release()

        def watch() -> None:
            (works_until or ended.wait)(self._seconds)
            end()

        threading.Thread(target=watch, name="turn", daemon=True).start()
        try:
            yield
        finally:
            ended.set()
            end()
