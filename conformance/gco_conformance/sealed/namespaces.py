"""Putting a process into user, network and mount namespaces of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

from gco_conformance.errors import KitError
from gco_conformance.sealed import kernel
from gco_conformance.sealed.refusal import why_refused
from gco_conformance.sealed.users import with_users_of_here

HOST_NAME: Final = "sealed"
_FLAGS: Final = kernel.NEW_USERS | kernel.NEW_NETWORK | kernel.NEW_MOUNTS | kernel.NEW_IPC | kernel.NEW_HOST_NAME
_UNPRIVILEGED_PORTS: Final = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
_TRIAL_LIMIT: Final = 20.0
_entered = False


class Refused(KitError):
    """The system doesn't let namespaces be made; the message says why, the hint how to enable them."""


@cache
def available() -> str:
    """Why the network can't be sealed here and how to change that, in one line; empty when it can.

    Found by sealing a child process in the way a run does, so it takes some 0.2 s, once.
    """
    if sys.platform != "linux":
        return str(Refused(*why_refused("", OSError())))
    argv = [sys.executable, "-P", "-m", "gco_conformance.sealed", "--try"]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_LIMIT)
    except subprocess.TimeoutExpired:
        return f"an attempt to seal the network took more than {_TRIAL_LIMIT:g} s"
    if done.returncode == 0:
        return ""
    said = done.stderr.decode(errors="backslashreplace").strip().splitlines()
    fallback = f"an attempt to seal the network ended with status {done.returncode}"
    return said[-1].removeprefix("gco-conformance: ") if said else fallback


def enter(*, processes: bool = False) -> None:
    """Put this process, which must have one thread, into new namespaces: users, network, mounts, IPC, host name.

    Inside, the user is the same as outside and has all capabilities until it executes another program; only
    loopback exists, and it is up. With `processes`, the next child is the first process of a namespace too.
    Raises `Refused`; the process is of no further use then.
    """
    flags = _FLAGS | (kernel.NEW_PROCESSES if processes else 0)
    with refusing("make namespaces"):
        with_users_of_here(lambda: kernel.unshare(flags))
    with refusing("change mounts"):
        # A mount made from now on must not show up outside, nor one made outside show up here.
        kernel.mount("none", "/", flags=kernel.RECURSIVE | kernel.PRIVATE)
    with refusing("bring up the loopback interface"):
        kernel.bring_up("lo")
    with refusing("set the host name"):
        # Programs look their own host's name up; it mustn't be one that only the network outside knows.
        socket.sethostname(HOST_NAME)
    _open_low_ports()
    global _entered
    _entered = True


def has_entered() -> bool:
    """Whether this process, or one that it was forked from, has been through `enter`."""
    return _entered


def mount_processes() -> bool:
    """Let /proc show this process namespace, by its first process. False where a container's masks forbid it."""
    try:
        kernel.mount("proc", "/proc", "proc", kernel.NO_SETUID | kernel.NO_DEVICES | kernel.NO_PROGRAMS)
    except OSError:
        return False
    _open_low_ports()  # the /proc before may have been read-only
    return True


def mount_files_in_memory(folder: Path) -> None:
    """Give `folder` a file system that ends with the namespace. Raises `Refused`."""
    with refusing("mount a file system in memory"):
        kernel.mount("tmpfs", str(folder), "tmpfs", kernel.NO_SETUID | kernel.NO_DEVICES, "mode=0700")


def _open_low_ports() -> None:
    """Let programs executed from here bind ports below 1024 too; this process may do so anyway."""
    with suppress(OSError):
        _UNPRIVILEGED_PORTS.write_text("0")


@contextmanager
def refusing(step: str) -> Iterator[None]:
    """Turn an `OSError` into `Refused`; `step` is an infinitive, such as "make namespaces"."""
    try:
        yield
    except OSError as error:
        raise Refused(*why_refused(step, error)) from error
