"""Run a program to its end, within limits of time and output."""

from __future__ import annotations

import signal
import threading
import time

from gco_conformance.adapters.answer import Answer, Ending
from gco_conformance.adapters.child import GRACE, OUTPUT_BOUND, Child, Pause, Program


class Stopped(Exception):
    """The composer was closed while it was asked."""


class Children:
    """The running children of one composer: `close`, called from any thread, ends their work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[Child] = set()
        self._closed = False

    def start(
        self, program: Program, *, stdin: bool = False, reply: bool = False, bound: int = OUTPUT_BOUND
    ) -> Child:
        """Start a child. Raises `OSError` when it can't be run and `Stopped` after `close`."""
        if self._closed:
            raise Stopped
        child = Child(program, stdin=stdin, reply=reply, bound=bound)
        with self._lock:
            self._running.add(child)
        if self._closed:  # closed meanwhile, perhaps before it was in the set
            child.kill()
        return child

    def end(self, child: Child) -> None:
        with self._lock:
            self._running.discard(child)
        child.end()

    def close(self) -> None:
        """Kill what runs; the thread that asked it clears it away."""
        self._closed = True
        with self._lock:
            running = list(self._running)
        for child in running:
            child.kill()


def run(children: Children, program: Program, *, timeout: float, bound: int = OUTPUT_BOUND) -> Answer:
    """Run a program with nothing on its standard input. `timeout` in seconds, `bound` in bytes."""
    try:
        child = children.start(program, bound=bound)
    except OSError as error:
        return died(f"{program.argv[0]} can't be run: {error.strerror}")
    except Stopped:
        return died("not asked, since the run was stopped")
    try:
        pause = child.pump(time.monotonic() + timeout)
        if pause is Pause.EXITED:
            child.drain(GRACE)
    finally:
        children.end(child)
    stdout, stderr = text(child.out[:bound]), text(child.err[:bound])
    if len(child.out) + len(child.err) > bound:
        return Answer(Ending.BABBLED, None, stdout, stderr, f"printed more than {size(bound)}")
    if pause is Pause.TIMEOUT:
        return Answer(Ending.HUNG, None, stdout, stderr, no_answer(timeout))
    status = child.status
    if status is None or status < 0:
        return Answer(Ending.DIED, None, stdout, stderr, how_ended(status))
    return Answer(Ending.EXITED, status, stdout, stderr)


def died(detail: str) -> Answer:
    return Answer(Ending.DIED, None, "", "", detail)


def text(output: bytes | bytearray) -> str:
    """What was printed, bytes that aren't UTF-8 shown as `\\xNN`."""
    return output.decode("utf-8", "backslashreplace")


def size(count: int) -> str:
    """A number of bytes as people say it."""
    return f"{count // 2**20} MiB" if count >= 2**20 else f"{count} bytes"


def no_answer(timeout: float) -> str:
    return f"no answer within {timeout:g} s"


def how_ended(status: int | None) -> str:
    """How a process ended, from its exit status (negative: the number of the signal)."""
    if status is None:
        return "ended in an unknown way"
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"ended by signal {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"ended by signal {-status}"
