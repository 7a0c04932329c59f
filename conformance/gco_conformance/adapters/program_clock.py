"""By which means the clock of a program can be moved, and why not where it can't.

A Python program gets the folder `moved_clock` on its PYTHONPATH. Any other one that is linked dynamically
gets libfaketime (https://github.com/wolfcw/libfaketime), where that is installed. Go asks the kernel for the
time without a library in between, so nothing moves its clock.
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


@dataclass(frozen=True)
class ProgramClock:
    """How a program's clock is moved: by `python`, by the `library`, or not at all, for the `reason`."""

    python: bool = False
    library: Path | None = None
    reason: str = ""

    def environment(self, clock_file: Path, given: Mapping[str, str]) -> dict[str, str]:
        """What to add to the environment `given`."""
        if self.python:
            # Lambda's task root is read-only too, so no bytecode is written beside the implementation.
            paths = [str(FOLDER), *filter(None, [given.get("PYTHONPATH", "")])]
            return {
                "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONDONTWRITEBYTECODE": "1",
                VARIABLE: str(clock_file),
            }
        if self.library is not None:
            preloaded = [str(self.library), *filter(None, [given.get("LD_PRELOAD", "")])]
            return {
                "LD_PRELOAD": " ".join(preloaded),
                "FAKETIME_TIMESTAMP_FILE": str(clock_file),
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DISABLE_SHM": "1",
            }
        return {}


def clock_of(argv: Sequence[str], cwd: Path, *, libraries: Sequence[str] = LIBRARIES) -> ProgramClock:
    """How the clock of the program is moved that `argv` starts. `libraries` says where libfaketime may be.

    A program that another one starts isn't looked at: what a shell script starts is taken for movable.
    """
    words = _without_env(argv)
    program = _located(words[0], cwd)
    for _ in range(_DEPTH):
        if _PYTHON.fullmatch(Path(words[0]).name) and _moves(words, cwd):
            return ProgramClock(python=True)
        interpreter = _interpreter(program)
        if not interpreter:
            break
        words = interpreter
        program = _located(words[0], cwd)
    return _of_binary(program, libraries)


def _located(word: str, cwd: Path) -> Path:
    return cwd / word if os.sep in word else Path(shutil.which(word) or word)


def _moves(argv: Sequence[str], cwd: Path) -> bool:
    """Whether Python has a moved clock, by asking it, with the options that come before the program."""
    with tempfile.TemporaryDirectory(prefix="gco-conformance-") as folder:
        file = Path(folder, "clock")
        file.write_text(f"+{_AHEAD}.000000\n")
        given = {"PATH": os.environ.get("PATH", os.defpath), "HOME": folder}
        environment = given | ProgramClock(python=True).environment(file, given)
        command = (*_with_options(argv), "-c", _PROBE)
        answer = run(Children(), Program(command, cwd, environment, inherits=False), timeout=_PROBE_TIMEOUT)
    if answer.ending is not Ending.EXITED or answer.exit != 0:
        return False
    try:
        return float(answer.stdout) - time.time() > _AHEAD / 2
    except ValueError:
        return False


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
    return _without_env(first[2:].decode("utf-8", "replace").split()) if first.startswith(b"#!") else []


def _without_env(words: Sequence[str]) -> list[str]:
    """The command without `env`, its options and its assignments in front."""
    rest = list(words)
    if rest and Path(rest[0]).name == "env":
        rest = rest[1:]
        while len(rest) > 1 and (rest[0].startswith("-") or "=" in rest[0]):
            rest = rest[1:]
    return rest or list(words)
