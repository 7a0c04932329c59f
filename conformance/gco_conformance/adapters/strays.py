"""Processes that a function under test started and that left its process group."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_ROUNDS: Final = 5


def kill_strays(mark: str) -> None:
    """Kill every process whose environment, as it was when its program began, has `mark` in it.

    `mark` must be a value that nothing else has. What started a process may be long gone; a process that has
    cleared its environment isn't found. Where there is no `/proc`, nothing is.
    """
    needle = mark.encode()
    for _ in range(_ROUNDS):
        found = list(_marked(needle))
        if not found:
            return
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _marked(needle: bytes) -> Iterator[int]:
    own = os.getpid()
    for folder in Path("/proc").glob("[1-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if int(folder.name) != own and needle in (folder / "environ").read_bytes():
                yield int(folder.name)
