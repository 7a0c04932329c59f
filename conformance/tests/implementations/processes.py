"""Looking at processes from outside."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest


def wait_until_gone(*pids: int) -> None:
    """Fail unless the processes end within 5 s. A zombie that a new parent doesn't reap has ended."""
    deadline = time.monotonic() + 5
    while alive := [pid for pid in pids if is_running(pid)]:
        if time.monotonic() > deadline:
            pytest.fail(f"still running: {alive}")
        time.sleep(0.005)


def wait_for_pids(file: Path) -> list[int]:
    """The process ids that a fake writes to a file, as soon as they are there."""
    deadline = time.monotonic() + 5
    while not file.exists() or not file.read_text():
        if time.monotonic() > deadline:
            pytest.fail(f"nothing was written to {file}")
        time.sleep(0.005)
    return [int(pid) for pid in file.read_text().split()]


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def is_reaped(pid: int) -> bool:
    """Whether a child of this process left no zombie."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return True
    return False
