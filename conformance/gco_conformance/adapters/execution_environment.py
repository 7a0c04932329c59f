"""What the instances of all doors have in common: one invocation at a time, and an end that is final."""

from __future__ import annotations

import abc
import shutil
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.function import Invocation
from gco_conformance.adapters.function_answer import failed


class Lost(Exception):
    """An instance gives no answer any more, for a reason that `detail` tells in one line."""

    def __init__(self, ending: Ending, detail: str) -> None:
        super().__init__(detail)
        self.ending = ending
        self.detail = detail


class ExecutionEnvironment(abc.ABC):
    """An instance with a folder of its own: see `Instance`.

    What it waits for until it is ready isn't part of an invocation's seconds; it has `timeout` seconds for it,
    and never more than the invocation has.
    """

    def __init__(self, home: Path, timeout: float) -> None:
        self.closed = False
        self._home = home
        self._timeout = timeout
        self._lock = threading.Lock()
        self._lost: Lost | None = None

    @abc.abstractmethod
    def log(self) -> str:
        """What the process printed so far, bounded."""

    @abc.abstractmethod
    def _get_ready(self, deadline: float, late: str) -> None:
        """Wait for the process to be ready until `deadline` (`time.monotonic`).

        Raises `Lost`; `late` is the detail of one that isn't ready then.
        """

    @abc.abstractmethod
    def _ask(self, event: Mapping[str, Any], time_limit: float) -> Invocation:
        """Have the ready process answer. Raises `Lost`."""

    @abc.abstractmethod
    def _kill(self) -> None:
        """End the process and all that it started, while another thread may wait for it. May be repeated."""

    @abc.abstractmethod
    def _release(self) -> None:
        """Let go of what belongs to a killed process. No other thread is at it."""

    @abc.abstractmethod
    def _signal(self, number: int) -> None:
        """Send the process, if there is one, and those that it started a signal."""

    def freeze(self) -> None:
        """Stop the process: see `Instance.freeze`."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def invoke(self, event: Mapping[str, Any], *, time_limit: float = 30.0) -> Invocation:
        """Hand over an event: see `Instance.invoke`. The function's deadline is at the end of `time_limit`."""
        with self._lock:
            began = time.monotonic()
            if self._lost is None:
                limit = min(time_limit, self._timeout)
                try:
                    self._get_ready(began + limit, f"not ready within {limit:g} s")
                    return self._ask(event, time_limit)
                except Lost as lost:
                    self._kill()
                    self._lost = lost
                    return failed(lost.detail, time.monotonic() - began, lost.ending)
            if self._lost.ending in (Ending.HUNG, Ending.BABBLED):
                detail = f"its process was killed, since in an earlier invocation: {self._lost.detail}"
                return failed(detail, 0.0, Ending.DIED)
            return failed(self._lost.detail, 0.0, self._lost.ending)

    def close(self) -> None:
        """End the process, and all that it started."""
        self._kill()
        with self._lock:
            self._lost = self._lost or Lost(Ending.DIED, "the instance is closed")
            self._release()
            self.closed = True
        shutil.rmtree(self._home, ignore_errors=True)
