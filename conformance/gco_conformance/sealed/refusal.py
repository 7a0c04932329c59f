"""Why a system doesn't let namespaces be made, and what a person can do about it."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Final

_LIMITS: Final = ("user", "net", "mnt", "pid", "ipc", "uts")
_CONTAINER: Final = (
    "allow the container to make namespaces, as with 'docker run --security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined --cap-add SYS_ADMIN'"
)
_APPARMOR: Final = (
    "allow them with 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0', "
    "or give this Python an AppArmor profile with 'userns,'"
)


def why_refused(step: str, error: OSError, root: Path = Path("/")) -> tuple[str, str]:
    """What stopped `step`, an infinitive such as "make namespaces", and the remedy.

    `root` is where the system's settings are found.
    """
    if sys.platform != "linux":
        return (
            f"the network can be sealed on Linux only, and this is {sys.platform}",
            "run the kit in a Linux container or virtual machine",
        )
    facts = root / "proc/sys"
    if _number(facts / "kernel/unprivileged_userns_clone") == 0:
        return (
            "this system lets only the superuser make user namespaces",
            "enable them with 'sysctl -w kernel.unprivileged_userns_clone=1'",
        )
    for kind in _LIMITS:
        if _number(facts / f"user/max_{kind}_namespaces") == 0:
            return (
                f"this system allows no {kind} namespaces",
                f"enable them with 'sysctl -w user.max_{kind}_namespaces=10000'",
            )
    if error.errno in (errno.ENOSPC, errno.EUSERS):
        return (
            "this system's limit of namespaces is reached, or they are nested too deep",
            "see 'sysctl user.max_user_namespaces' and its siblings",
        )
    if error.errno in (errno.EINVAL, errno.ENOSYS):
        return (
            "this kernel has no user, network or process namespaces",
            "run the kit on one built with CONFIG_USER_NS, CONFIG_NET_NS and CONFIG_PID_NS",
        )
    if _number(facts / "kernel/apparmor_restrict_unprivileged_userns") == 1:
        return f"AppArmor restricts user namespaces here: can't {step}", _APPARMOR
    if _in_container(root):
        return f"this container may not {step} ({error.strerror})", _CONTAINER
    return (
        f"this system doesn't let the kit {step} ({error.strerror})",
        "look for a security module (AppArmor, SELinux), a system call filter or a chroot that forbids it",
    )


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _in_container(root: Path) -> bool:
    """Whether a container's marks are there, or a system call filter such as containers have."""
    if any((root / mark).exists() for mark in (".dockerenv", "run/.containerenv")):
        return True
    try:
        status = (root / "proc/self/status").read_text()
    except OSError:
        return False
    return "\nSeccomp:\t2" in status
