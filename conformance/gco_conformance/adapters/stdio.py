"""`stdio:COMMAND`: a long-lived program that answers a JSON line for each JSON line (protocol version 1).

The JSON Schemas `composer-stdio-1.request` and `composer-stdio-1.response` in `schemas` say what both
directions look like. The program starts once for each concurrent call, not once for each call.
"""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gco_conformance.adapters.answer import NO_ENVIRONMENT, Answer, Ending, Identity, StartError
from gco_conformance.adapters.child import OUTPUT_BOUND, Program
from gco_conformance.adapters.command import check_program
from gco_conformance.adapters.pool import Pool, dismiss
from gco_conformance.adapters.process import Children, Stopped, died
from gco_conformance.adapters.schema import first_error
from gco_conformance.adapters.worker import Broken, Worker, quoted

PROTOCOL = "gco-composer-stdio/1"
HELLO = {"protocol": PROTOCOL, "id": 0, "call": "hello"}
START_TIMEOUT = 30.0
"""Seconds that a slow-starting language has before its first answer."""


class StdioComposer:
    """Asks up to `jobs` processes over their standard input and output."""

    door = "stdio"
    has_command_line = True

    def __init__(
        self,
        argv: Sequence[str],
        *,
        jobs: int,
        timeout: float,
        cwd: Path,
        start_timeout: float = START_TIMEOUT,
        bound: int = OUTPUT_BOUND,
    ) -> None:
        self.identity = Identity()
        self._argv = tuple(argv)
        self._timeout = timeout
        self._start_timeout = max(timeout, start_timeout)
        self._cwd = cwd
        self._bound = bound
        self._ids = itertools.count(1)
        self._children = Children()
        self._pool = Pool(self._opened, jobs)

    def start(self) -> None:
        check_program(self._argv[0], self._cwd)
        try:
            worker = self._opened()
        except Broken as broken:
            hint = f"the first line that it prints must answer {json.dumps(HELLO)}"
            raise StartError(f"{shlex.join(self._argv)}: {broken}", hint) from None
        self._pool.add(worker)

    def compose(
        self,
        root: Path,
        *,
        check: bool = False,
        fresh: bool = False,
        environment: Mapping[str, str] = NO_ENVIRONMENT,
        file_size_limit: int | None = None,
    ) -> Answer:
        try:
            if not fresh and not environment and file_size_limit is None:
                with self._pool.worker() as worker:
                    return self._compose(worker, root, check)
            worker = self._opened(environment, file_size_limit)
            try:
                answer = self._compose(worker, root, check)
                dismiss([worker])
            finally:
                worker.end()
        except Broken as broken:
            return broken.answer
        except Stopped:
            return died("not asked, since the run was stopped")
        return answer

    def command_line(self, root: str, *, check: bool = False) -> str:
        request = {"id": 1, "call": "compose", "root": root, "check": check}
        lines = shlex.join([json.dumps(HELLO), json.dumps(request)])
        return f"printf '%s\\n' {lines} | {shlex.join(self._argv)}"

    def close(self) -> None:
        self._pool.close()
        self._children.close()

    def _opened(
        self, environment: Mapping[str, str] = NO_ENVIRONMENT, file_size_limit: int | None = None
    ) -> Worker:
        """A new process that has said who it is. Raises `Broken` and `Stopped`."""
        program = Program(self._argv, self._cwd, environment, file_size_limit)
        try:
            child = self._children.start(program, stdin=True, bound=self._bound)
        except OSError as error:
            raise Broken(died(f"{self._argv[0]} can't be run: {error.strerror}")) from None
        worker = Worker(self._children, child)
        try:
            said = _answer(worker, HELLO, "hello", self._start_timeout)
        except BaseException:
            worker.end()
            raise
        self.identity = Identity(said["name"], said["version"], said["language"], said["homepage"])
        return worker

    def _compose(self, worker: Worker, root: Path, check: bool) -> Answer:
        request = {"id": next(self._ids), "call": "compose", "root": str(root), "check": check}
        said = _answer(worker, request, "compose", self._timeout)
        return Answer(Ending.EXITED, int(said["exit"]), said["stdout"], said["stderr"])


def _answer(worker: Worker, request: Mapping[str, object], definition: str, timeout: float) -> dict[str, Any]:
    """What the worker answers, checked against its schema. Raises `Broken`."""
    line = worker.ask(json.dumps(request), timeout)
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise worker.broken(f"answered {definition} with {quoted(line)}, which isn't a JSON object") from None
    error = first_error("composer-stdio-1.response", said, definition)
    if error is not None:
        place = "" if error.json_path == "$" else f" at {error.json_path}"
        problem = error.message if len(error.message) < 200 else f"not a valid {error.validator}"
        raise worker.broken(f"answered {definition} with {quoted(line)}{place}: {problem}")
    if said["id"] != request["id"]:
        raise worker.broken(
            f"answered {definition} with id {said['id']} where {request['id']} is due: {quoted(line)}"
        )
    return dict(said)
