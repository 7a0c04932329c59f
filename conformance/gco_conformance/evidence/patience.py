"""How often an implementation is asked that has never answered: each of hundreds of checks would wait for it."""

from __future__ import annotations

import threading

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.function import Invocation

ENOUGH = 2
"""Invocations without an answer."""


class Patience:
    """Counts what came of the invocations of one run, from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hung = 0
        self._answered = False

    def saw(self, invocation: Invocation) -> None:
        """Another invocation has ended."""
        with self._lock:
            self._hung += invocation.ending is Ending.HUNG
            # One that was killed since it hung fails at once from then on, which is no answer.
            self._answered |= invocation.ending is Ending.EXITED

    @property
    def lost(self) -> str:
        """Why there is no use in asking again, empty when there is."""
        if self._answered or self._hung < ENOUGH:
            return ""
        return f"it has answered none of its first {ENOUGH} invocations in time, and isn't asked again"
