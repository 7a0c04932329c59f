"""`command:COMMAND`: a program that is started for each call, on the contract's command line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from gco_conformance.adapters.answer import NO_ENVIRONMENT, Answer, Identity, StartError
from gco_conformance.adapters.child import Program
from gco_conformance.adapters.pasted import ROOT, pasted
from gco_conformance.adapters.process import Children, run


class CommandComposer:
    """Runs a command line: `{root}` is replaced in each argument, `--check` appended to compare."""

    door = "command"
    has_command_line = True
    identity = Identity()

    def __init__(self, argv: Sequence[str], *, timeout: float, cwd: Path) -> None:
        self._argv = tuple(argv)
        self._timeout = timeout
        self._cwd = cwd
        self._children = Children()

    def start(self) -> None:
        check_program(self._argv[0], self._cwd)

    def compose(
        self,
        root: Path,
        *,
        check: bool = False,
        fresh: bool = False,
        environment: Mapping[str, str] = NO_ENVIRONMENT,
        file_size_limit: int | None = None,
    ) -> Answer:
        del fresh  # each call is
        program = Program(self._command(str(root), check), self._cwd, environment, file_size_limit)
        return run(self._children, program, timeout=self._timeout)

    def command_line(self, *, check: bool = False) -> str:
        return pasted(self._command(ROOT, check))

    def close(self) -> None:
        self._children.close()

    def _command(self, root: str, check: bool) -> list[str]:
        command = [argument.replace(ROOT, root) for argument in self._argv]
        return [*command, "--check"] if check else command


def check_program(program: str, cwd: Path) -> None:
    """Raise `StartError` unless `program` (a name on PATH, or a path from `cwd`) can be run."""
    if ROOT in program:
        return
    if os.sep not in program:
        found = shutil.which(program)
        if found is None:
            raise StartError(f"no program named {program!r} on PATH", "name one that is installed, or its path")
        path = Path(found)
    else:
        path = cwd / program
        if not path.exists():
            raise StartError(f"there is no program {program}", f"relative paths start from {cwd}")
        if path.is_dir():
            raise StartError(f"{program} is a directory", "name the program in it")
        if not os.access(path, os.X_OK):
            raise StartError(f"{program} isn't executable", "chmod +x it, or name the interpreter before it")
    _check_interpreter(path)


def _check_interpreter(path: Path) -> None:
    """A script whose `#!` line names no program fails as if it weren't there itself: say what is missing."""
    try:
        with path.open("rb") as file:
            first = file.readline(256)
    except OSError:  # executable without being readable is fine
        return
    words = first[2:].split() if first.startswith(b"#!") else []
    if words and not Path(os.fsdecode(words[0])).exists():
        raise StartError(f"{path} wants {os.fsdecode(words[0])}, which isn't there", "mend its first line")
