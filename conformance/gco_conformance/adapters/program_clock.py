"""By which means the clock of a program can be moved, and why not where it can't.

A Python program gets the folder `moved_clock` on its PYTHONPATH. Any other one that is linked dynamically
gets libfaketime (https://github.com/wolfcw/libfaketime), where that is installed. Go asks the kernel for the
time without a library in between, so nothing moves its clock.

Where `env` starts the program, what it assigns to the same variables keeps what moves the clock; the kit tries
whether that arrives, since `env -i` and a script's first line can't be mended.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gco_conformance.adapters import elf
from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.child import Program
from gco_conformance.adapters.moved_clock import FOLDER, VARIABLE
from gco_conformance.adapters.process import Children, run

_PYTHON: Final = re.compile(r"(?:python|pypy)[0-9.]*")
LIBRARIES: Final = (
    "/usr/lib/*/faketime/libfaketime.so.1",
    "/usr/lib/faketime/libfaketime.so.1",
    "/usr/lib64/faketime/libfaketime.so.1",
    "/usr/local/lib/faketime/libfaketime.so.1",
)
_NOT_INSTALLED: Final = "libfaketime isn't installed (Debian: apt-get install libfaketime)"
_AHEAD: Final = 1_000_000
_PROBE: Final = "import time; print(time.time())"
_PROBE_TIMEOUT: Final = 20.0
_DEPTH: Final = 4
_WITH_VALUE: Final = ("-u", "--unset", "-C", "--chdir")
"""Options of `env` that take the word after them."""


@dataclass(frozen=True)
class ProgramClock:
    """How a program's clock is moved: by `python`, by the `library`, or not at all, for the `reason`."""

    python: bool = False
    library: Path | None = None
    reason: str = ""

    def environment(self, clock_file: Path, given: Mapping[str, str]) -> dict[str, str]:
        """What to add to the environment `given`."""
        joined = {name: self._joined(name, given.get(name, "")) for name in self._in_front()}
        if self.python:
            # Lambda's task root is read-only too, so no bytecode is written beside the implementation.
            return {**joined, "PYTHONDONTWRITEBYTECODE": "1", VARIABLE: str(clock_file)}
        if self.library is not None:
            return {
                **joined,
                "FAKETIME_TIMESTAMP_FILE": str(clock_file),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DISABLE_SHM": "1",
            }
        return {}

    def command(self, argv: Sequence[str]) -> list[str]:
        """What to run for `argv`: an assignment of `env` would replace that of `environment`."""
        front, words = _parted(argv)
        return [*(self.kept(word) for word in front), *words]

    def kept(self, word: str) -> str:
        """A word of `env`; an assignment with what moves the clock in front."""
        name, _, value = word.partition("=")
        return f"{name}={self._joined(name, value)}" if name in self._in_front() else word

    def _joined(self, name: str, value: str) -> str:
        first, separator = self._in_front()[name]
        return separator.join(filter(None, (first, value)))

    def _in_front(self) -> dict[str, tuple[str, str]]:
        """What to put in front of a variable's value, and what between them."""
        if self.python:
            return {"PYTHONPATH": (str(FOLDER), os.pathsep)}
        return {"LD_PRELOAD": (str(self.library), " ")} if self.library is not None else {}


def clock_of(argv: Sequence[str], cwd: Path, *, libraries: Sequence[str] = LIBRARIES) -> ProgramClock:
    """How the clock of the program is moved that `argv` starts. `libraries` says where libfaketime may be.

    A program that another one starts isn't looked at: what a shell script starts is taken for movable.
    """
    front, words = _parted(argv)
    program = _located(words[0], cwd)
    between: list[str] = []
    for _ in range(_DEPTH):
        if _PYTHON.fullmatch(Path(words[0]).name) and _moves(front, [*between, *_with_options(words)], cwd):
            return ProgramClock(python=True)
        more, interpreter = _parted(_interpreter(program))
        if not interpreter:
            break
        between += more
        words = interpreter
        program = _located(words[0], cwd)
    clock = _of_binary(program, libraries)
    if clock.library is not None and (front or between) and not _arrives(front, between, clock, cwd):
        return ProgramClock(reason=f"env takes away the variables that move the clock of {program.name}")
    return clock


