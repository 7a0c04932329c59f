"""How a program's clock can be moved is found out from the program; where it can't, the reason says so."""

from __future__ import annotations

import struct
import sys
import time
from pathlib import Path

import pytest

from gco_conformance.adapters.child import Program
from gco_conformance.adapters.moved_clock import FOLDER
from gco_conformance.adapters.process import Children, run
from gco_conformance.adapters.program_clock import ProgramClock, clock_of

INTERPRETER, NOTE = 3, 4


def elf(*segments: tuple[int, bytes], wide: bool = True, order: str = "<", machine: int = 62) -> bytes:
    """The beginning of an ELF program with these segments (kind, content)."""
    entry = 56 if wide else 32
    head = 64 if wide else 52
    place = head + entry * len(segments)
    headers, contents = b"", b""
    for kind, content in segments:
        form = order + ("IIQQQQQQ" if wide else "IIIIIIII")
        at, size = place + len(contents), len(content)
        fields = (kind, 0, at, 0, 0, size, size, 1) if wide else (kind, at, 0, 0, size, size, 0, 1)
        headers += struct.pack(form, *fields)
        contents += content
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    addresses = struct.pack(order + ("QQQ" if wide else "III"), 0, head, 0)
    sizes = struct.pack(order + "IHHHHHH", 0, head, entry, len(segments), 0, 0, 0)
    return ident + struct.pack(order + "HHI", 2, machine, 1) + addresses + sizes + headers + contents


