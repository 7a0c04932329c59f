"""A command is asked on the contract's command line, and whatever it does, the kit goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Answer, Ending, StartError
from gco_conformance.adapters.child import OUTPUT_BOUND
from gco_conformance.adapters.command import CommandComposer
from gco_conformance.adapters.spec import parse

from .implementations.processes import is_reaped, wait_for_pids, wait_until_gone

ROOT = Path("/the root")


@pytest.fixture(params=["pidfd", "polling"])
def _watching(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways in which a child's exit is noticed."""
    if request.param == "polling":

        def refuse(_: int) -> int:
            raise OSError("not here")

        monkeypatch.setattr(os, "pidfd_open", refuse)


def sh(script: str, timeout: float = 5.0) -> CommandComposer:
    """A shell script whose `$1` is the root."""
    return CommandComposer(["sh", "-c", script, "sh", "{root}"], timeout=timeout, cwd=Path.cwd())


def ask(script: str, root: Path = ROOT, timeout: float = 5.0) -> Answer:
    return sh(script, timeout).compose(root)


def test_the_root_replaces_its_placeholder_in_every_argument_and_check_is_appended() -> None:
    composer = parse("command:printf '<%s>' {root} --into={root}/out 'two words' '$HOME'", jobs=1, timeout=5)
    composer.start()
    assert composer.compose(ROOT, check=True) == Answer(
        Ending.EXITED, 0, "</the root><--into=/the root/out><two words><$HOME><--check>", ""
    )
    assert "--check" not in composer.compose(ROOT).stdout


@pytest.mark.parametrize("composer", ["printf '<%s>' {root}", 'sh -c \'printf "<%s>" "{root}" $0\''])
def test_a_person_can_paste_the_command_line(composer: str) -> None:
    """Wherever the checkout is named: alone, or within another text, with quotes around it."""
    line = parse(f"command:{composer}", jobs=1, timeout=5).command_line(check=True)
    script = f"root='/the root'\n{line}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, timeout=5)
    assert done.stdout == "</the root><--check>"


@pytest.mark.usefixtures("_watching")
def test_status_and_both_outputs_are_told_apart() -> None:
    assert ask("echo out; echo 'ERROR: no' >&2; exit 2") == Answer(Ending.EXITED, 2, "out\n", "ERROR: no\n")


@pytest.mark.usefixtures("_watching")
def test_a_crash_is_an_exit_with_what_it_printed() -> None:
    composer = CommandComposer([sys.executable, "-ISc", "1/0", "{root}"], timeout=5, cwd=Path.cwd())
    answer = composer.compose(ROOT)
    assert (answer.ending, answer.exit) == (Ending.EXITED, 1)
    assert "ZeroDivisionError" in answer.stderr


def test_bytes_that_are_no_text_are_shown() -> None:
    assert ask(r"printf 'a\377b\r\n'").stdout == "a\\xffb\r\n"


def test_it_runs_in_the_directory_of_the_user_with_the_environment_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INHERITED", "yes")
    composer = CommandComposer(["sh", "-c", "pwd -P; echo $INHERITED $ADDED", "{root}"], timeout=5, cwd=tmp_path)
    answer = composer.compose(ROOT, environment={"ADDED": "too"})
    assert answer.stdout == f"{tmp_path.resolve()}\nyes too\n"


@pytest.mark.usefixtures("_watching")
def test_a_reader_of_standard_input_finds_its_end() -> None:
    assert ask("cat; echo end") == Answer(Ending.EXITED, 0, "end\n", "")


@pytest.mark.usefixtures("_watching")
def test_a_hung_program_is_ended_with_its_descendants(tmp_path: Path) -> None:
    began = time.monotonic()
    answer = ask('sleep 60 & echo $$ $! >"$1"/pids; echo before; wait', tmp_path, timeout=0.5)
    assert time.monotonic() - began < 2
    assert answer == Answer(Ending.HUNG, None, "before\n", "", "no answer within 0.5 s")
    leader, descendant = wait_for_pids(tmp_path / "pids")
    wait_until_gone(leader, descendant)
    assert is_reaped(leader)


@pytest.mark.usefixtures("_watching")
def test_a_program_that_ignores_signals_is_ended_too(tmp_path: Path) -> None:
    answer = ask('trap "" TERM INT HUP; echo $$ >"$1"/pids; sleep 60', tmp_path, timeout=0.5)
    assert answer.ending is Ending.HUNG
    wait_until_gone(*wait_for_pids(tmp_path / "pids"))


@pytest.mark.parametrize("stream", ["", ">&2"])
@pytest.mark.usefixtures("_watching")
def test_a_babbling_program_is_ended_at_the_bound(stream: str, tmp_path: Path) -> None:
    answer = ask(f'echo $$ >"$1"/pids; exec yes {stream}', tmp_path)
    assert (answer.ending, answer.exit) == (Ending.BABBLED, None)
    assert answer.detail == "printed more than 8 MiB"
    assert max(len(answer.stdout), len(answer.stderr)) == OUTPUT_BOUND
    wait_until_gone(*wait_for_pids(tmp_path / "pids"))


