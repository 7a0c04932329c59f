"""Composer functions, good and bad, for the tests of `python:…`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CALLS: list[Path] = []


class Refused(Exception):
    pass


class Narrower(ValueError):
    pass


class Grouped:
    @staticmethod
    def composes(root: Path) -> dict[str, object]:
        return composes(root)


def composes(root: Path) -> dict[str, object]:
    CALLS.append(root)
    print("composing", end=" ")
    return {"root": str(root), "calls": len(CALLS), "é": [1, float("nan")]}


def pids(_: Path) -> dict[str, object]:
    return {"host": os.getppid(), "call": os.getpid()}


def environment(_: Path) -> dict[str, object]:
    return {"greeting": os.environ.get("GREETING", "")}


def big(_: Path) -> dict[str, object]:
    return {"text": "x" * 1000}


def refuses(_: Path) -> dict[str, object]:
    raise Refused("two\n  lines")


def raises_value_error(_: Path) -> dict[str, object]:
    raise ValueError("bad value")


def raises_narrower(_: Path) -> dict[str, object]:
    raise Narrower("bad value")


def exits(_: Path) -> dict[str, object]:
    sys.exit(2)


def exits_hard(_: Path) -> dict[str, object]:
    os._exit(7)


def dies(_: Path) -> dict[str, object]:
    os.kill(os.getpid(), signal.SIGSEGV)
    return {}


def hangs(root: Path) -> dict[str, object]:
    (root / "pids").write_text(f"{os.getpid()} {subprocess.Popen(['sleep', '60']).pid}")
    time.sleep(60)
    return {}


def babbles(root: Path) -> dict[str, object]:
    (root / "pids").write_text(f"{os.getpid()}")
    while True:
        print("x" * 4096)


def leaves_a_child(root: Path) -> dict[str, object]:
    (root / "pids").write_text(f"{subprocess.Popen(['sleep', '60']).pid}")
    return {}


def leaves_a_daemon(_: Path) -> dict[str, object]:
    subprocess.Popen(["sleep", "3"], start_new_session=True)
    return {}


def reads(_: Path) -> dict[str, object]:
    return {"read": sys.stdin.read()}


def returns_a_list(_: Path) -> list[object]:
    return []


def returns_a_set(_: Path) -> dict[str, object]:
    return {"set": {1}}


not_callable = 1