DYNAMIC = elf((INTERPRETER, b"/lib/ld.so\0"))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Where libfaketime is."""
    folder = tmp_path / "lib" / "x86_64-linux-gnu" / "faketime"
    folder.mkdir(parents=True)
    file = folder / "libfaketime.so.1"
    file.write_bytes(elf())
    return file


def found(program: Path, library: Path, *arguments: str) -> ProgramClock:
    places = [str(library.parents[2] / "*" / "faketime" / library.name)]
    return clock_of([str(program), *arguments], program.parent, libraries=places)


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("order", ["<", ">"])
def test_a_dynamic_program_gets_the_library_for_its_machine(
    tmp_path: Path, library: Path, wide: bool, order: str
) -> None:
    program = written(
        tmp_path / "bootstrap", elf((1, b""), (INTERPRETER, b"/lib/ld.so\0"), wide=wide, order=order)
    )
    assert found(program, library).reason.startswith("libfaketime is installed for another kind of machine") is (
        not (wide and order == "<")
    )
    library.write_bytes(elf(wide=wide, order=order))
    assert found(program, library) == ProgramClock(library=library)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (elf((1, b"")), "bootstrap is linked statically, so libfaketime has no effect on it"),
        (
            elf((INTERPRETER, b"/lib/ld.so\0"), (NOTE, b"\4\0\0\0\1\0\0\0\4\0\0\0Go\0\0abc")),
            "bootstrap is written in Go, whose clock can't be moved",
        ),
        (b"\x7fELF", "bootstrap isn't an ELF program, which libfaketime needs"),
        (DYNAMIC[:70], "bootstrap isn't an ELF program, which libfaketime needs"),
        (b"", "bootstrap isn't an ELF program, which libfaketime needs"),
    ],
)
def test_a_program_that_no_library_reaches_says_why(
    tmp_path: Path, library: Path, content: bytes, reason: str
) -> None:
    assert found(written(tmp_path / "bootstrap", content), library) == ProgramClock(reason=reason)


def test_a_missing_library_is_named_with_the_remedy(tmp_path: Path) -> None:
    program = written(tmp_path / "bootstrap", DYNAMIC)
    clock = found(program, tmp_path / "a" / "b" / "c" / "libfaketime.so.1")
    assert clock.reason == "libfaketime isn't installed (Debian: apt-get install libfaketime)"


@pytest.mark.parametrize("first", ["#!{program} -x", "#! /usr/bin/env -S A=b {program}", "#!{script}"])
def test_a_script_is_what_its_interpreter_is(tmp_path: Path, library: Path, first: str) -> None:
    program = written(tmp_path / "engine", DYNAMIC)
    script = written(tmp_path / "script", f"#!{program}\n".encode())
    line = first.format(program=program, script=script)
    assert found(written(tmp_path / "bootstrap", f"{line}\n".encode()), library) == ProgramClock(library=library)


@pytest.mark.parametrize(
    "words", [(sys.executable, "app.py"), ("env", "A=b", sys.executable, "-X", "utf8", "-P", "-m", "app")]
)
def test_python_needs_no_library(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert clock_of(words, tmp_path, libraries=[]) == ProgramClock(python=True)


def test_a_script_of_python_needs_no_library(tmp_path: Path) -> None:
    script = written(tmp_path / "bootstrap", f"#!{sys.executable}\n".encode())
    assert clock_of([str(script)], tmp_path, libraries=[]) == ProgramClock(python=True)


def test_an_isolated_python_needs_the_library(tmp_path: Path) -> None:
    clock = clock_of((sys.executable, "-I", "app.py"), tmp_path, libraries=[])
    assert not clock.python
    assert clock.reason.startswith("libfaketime isn't installed")


def assigned(tmp_path: Path, *more: str) -> tuple[str, ...]:
    """`env` that sets PYTHONPATH, and the beginning of a Python program."""
    return ("env", *more, f"PYTHONPATH={tmp_path}", sys.executable)


def test_what_env_assigns_does_not_take_the_clock_away(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("here = True\n")
    argv = (*assigned(tmp_path), "-c", "import mine, time; print(mine.here, time.time())")
    clock = clock_of(argv, tmp_path, libraries=[])
    assert clock.python
    file = written(tmp_path / "clock", b"+9000000.0\n")
    program = Program(clock.command(argv), tmp_path, clock.environment(file, {}), inherits=False)
    here, now = run(Children(), program, timeout=20).stdout.split()
    assert here == "True"
    assert float(now) - time.time() > 8_000_000


@pytest.mark.parametrize("more", [("-i",), ("-u", "GCO_CONFORMANCE_CLOCK_FILE")])
def test_a_python_that_env_gives_no_moved_clock_needs_the_library(tmp_path: Path, more: tuple[str, ...]) -> None:
    assert not clock_of((*assigned(tmp_path, *more), "app.py"), tmp_path, libraries=[]).python


def test_a_script_whose_first_line_sets_the_variable_keeps_its_real_time(tmp_path: Path) -> None:
    first = f"#!/usr/bin/env -S PYTHONPATH={tmp_path} {sys.executable}\n"
    script = written(tmp_path / "bootstrap", first.encode())
    assert not clock_of([str(script)], tmp_path, libraries=[]).python


@pytest.mark.parametrize(("more", "moves"), [((), True), (("LD_PRELOAD=/mine.so",), True), (("-i",), False)])
def test_env_in_front_of_a_program_is_tried(
    tmp_path: Path, library: Path, more: tuple[str, ...], moves: bool
) -> None:
    program = written(tmp_path / "engine", DYNAMIC)
    places = [str(library.parents[2] / "*" / "faketime" / library.name)]
    clock = clock_of(["env", *more, str(program)], tmp_path, libraries=places)
    reason = "env takes away the variables that move the clock of engine"
    assert clock == (ProgramClock(library=library) if moves else ProgramClock(reason=reason))


def test_what_the_environment_had_stays(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    python = ProgramClock(python=True).environment(file, {"PYTHONPATH": "/mine"})
    assert python["PYTHONPATH"] == f"{FOLDER}:/mine"
    library = ProgramClock(library=Path("/f.so")).environment(file, {"LD_PRELOAD": "/mine.so"})
    assert library["LD_PRELOAD"] == "/f.so /mine.so"
    assert library["FAKETIME_TIMESTAMP_FILE"] == str(file)
    assert ProgramClock(reason="no").environment(file, {}) == {}


def ran(tmp_path: Path, code: str, *, clock: str | None = "+60.0\n", more: str = "") -> str:
    """What `code` prints with a moved clock."""
    file = tmp_path / "clock"
    if clock is not None:
        file.write_text(clock)
    environment = ProgramClock(python=True).environment(file, {"PYTHONPATH": more})
    program = Program((sys.executable, "-c", code), tmp_path, environment, inherits=False)
    answer = run(Children(), program, timeout=20)
    assert (answer.exit, answer.stderr) == (0, "")
    return answer.stdout.strip()


def test_the_hidden_sitecustomize_runs_too(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.mine = True\n")
    code = "import sys; print(sys.mine, any('moved_clock' in path for path in sys.path))"
    assert ran(tmp_path, code, more=str(tmp_path)) == "True False"


@pytest.mark.parametrize("clock", [None, "", "half a num", "+"])
def test_a_clock_file_that_says_nothing_moves_nothing(tmp_path: Path, clock: str | None) -> None:
    assert ran(tmp_path, "import os, time; print(abs(os.times().elapsed - time.monotonic()) < 30)", clock=clock)


def test_a_clock_file_that_goes_away_leaves_the_clock_where_it_is(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; first = time.monotonic(); os.remove(os.environ['GCO_CONFORMANCE_CLOCK_FILE']); "
        "print(0 <= time.monotonic() - first < 30)"
    )
    assert ran(tmp_path, code) == "True"
