"""A process of an implementation that goes on until the kit ends it, watched while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.child import GRACE, OUTPUT_BOUND, Pause, Program
from gco_conformance.adapters.process import Children, how_ended, size, text
from gco_conformance.adapters.strays import kill_strays

_HOUR: Final = 3600.0
_JOIN: Final = 10.0


class Launched:
    """Runs `program` and reads what it prints.

    `ended` is called once, from a thread of its own, with how the process ended, as in "ended by
    signal SIGKILL". `mark` is a value in
    its environment that nothing else has. Raises `OSError` when the program can't be run, and `Stopped`.
    """

    def __init__(
        self, children: Children, program: Program, mark: str, ended: Callable[[Ending, str], None]
    ) -> None:
        self._children = children
        self._mark = mark
        self._ended = ended
        self._closing = threading.Lock()
        self._closed = False
        self._child = children.start(program)
        self._thread = threading.Thread(target=self._watch, name="launched", daemon=True)
        self._thread.start()

    def log(self) -> str:
        """What it printed so far, standard output before standard error, bounded."""
        return text((bytes(self._child.out) + bytes(self._child.err))[:OUTPUT_BOUND])

    def signal(self, number: int) -> None:
        """Send it, and all that is in its process group, a signal."""
        self._child.send_signal(number)

    def close(self) -> None:
        """Kill it with all that it started, and wait until it is gone."""
        with self._closing:
            if not self._closed:
                self._child.kill()
                self._thread.join(_JOIN)
                kill_strays(self._mark)
                self._closed = True

    def _watch(self) -> None:
        pause = Pause.TIMEOUT
        while pause is Pause.TIMEOUT:
            pause = self._child.pump(time.monotonic() + _HOUR)
        if pause is Pause.EXITED:
            self._child.drain(GRACE)
        self._children.end(self._child)
        if pause is Pause.FULL:
            self._ended(Ending.BABBLED, f"printed more than {size(OUTPUT_BOUND)}")
            return
        self._ended(Ending.DIED, how_ended(self._child.status))
