"""`python:MODULE_OR_FILE:FUNCTION[:EXCEPTION]`: a function that takes a checkout and returns the document.

It is imported once in a process of its own, `python_host.py`, in which each call is a fork: nothing of a call
stays for the next, and a crash ends that call alone.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from gco_conformance.adapters.answer import Answer, Ending, Identity, StartError
from gco_conformance.adapters.child import OUTPUT_BOUND, Child, Program
from gco_conformance.adapters.pasted import ROOT, pasted
from gco_conformance.adapters.pooled import START_TIMEOUT, PooledComposer
from gco_conformance.adapters.process import Children, died, how_ended, text
from gco_conformance.adapters.worker import Broken, Worker

DEFAULT_OUTPUT = "docs/openapi/cluster-gateway.json"
_FAREWELL = 0.5
_KILLED = 1.0
_HOST = Path(__file__).with_name("python_host.py")
_CALL = "json.dump({call}(pathlib.Path(sys.argv[1])), sys.stdout, indent=2, sort_keys=True)"


class PythonComposer(PooledComposer["_Host"]):
    """Asks a Python function. `target` is a module's name or a file, from `cwd` if relative."""

    door = "python"
    has_command_line = False
    identity = Identity(language="Python")

    def __init__(
        self,
        target: str,
        function: str,
        exception: str,
        *,
        jobs: int,
        timeout: float,
        cwd: Path,
        start_timeout: float = START_TIMEOUT,
        bound: int = OUTPUT_BOUND,
    ) -> None:
        self._file = cwd / target if target.endswith(".py") else None
        self._target = target
        self._function = function
        argv = (sys.executable, "-P", str(_HOST), str(self._file or target), function, exception)
        super().__init__(argv, jobs=jobs, timeout=timeout, cwd=cwd, start_timeout=start_timeout, bound=bound)

    def start(self) -> None:
        if self._file is not None and not self._file.is_file():
            raise StartError(f"there is no file {self._target}", f"relative paths start from {self._cwd}")
        hint = f"it is imported by {sys.executable} in {self._cwd}"
        self._start(f"python:{self._target}:{self._function}", hint)

    def command_line(self, *, check: bool = False) -> str:
        """A line that prints the document; comparing is the adapter's own, so `check` makes no difference."""
        del check
        first, *rest = self._function.split(".")
        if self._file is None:
            code = f"import json, pathlib, sys; from {self._target} import {first}; "
            return pasted([sys.executable, "-c", code + _CALL.format(call=self._function), ROOT])
        code = f"import json, pathlib, runpy, sys; module = runpy.run_path({str(self._file)!r}); "
        call = ".".join([f"module[{first!r}]", *rest])
        line = pasted([sys.executable, "-c", code + _CALL.format(call=call), ROOT])
        return f"PYTHONPATH={shlex.quote(str(self._file.parent))} {line}"

    def _start_worker(self, program: Program) -> _Host:
        child = self._children.start(program, stdin=True, reply=True, bound=self._bound)
        return _Host(self._children, child)

    def _greet(self, worker: _Host) -> None:
        error = _said(worker.ask(json.dumps({"call": "hello"}), self._start_timeout))["error"]
        if error:
            raise Broken(died(error))

    def _ask(self, worker: _Host, root: Path, check: bool) -> Answer:
        return worker.compose(root, check, self._timeout)


class _Host(Worker):
    """The kit's side of `python_host.py`. The process group of a call ends with it."""

    def __init__(self, children: Children, child: Child) -> None:
        super().__init__(children, child, replies=True)
        self._group: int | None = None

    def compose(self, root: Path, check: bool, timeout: float) -> Answer:
        deadline = time.monotonic() + timeout
        self._group = None
        request = {"call": "compose", "root": str(root), "check": check, "output": _output(root)}
        self._group = _said(self.ask(json.dumps(request), timeout))["pid"]
        status = _said(self.listen(deadline, timeout))["status"]
        self.child.drain()
        if self.child.full:
            raise self.flooded()
        stdout, stderr = text(self.child.out), text(self.child.err)
        if status < 0:
            return Answer(Ending.DIED, None, stdout, stderr, how_ended(status))
        return Answer(Ending.EXITED, status, stdout, stderr)

    def dismiss(self) -> None:
        self._kill_group()
        super().dismiss()

    def end(self) -> None:
        if self._group is not None:
            self.dismiss()
            self.child.settle(time.monotonic() + _FAREWELL)
        self.child.kill()
        self.child.settle(time.monotonic() + _KILLED)
        for line in self.child.reply.splitlines():  # a call that had begun without anybody hearing of it
            self._group = _said(line).get("pid")
            self._kill_group()
        super().end()

    def _kill_group(self) -> None:
        """Kill the group of the last call, whose leader the host doesn't reap before `dismiss`."""
        if self._group is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._group, signal.SIGKILL)
            self._group = None


def _output(root: Path) -> str:
    """Where the checkout's configuration wants the document, as far as it can be read."""
    try:
        document = yaml.safe_load((root / "gateway-composition.yaml").read_bytes())
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return DEFAULT_OUTPUT
    output = document.get("output") if isinstance(document, dict) else None
    return output if isinstance(output, str) and output else DEFAULT_OUTPUT


def _said(line: bytes | bytearray) -> dict[str, Any]:
    return dict(json.loads(line))
