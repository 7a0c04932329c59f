"""In which order the regions' answers arrive, whatever the order of the requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

PATIENCE = 2.0
"""Seconds that an answer waits for its turn: a client that asks one region after the other must not hang."""


class Arrivals:
    """Each answer waits until those before it in `order` have been sent, and `gap` seconds more."""

    def __init__(self, order: Sequence[str], gap: float) -> None:
        self._order = tuple(order)
        self._gap = gap
        self._sent: set[str] = set()
        self._changed = threading.Condition()

    def wait(self, region: str) -> None:
        """Wait for the turn of a region."""
        if region not in self._order:
            return
        before = set(self._order[: self._order.index(region)])
        with self._changed:
            self._changed.wait_for(lambda: before <= self._sent, PATIENCE)
        if before:
            time.sleep(self._gap)

    def sent(self, region: str) -> None:
        """The answer of a region is on its way. With the last one, the order begins anew."""
        with self._changed:
            self._sent.add(region)
            if self._sent >= set(self._order):
                self._sent.clear()
            self._changed.notify_all()
