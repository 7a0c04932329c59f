"""Where a system lets no namespaces be made, a person learns why and what to do, in one line."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gco_conformance.sealed.refusal import why_refused


def refusal(root: Path, number: int, files: dict[str, str]) -> str:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    message, remedy = why_refused("make namespaces", OSError(number, os.strerror(number)), root)
    assert "\n" not in message + remedy
    return f"{message}; {remedy}"


@pytest.mark.skipif(sys.platform != "linux", reason="is about Linux")
@pytest.mark.parametrize(
    ("number", "files", "expected"),
    [
        (errno.EPERM, {"proc/sys/kernel/unprivileged_userns_clone": "0\n"}, "kernel.unprivileged_userns_clone=1"),
        (errno.ENOSPC, {"proc/sys/user/max_user_namespaces": "0\n"}, "user.max_user_namespaces="),
        (errno.ENOSPC, {"proc/sys/user/max_net_namespaces": "0\n"}, "user.max_net_namespaces="),
        (errno.ENOSPC, {"proc/sys/user/max_user_namespaces": "9\n"}, "nested too deep"),
        (errno.EUSERS, {}, "nested too deep"),
        (errno.EINVAL, {}, "CONFIG_USER_NS"),
        (
            errno.EPERM,
            {"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"},
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (errno.EPERM, {".dockerenv": ""}, "--security-opt seccomp=unconfined"),
        (errno.EPERM, {"run/.containerenv": ""}, "--security-opt seccomp=unconfined"),
        (errno.EPERM, {"proc/self/status": "Name:\tx\nSeccomp:\t2\n"}, "--security-opt seccomp=unconfined"),
        (errno.EPERM, {"proc/self/status": "Name:\tx\nSeccomp:\t0\n"}, "(Operation not permitted); look for"),
        (
            errno.EPERM,
            {
                "proc/sys/kernel/unprivileged_userns_clone": "1\n",
                "proc/sys/kernel/apparmor_restrict_unprivileged_userns": "0\n",
            },
            "doesn't let the kit make namespaces (Operation not permitted)",
        ),
    ],
)
def test_the_reason_is_told_with_its_remedy(
    tmp_path: Path, number: int, files: dict[str, str], expected: str
) -> None:
    assert expected in refusal(tmp_path, number, files)


def test_elsewhere_than_on_linux_it_is_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert refusal(tmp_path, errno.ENOSYS, {}) == (
        "the network can be sealed on Linux only, and this is darwin; "
        "run the kit in a Linux container or virtual machine"
    )


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys; before = set(sys.modules); import gco_conformance.sealed; "
    code += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["gco_conformance", "gco_conformance.sealed"]
