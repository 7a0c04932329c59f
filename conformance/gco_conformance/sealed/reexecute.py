"""Running a function of the kit inside the sealed network, while the calling process stays outside."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gco_conformance.sealed.signals import WAITED_FOR, as_shell, attend


def reexecute(argv: Sequence[str]) -> int:
    """Call a function in a sealed process; return its exit status, 128 + n when signal n ended it.

    `argv` is `MODULE:FUNCTION` and the arguments, which the function gets as a list; it returns an exit status or
    `None`. Standard input, output and error, directory and environment are the caller's, but temporary files go
    to a file system that ends with the process, and nothing that was started inside outlives it. SIGINT, SIGTERM
    and the like are passed on while this waits, so call it from the main thread.

    When namespaces can't be made, one line on standard error says why and the status is 2.
    """
    folder = new_folder()
    try:
        # Blocked before the child starts, so that it has them blocked too, and none is lost meanwhile.
        with (
            _blocked_signals(),
            _terminal_given_back(),
            subprocess.Popen(command(folder, argv), process_group=0) as child,
        ):
            try:
                return as_shell(attend(child.pid, child.poll))
            except BaseException:
                child.kill()
                raise
    finally:
        with suppress(FileNotFoundError):  # unless the child was killed
            folder.rmdir()


def new_folder() -> Path:
    """Where the folder is to be, which the child makes and removes, so that a killed caller leaves nothing."""
    return Path(tempfile.gettempdir(), f"gco-sealed-{secrets.token_hex(8)}")


def command(folder: Path, argv: Sequence[str], *, unsealed: bool = False) -> list[str]:
    """What runs `argv` in a sealed child of this process, or in one that is only guarded.

    The child has to lead a process group of its own.
    """
    how = ["--unsealed"] if unsealed else []
    return [sys.executable, "-P", "-m", "gco_conformance.sealed", *how, str(os.getpid()), str(folder), *argv]


@contextmanager
def _blocked_signals() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _terminal_given_back() -> Iterator[None]:
    """Undo that a shell, started inside, made its own process group the foreground one."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        yield
        return
    try:
        group = os.tcgetpgrp(terminal)
        yield
        if group == os.getpgrp() != os.tcgetpgrp(terminal):
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
            os.tcsetpgrp(terminal, group)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    finally:
        os.close(terminal)
