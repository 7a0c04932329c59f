"""The kit's side of a process that another one forked: requests, replies and log go through pipes."""

from __future__ import annotations

import math
import os
import selectors
import sys
import time
from collections.abc import Callable
from typing import Final

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.child import OUTPUT_BOUND
from gco_conformance.adapters.execution_environment import Lost
from gco_conformance.adapters.process import size, text

REPLY_BOUND: Final = 32 * 1024 * 1024
LEAVE: Final = 0.5
"""Seconds that a process has to end by itself once it has closed the replies."""
_CHUNK: Final = 64 * 1024


class Forked:
    """A conversation of lines with a process. One thread at a time leads it.

    `start` is handed the process's ends of the pipes (requests, replies, log) and gives its process id, which
    must stay taken until `close`. What `start` raises goes through.
    """

    def __init__(self, start: Callable[[tuple[int, int, int]], int]) -> None:
        self.log = bytearray()
        self._replies = bytearray()
        self._pending = bytearray()
        self._open = True
        self._exited = False
        self._leaving = math.inf
        requests, self._requests = os.pipe()
        self._replies_fd, replies = os.pipe()
        self._log_fd, log = os.pipe()
        self._pidfd: int | None = None
        try:
            self.pid = start((requests, replies, log))
        except BaseException:
            self._close_own()
            raise
        finally:
            for descriptor in (requests, replies, log):
                os.close(descriptor)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._replies_fd, selectors.EVENT_READ)
        self._selector.register(self._log_fd, selectors.EVENT_READ)
        for descriptor in (self._requests, self._replies_fd, self._log_fd):
            os.set_blocking(descriptor, False)
        if sys.platform == "linux":
            try:
                self._pidfd = os.pidfd_open(self.pid)
            except OSError:  # an old kernel, or a sandbox that doesn't allow it: the end of the replies tells
                return
            self._selector.register(self._pidfd, selectors.EVENT_READ)

    def send(self, line: str) -> None:
        """Have a line written as soon as the process takes it, during `listen`."""
        if not self._pending:
            self._selector.register(self._requests, selectors.EVENT_WRITE)
        self._pending += line.encode() + b"\n"

    def listen(self, deadline: float, late: str) -> bytes:
        """The next line, until `deadline` (`time.monotonic`).

        Raises `Lost`, with `late` for a detail at the deadline, with none when the process has ended.
        """
        self.drain()
        while b"\n" not in self._replies:
            if len(self.log) > OUTPUT_BOUND:
                raise Lost(Ending.BABBLED, f"printed more than {size(OUTPUT_BOUND)}")
            if len(self._replies) > REPLY_BOUND:
                raise Lost(Ending.BABBLED, f"gave an answer of more than {size(REPLY_BOUND)}")
            if self._exited:
                self.drain()
                if b"\n" in self._replies:
                    break
                raise Lost(Ending.DIED, "")
            remaining = min(deadline, self._leaving) - time.monotonic()
            if remaining > 0:
                self._step(remaining)
            elif self._leaving > deadline:
                raise Lost(Ending.HUNG, late)
            else:
                self._exited = True
        line, _, rest = self._replies.partition(b"\n")
        self._replies[:] = rest
        return bytes(line)

    def drain(self) -> None:
        """Read what is there."""
        while self._open and len(self.log) <= OUTPUT_BOUND and self._step(0.0):
            pass

    def printed(self) -> str:
        return text(self.log[:OUTPUT_BOUND])

    def close(self) -> None:
        """Close the pipes, after a last look. The process must have been killed."""
        if self._open:
            self._exited = True
            self.drain()
            self._open = False
            self._selector.close()
            self._close_own()

    def _close_own(self) -> None:
        for descriptor in (self._requests, self._replies_fd, self._log_fd, self._pidfd):
            if descriptor is not None:
                os.close(descriptor)

    def _step(self, timeout: float) -> bool:
        """Wait for one round of events; whether there were any that may be followed by others."""
        events = self._selector.select(timeout)
        for key, _ in events:
            if key.fd == self._requests:
                self._write()
            elif key.fd == self._pidfd:
                self._exited = True
                self._selector.unregister(key.fd)
            else:
                self._read(key.fd)
        return bool(events)

    def _read(self, descriptor: int) -> None:
        data = os.read(descriptor, _CHUNK)
        if data:
            buffer = self.log if descriptor == self._log_fd else self._replies
            buffer += data
            return
        self._selector.unregister(descriptor)
        if descriptor == self._replies_fd:
            self._leaving = time.monotonic() + LEAVE

    def _write(self) -> None:
        try:
            del self._pending[: os.write(self._requests, self._pending)]
        except BrokenPipeError:  # it doesn't read any more; its exit or its silence tells the rest
            self._pending.clear()
        if not self._pending:
            self._selector.unregister(self._requests)
