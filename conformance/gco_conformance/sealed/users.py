"""Which users a new user namespace has: all of this one where the kernel allows it, else the own one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def with_users_of_here(unshare: Callable[[], None]) -> None:
    """Call `unshare`, which makes a user namespace, and map users and groups to themselves. Raises `OSError`."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        # A superuser reaches the files of other users only where these are mapped too.
        mapped = _with_all(unshare)
    else:
        unshare()
        mapped = False
    if not mapped:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")


def _with_all(unshare: Callable[[], None]) -> bool:
    """Call `unshare` and map all; only a process that stays outside, here a child, is allowed to do that."""
    maps = {name: _identity(Path("/proc/self", name).read_text()) for name in ("uid_map", "gid_map")}
    process = os.getpid()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(writer)
            if os.read(reader, 1):
                for name, text in maps.items():
                    Path(f"/proc/{process}", name).write_text(text)
                status = 0
        except OSError:
            status = 1
        finally:
            os._exit(status)
    try:
        unshare()
        os.write(writer, b"!")
    finally:
        os.close(reader)
        os.close(writer)
        _, status = os.waitpid(child, 0)
    return status == 0


def _identity(table: str) -> str:
    rows = (line.split() for line in table.splitlines())
    return "".join(f"{inside} {inside} {count}\n" for inside, _, count in rows)
