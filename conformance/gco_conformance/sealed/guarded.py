"""Running a function of the kit in a child process that isn't sealed, and still leaves nothing behind.

Two processes: the *guard* waits, and in the end kills whatever descends from it and removes the folder; the
*guarded* process does the work. When the caller dies, the kernel signals the guard; when the guard dies, the
kernel kills the guarded process.
"""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

from gco_conformance.sealed import kernel
from gco_conformance.sealed.signals import WAITED_FOR, attend, reaping


def descend(caller: int, folder: Path) -> int | None:
    """Return `None` in a new process, and its exit status, once all is over, in this one: its guard.

    `caller` is the process that started this one, in a process group of its own. `folder` is made, and removed
    in the end.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
    kernel.signal_when_parent_dies(signal.SIGTERM)
    kernel.adopt_orphans()
    folder.mkdir(mode=0o700)
    guard = os.getpid()
    guarded = os.fork()
    if guarded == 0:
        kernel.signal_when_parent_dies(signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WAITED_FOR)
        return None
    try:
        return attend(guarded, reaping(guarded), orphaned=lambda: os.getppid() != caller)
    finally:
        _end_descendants()
        shutil.rmtree(folder, ignore_errors=True)


def _end_descendants() -> None:
    """Kill and reap the children until there are none: those of a child that dies become children here."""
    while family := _children():
        for child in family:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in family:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)


def _children() -> list[int]:
    with suppress(OSError):  # a kernel may have been built without it
        return [int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    return []
