"""The system calls that Python 3.11 has no functions for."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path
from typing import Final

# <linux/sched.h>
NEW_MOUNTS: Final = 0x00020000
NEW_HOST_NAME: Final = 0x04000000
NEW_IPC: Final = 0x08000000
NEW_USERS: Final = 0x10000000
NEW_PROCESSES: Final = 0x20000000
NEW_NETWORK: Final = 0x40000000

# <linux/mount.h>
NO_SETUID: Final = 0x2
NO_DEVICES: Final = 0x4
NO_PROGRAMS: Final = 0x8
BIND: Final = 0x1000
RECURSIVE: Final = 0x4000
PRIVATE: Final = 0x40000
_DETACH: Final = 0x2

_SET_DEATH_SIGNAL: Final = 1  # <linux/prctl.h>
_ADOPT_ORPHANS: Final = 36  # PR_SET_CHILD_SUBREAPER
_GET_FLAGS: Final = 0x8913  # <linux/sockios.h>
_SET_FLAGS: Final = 0x8914
_UP: Final = 0x1  # <linux/if.h>
_INTERFACE: Final = struct.Struct("16sh22x")


def unshare(flags: int) -> None:
    """Put this process (with `NEW_PROCESSES`: its children) into new namespaces. Raises `OSError`."""
    _call("unshare", ctypes.c_int(flags))


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount, or change a mount. Raises `OSError`."""
    texts = [value.encode(errors="surrogateescape") or None for value in (source, target, kind, options)]
    _call("mount", *texts[:3], ctypes.c_ulong(flags), texts[3])


def unmount(target: str) -> None:
    """Take a mount away, once nothing uses it any more. Raises `OSError`."""
    _call("umount2", target.encode(errors="surrogateescape"), ctypes.c_int(_DETACH))


def signal_when_parent_dies(number: int) -> None:
    """Have the kernel send this process a signal when its parent has died. Raises `OSError`."""
    _call("prctl", ctypes.c_int(_SET_DEATH_SIGNAL), ctypes.c_ulong(number))


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent has died. Raises `OSError`."""
    _call("prctl", ctypes.c_int(_ADOPT_ORPHANS), ctypes.c_ulong(1))


def bring_up(interface: str) -> None:
    """Switch a network interface on. Raises `OSError`."""
    name = interface.encode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        found = fcntl.ioctl(any_socket, _GET_FLAGS, _INTERFACE.pack(name, 0))
        flags = _INTERFACE.unpack(found)[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, _INTERFACE.pack(name, flags | _UP))


def bind_over(source: Path, target: Path) -> None:
    """Let `target`, a file or directory that exists, show `source`. Raises `OSError`."""
    mount(str(source), str(target), flags=BIND)


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
