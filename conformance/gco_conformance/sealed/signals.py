"""Waiting for a child while the signals that a person sends go on to it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Final

PASSED_ON: Final = frozenset(
    {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
)
WAITED_FOR: Final = PASSED_ON | {signal.SIGCHLD}
"""Must be blocked in whoever calls `attend`."""
_FROM_KERNEL: Final = 0x80  # SI_KERNEL, <asm-generic/siginfo.h>
_LOOK_AGAIN: Final = 0.5


def attend(child: int, ended: Callable[[], int | None], orphaned: Callable[[], bool] = lambda: False) -> int:
    """Pass signals on to `child` until `ended` gives its exit status, and return that.

    The child is killed when, after a signal, `orphaned` says that nobody waits for it any more.
    """
    while (status := ended()) is None:
        # A signal that another thread was given instead is not missed for long.
        caught = signal.sigtimedwait(WAITED_FOR, _LOOK_AGAIN)
        with suppress(ProcessLookupError):
            if orphaned():
                os.kill(child, signal.SIGKILL)
            # Keys such as Ctrl-C reach the child too, as a member of the terminal's foreground process group.
            elif caught is not None and caught.si_signo in PASSED_ON and caught.si_code != _FROM_KERNEL:
                os.kill(child, caught.si_signo)
    return status


def reaping(child: int) -> Callable[[], int | None]:
    """Clear away every process that has ended; tell the exit status of `child`, as a shell would, if it has."""
    found: list[int] = []

    def ended() -> int | None:
        with suppress(ChildProcessError):
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                if reaped[0] == child:
                    found.append(as_shell(os.waitstatus_to_exitcode(reaped[1])))
        return found[0] if found else None

    return ended


def as_shell(status: int) -> int:
    """An exit status; for a negative number, that of a signal, 128 more than it."""
    return status if status >= 0 else 128 - status
