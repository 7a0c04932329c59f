"""`stdio:COMMAND`: a long-lived program that answers a JSON line for each JSON line (protocol version 1).

The JSON Schemas `composer-stdio-1.request` and `composer-stdio-1.response` in `schemas` say what both
directions look like. The program starts once for each concurrent call, not once for each call.
"""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gco_conformance.adapters.answer import Answer, Ending, Identity
from gco_conformance.adapters.child import Program
from gco_conformance.adapters.command import check_program
from gco_conformance.adapters.pasted import ROOT, pasted
from gco_conformance.adapters.pooled import PooledComposer
from gco_conformance.adapters.schema import first_error
from gco_conformance.adapters.worker import Worker, quoted

PROTOCOL = "gco-composer-stdio/1"
HELLO = {"protocol": PROTOCOL, "id": 0, "call": "hello"}


class StdioComposer(PooledComposer[Worker]):
    """Asks over standard input and output."""

    door = "stdio"
    has_command_line = True
    identity = Identity()
    _ids = itertools.count(1)

    def start(self) -> None:
        check_program(self._argv[0], self._cwd)
        hint = f"the first line that it prints must answer {json.dumps(HELLO)}"
        self._start(shlex.join(self._argv), hint)

    def command_line(self, *, check: bool = False) -> str:
        request = {"id": 1, "call": "compose", "root": ROOT, "check": check}
        lines = pasted([json.dumps(HELLO), json.dumps(request)])
        return f"printf '%s\\n' {lines} | {shlex.join(self._argv)}"

    def _start_worker(self, program: Program) -> Worker:
        return Worker(self._children, self._children.start(program, stdin=True, bound=self._bound))

    def _greet(self, worker: Worker) -> None:
        said = _answer(worker, HELLO, "hello", self._start_timeout)
        self.identity = Identity(said["name"], said["version"], said["language"], said["homepage"])

    def _ask(self, worker: Worker, root: Path, check: bool) -> Answer:
        request = {"id": next(self._ids), "call": "compose", "root": str(root), "check": check}
        said = _answer(worker, request, "compose", self._timeout)
        return Answer(Ending.EXITED, int(said["exit"]), said["stdout"], said["stderr"])


def _answer(worker: Worker, request: Mapping[str, object], call: str, timeout: float) -> dict[str, Any]:
    """What the worker answers, checked against the schema of that call. Raises `Broken`."""
    line = worker.ask(json.dumps(request), timeout)
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise worker.broken(f"answered {call} with {quoted(line)}, which isn't a JSON object") from None
    error = first_error("composer-stdio-1.response", said, call)
    if error is not None:
        place = "" if error.json_path == "$" else f" at {error.json_path}"
        problem = error.message if len(error.message) < 200 else f"not a valid {error.validator}"
        raise worker.broken(f"answered {call} with {quoted(line)}{place}: {problem}")
    if said["id"] != request["id"]:
        raise worker.broken(f"answered {call} with {quoted(line)}, where id {request['id']} is due")
    return dict(said)
