"""A sealed process behaves as one that was simply started, and leaves nothing behind however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.sealed.namespaces import available

from .sealed_run import REEXECUTE, caller, run, told_by

pytest.importorskip("trustme")

NOBODY = 65534
ANOTHER_SESSION = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
FOREGROUND = "import os, sys; from gco_conformance.sealed.reexecute import reexecute; "
FOREGROUND += "status = reexecute(sys.argv[1:]); print('foreground', os.tcgetpgrp(0) == os.getpgrp(), status)"


@pytest.fixture(scope="module", autouse=True)
def _namespaces() -> None:
    if reason := available():
        pytest.skip(reason)


@pytest.mark.parametrize("status", [0, 1, 2, 77])
def test_the_exit_status_comes_through(status: int) -> None:
    assert run("status", str(status)).returncode == status


def test_an_exception_is_shown_and_is_a_failure() -> None:
    done = run("raises", "a story")
    assert done.returncode == 1
    assert done.stderr.endswith("RuntimeError: a story\n")


def test_streams_arguments_and_directory_come_through(tmp_path: Path) -> None:
    done = run("streams", "a b", "é", stdin="one\n", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ONE\n", f"a b é {tmp_path}")


def test_the_caller_stays_where_it_was() -> None:
    look = "print([os.readlink(f'/proc/self/ns/{kind}') for kind in ('net', 'user', 'mnt', 'pid_for_children')], "
    look += "open('/proc/self/mountinfo').read(), open('/etc/hosts').read())"
    code = f"import os; {look}; print('---'); {REEXECUTE.replace('sys.exit', 'print')}; print('---'); {look}"
    before, during, after = run("status", "7", code=code).stdout.split("---\n")
    assert during == "7\n"
    assert before == after


@pytest.mark.parametrize(
    ("how", "status"),
    [("ends", 0), ("raises", 1), (signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_nothing_is_left_behind(tmp_path: Path, how: str | signal.Signals, status: int) -> None:
    with lingering(tmp_path, how if isinstance(how, str) else "waits") as process:
        if not isinstance(how, str):
            process.send_signal(how)
        assert process.wait(10) == status


@pytest.mark.parametrize("victim", ["caller", "process group", "guard", "sealed process"])
def test_nothing_is_left_behind_after_a_kill(tmp_path: Path, victim: str) -> None:
    with lingering(tmp_path, "waits", start_new_session=True) as process:
        if victim == "process group":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            os.kill(descendant(process.pid, ["caller", "guard", "first", "sealed process"].index(victim)), 9)
        process.wait(10)


@pytest.mark.parametrize("delay", [0.03, 0.06, 0.09, 0.12, 0.18])
def test_nothing_is_left_behind_when_it_is_killed_while_it_starts(tmp_path: Path, delay: float) -> None:
    mark = f"mark-{uuid.uuid4()}"
    process = caller("lingers", mark, "waits", environment={"TMPDIR": str(tmp_path)}, start_new_session=True)
    with process:
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
    assert_nothing_left(tmp_path, mark)


@contextmanager
def lingering(folder: Path, how: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A sealed process with all that could be left behind; fails if something is after the block."""
    mark = f"mark-{uuid.uuid4()}"
    mounts = Path("/proc/self/mountinfo").read_text()
    process = caller("lingers", mark, how, environment={"TMPDIR": str(folder)}, **options)
    try:
        with process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", process.communicate()
            assert processes_with(mark)
            yield process
            assert_nothing_left(folder, mark)
    finally:
        process.kill()
    assert Path("/proc/self/mountinfo").read_text() == mounts


def assert_nothing_left(folder: Path, mark: str) -> None:
    deadline = time.monotonic() + 5
    while (left := [*processes_with(mark), *folder.iterdir()]) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert left == []


def processes_with(mark: str) -> list[str]:
    """The command lines, in this process namespace and all below it, that contain a mark."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_text(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if mark in line:
            found.append(line)
    return found


def descendant(process: int, generation: int) -> int:
    for _ in range(generation):
        process = int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])
    return process


def test_signals_are_passed_on_once() -> None:
    with caller("counts_interrupts") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 1


def test_a_key_interrupts_once() -> None:
    with terminal("counts_interrupts") as (_, keyboard):
        assert "ready" in read_until(keyboard, "ready")
        os.write(keyboard, b"\x03")
        assert "foreground True 1" in read_until(keyboard, "foreground")


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_a_shell_has_the_terminal_and_gives_it_back() -> None:
    with terminal("shell", "bash", "--norc", "-i") as (_, keyboard):
        # Between two commands of its own the shell may miss the key: another process says that it is there.
        os.write(keyboard, b"sh -c 'echo $((6 * 7)); exec sleep 100'; echo slept\n")
        shown = read_until(keyboard, "42")
        os.write(keyboard, b"\x03")
        os.write(keyboard, b"jobs | wc -l | sed s/^/jobs:/; exit 3\n")
        shown += read_until(keyboard, "foreground")
    assert "foreground True 3" in shown
    assert "jobs:0" in shown
    assert "no job control" not in shown


@contextmanager
def terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A caller in the foreground of a terminal of its own, and that terminal's other side."""
    keyboard, screen = os.openpty()
    session = (sys.executable, "-c", ANOTHER_SESSION)
    process = caller(*arguments, python=session, code=FOREGROUND, stdin=screen, stdout=screen, stderr=screen)
    os.close(screen)
    try:
        yield process, keyboard
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)


def read_until(keyboard: int, text: str) -> str:
    """What the terminal shows, to its end or to the end of the line with `text`."""
    shown = ""
    while text not in shown or not shown.endswith("\n"):
        try:
            shown += os.read(keyboard, 4096).decode()
        except OSError:  # nobody is left on the other side
            break
    return shown


def test_proc_shows_the_processes_inside() -> None:
    assert told_by("network")["process_in_proc"] == "2"


def test_a_sealed_process_can_seal_another_where_proc_is_masked() -> None:
    told = told_by("within", "sealed_functions:network")
    assert told["process_in_proc"] != "2"  # the masks did what they do in a container
    assert told["bound"] is True


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_an_unprivileged_user_can_do_it() -> None:
    told = told_by("network", python=python_of_nobody(), environment={"TMPDIR": "/tmp"}, cwd="/")
    assert told["user"] == NOBODY
    assert (told["bound"], told["bound_by_program"]) == (True, 0)
    assert not [place for place in Path("/tmp").glob("gco-sealed-*") if place.stat().st_uid == NOBODY]


def python_of_nobody() -> list[str]:
    """A command line's begin that runs Python, with the kit, as a user without any rights."""
    needed = "import sys, trustme, gco_conformance.sealed.reexecute as kit; assert sys.version_info >= (3, 11)"
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        argv = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", python]
        if Path(python).exists() and run("status", "0", python=argv, code=needed, cwd="/").returncode == 0:
            return argv
    pytest.skip("no Python, with what the kit needs, can be executed by another user")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_reaches_the_files_of_other_users(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, NOBODY, NOBODY)
    assert run("writes", str(folder / "report.json")).returncode == 0
    assert (folder / "report.json").exists()