def test_much_output_within_the_bound_arrives_whole() -> None:
    answer = ask("head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2")
    assert answer.ending is Ending.EXITED
    assert (answer.stdout, answer.stderr) == ("x" * 3000000, "y" * 3000000)


@pytest.mark.usefixtures("_watching")
def test_a_signal_is_named() -> None:
    assert ask("echo last; kill -SEGV $$") == Answer(Ending.DIED, None, "last\n", "", "ended by signal SIGSEGV")


@pytest.mark.usefixtures("_watching")
def test_a_descendant_that_keeps_the_output_open_holds_up_nothing(tmp_path: Path) -> None:
    began = time.monotonic()
    answer = ask('sleep 60 & echo $! >"$1"/pids; echo done', tmp_path)
    assert time.monotonic() - began < 2
    assert answer == Answer(Ending.EXITED, 0, "done\n", "")
    wait_until_gone(*wait_for_pids(tmp_path / "pids"))


@pytest.mark.usefixtures("_watching")
def test_a_daemon_that_keeps_the_output_open_holds_up_nothing() -> None:
    began = time.monotonic()
    assert ask("setsid sleep 3 & echo done").stdout == "done\n"
    assert time.monotonic() - began < 2


def test_what_a_descendant_prints_just_after_the_exit_still_counts() -> None:
    assert ask("(sleep 0.02; echo late) & echo done").stdout == "done\nlate\n"


def test_a_file_within_the_size_limit_is_written_and_one_beyond_it_is_not(tmp_path: Path) -> None:
    composer = sh('head -c 1000 /dev/zero >"$1"/file && echo written')
    assert composer.compose(tmp_path, file_size_limit=1000).stdout == "written\n"
    answer = composer.compose(tmp_path, file_size_limit=999)
    assert "written" not in answer.stdout
    assert answer.exit != 0
    assert (tmp_path / "file").stat().st_size == 999


def test_the_size_limit_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_CTYPE", raising=False)
    monkeypatch.setenv("LANG", "C")
    composer = sh("env; trap; grep -i sigign /proc/self/status; pwd; exit 3")
    without = composer.compose(ROOT)
    limited = composer.compose(ROOT, file_size_limit=10)
    assert limited == without


def test_several_threads_ask_at_once() -> None:
    composer = sh('sleep 0.05; echo "$1"; echo "$1" >&2')
    roots = [Path(f"/root {number}") for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(composer.compose, roots))
    assert answers == [Answer(Ending.EXITED, 0, f"{root}\n", f"{root}\n") for root in roots]


def test_closing_ends_what_runs_in_other_threads(tmp_path: Path) -> None:
    composer = sh('echo $$ >"$1"/pids; sleep 60', timeout=30)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(composer.compose, tmp_path)
        wait_for_pids(tmp_path / "pids")
        composer.close()
        assert future.result(2).ending is Ending.DIED
    wait_until_gone(*wait_for_pids(tmp_path / "pids"))
    assert composer.compose(tmp_path).detail == "not asked, since the run was stopped"


@pytest.fixture
def _interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_an_interrupt_ends_the_program(tmp_path: Path) -> None:
    # So much is only taken from a pipe by who has got as far as to wait for the program.
    composer = sh('head -c 200000 /dev/zero; echo $$ >"$1"/pids; sleep 60', timeout=30)
    asking = threading.get_ident()

    def interrupt() -> None:
        wait_for_pids(tmp_path / "pids")
        signal.pthread_kill(asking, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        composer.compose(tmp_path)
    thread.join()
    (leader,) = wait_for_pids(tmp_path / "pids")
    wait_until_gone(leader)
    assert is_reaped(leader)


def test_a_program_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "script").write_text("#!/nowhere/python\n")
    (tmp_path / "script").chmod(0o755)
    for program, problem in {
        "no-such-composer": "no program named 'no-such-composer' on PATH",
        "./no-such-composer": "there is no program ./no-such-composer",
        ".": "no program named '.'",
        "./": "./ is a directory",
        "./plain": "./plain isn't executable",
        "./script": "wants /nowhere/python, which isn't there",
    }.items():
        composer = CommandComposer([program, "{root}"], timeout=5, cwd=tmp_path)
        with pytest.raises(StartError) as caught:
            composer.start()
        assert problem in caught.value.message
        assert caught.value.hint
        assert "\n" not in str(caught.value)


def test_a_program_that_cannot_be_run_after_all_is_told_in_the_answer(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"\1\2\3")
    (tmp_path / "noise").chmod(0o755)
    answer = CommandComposer(["./noise", "{root}"], timeout=5, cwd=tmp_path).compose(ROOT)
    assert (answer.ending, answer.detail) == (Ending.DIED, "./noise can't be run: Exec format error")