def _located(word: str, cwd: Path) -> Path:
    return cwd / word if os.sep in word else Path(shutil.which(word) or word)


def _moves(front: Sequence[str], python: Sequence[str], cwd: Path) -> bool:
    """Whether Python has a moved clock, by asking it, with the options that come before the program."""
    with tempfile.TemporaryDirectory(prefix="gco-conformance-") as folder:
        file = Path(folder, "clock")
        file.write_text(f"+{_AHEAD}.000000\n")
        told = _told(front, [*python, "-c", _PROBE], ProgramClock(python=True), file, cwd)
    try:
        return float(told) - time.time() > _AHEAD / 2
    except ValueError:
        return False


def _arrives(front: Sequence[str], between: Sequence[str], clock: ProgramClock, cwd: Path) -> bool:
    """Whether a program that is started like this has the variables that move its clock."""
    file = Path("/clock")
    told = _told(front, [*between, shutil.which("env") or "env"], clock, file, cwd).splitlines()
    given = dict(line.split("=", 1) for line in told if "=" in line)
    moving = clock.environment(file, {})
    return all(given.get(name, "").startswith(value) for name, value in moving.items())


def _told(front: Sequence[str], command: Sequence[str], clock: ProgramClock, file: Path, cwd: Path) -> str:
    """What a command prints when it is started as the function will be; nothing if it fails."""
    given = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(file.parent)}
    environment = given | clock.environment(file, given)
    program = Program([*map(clock.kept, front), *command], cwd, environment, inherits=False)
    answer = run(Children(), program, timeout=_PROBE_TIMEOUT)
    if answer.ending is not Ending.EXITED or answer.exit != 0:
        return ""
    return answer.stdout


def _with_options(argv: Sequence[str]) -> list[str]:
    """The interpreter with the options that come before its program."""
    words = [argv[0]]
    rest = list(argv[1:])
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "-c", "-m"):
        taken = 2 if rest[0] in ("-X", "-W") else 1
        words += rest[:taken]
        rest = rest[taken:]
    return words


def _of_binary(program: Path, libraries: Sequence[str]) -> ProgramClock:
    try:
        binary = elf.read(program)
    except OSError as error:
        return ProgramClock(reason=f"{program} can't be read: {error.strerror}")
    if binary is None:
        return ProgramClock(reason=f"{program.name} isn't an ELF program, which libfaketime needs")
    if binary.go:
        return ProgramClock(reason=f"{program.name} is written in Go, whose clock can't be moved")
    if not binary.dynamic:
        return ProgramClock(reason=f"{program.name} is linked statically, so libfaketime has no effect on it")
    places = [Path("/").glob(pattern.removeprefix("/")) for pattern in libraries]
    found = sorted(path for place in places for path in place)
    fitting = [path for path in found if _fits(path, binary)]
    if not fitting:
        other = f"libfaketime is installed for another kind of machine than {program.name}"
        return ProgramClock(reason=other if found else _NOT_INSTALLED)
    return ProgramClock(library=fitting[0])


def _fits(library: Path, program: elf.Elf) -> bool:
    found = elf.read(library)
    return found is not None and found.machine == program.machine


def _interpreter(program: Path) -> list[str]:
    """The words of a script's first line, empty for a program that isn't a script."""
    try:
        with program.open("rb") as file:
            first = file.readline(512)
    except OSError:
        return []
    return first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []


def _parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """`env` with its options and its assignments, and the command that it starts; without `env`, all of it."""
    rest = list(words)
    if rest and Path(rest[0]).name == "env":
        start = 1
        while start < len(rest) and (rest[start].startswith("-") or "=" in rest[start]):
            start += 2 if rest[start] in _WITH_VALUE else 1
        if start < len(rest):
            more, command = _parted(rest[start:])
            return [*rest[:start], *more], command
    return [], rest
