"""Going into the namespaces, so that nothing started there outlives the run.

Three processes: the *guard* makes the namespaces and waits outside the process namespace; the *first* process
inside has no other task than to reap and to end, on which the kernel kills everything else inside; the *sealed*
process does the work. When the caller dies, the kernel signals the guard, which kills the first process; when
the guard dies, the kernel kills it.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from gco_conformance.sealed import kernel
from gco_conformance.sealed.namespaces import (
    Refused,
    enter,
    mount_files_in_memory,
    mount_processes,
    refusing,
)
from gco_conformance.sealed.signals import WAITED_FOR, attend, reaping


def descend(caller: int, folder: Path) -> None:
    """Return in a new, sealed process; this one becomes its guard and exits with its status.

    `caller` is the process that started this one, in a process group of its own: a signal to the caller's group,
    be it a kill, must not reach the guard. `folder` is made, inside has a file system of its own, and is removed
    in the end. Raises `Refused`, in the guard, when namespaces can't be made.
    """
    with refusing("start a process in namespaces"):
        signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
        enter(processes=True)
        # Only now: the kernel forgets this request when a process changes its capabilities.
        kernel.signal_when_parent_dies(signal.SIGTERM)
        _make(folder)
        told, tell = os.pipe()
        first = os.fork()
        if first != 0:
            _exit_with(lambda: _guard(first, caller, folder, tell))
        kernel.signal_when_parent_dies(signal.SIGKILL)
        os.close(tell)
        if not os.read(told, 1):
            os._exit(1)  # the guard died, perhaps before the kernel could be asked to tell
        os.close(told)
        mount_processes()
        sealed = os.fork()
        if sealed != 0:
            _exit_with(lambda: _first(sealed))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WAITED_FOR)


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    try:
        mount_files_in_memory(folder)
    except Refused:
        folder.rmdir()
        raise


def _guard(first: int, caller: int, folder: Path, tell: int) -> int:
    # The sealed process, which inherits it, has to be in the caller's group, to which the terminal belongs.
    with suppress(OSError):  # the caller has died
        os.setpgid(first, os.getpgid(caller))
    with suppress(BrokenPipeError):  # the first process has been killed
        os.write(tell, b"!")
    status = attend(first, reaping(first), orphaned=lambda: os.getppid() != caller)
    with suppress(OSError):  # the caller may have removed it already
        kernel.unmount(str(folder))
        folder.rmdir()
    return status


def _first(sealed: int) -> int:
    os.setpgid(0, 0)
    return attend(sealed, reaping(sealed))


def _exit_with(work: Callable[[], int]) -> NoReturn:
    status = 2
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
