"""`python:MODULE_OR_FILE:HANDLER`: a Lambda handler in Python, without a runtime client.

`function_python_host.py` has boto3, botocore and urllib3 imported already, the kit's own, and forks a process
for each cold start, in which the handler is imported afresh. Its clocks are moved by `moved_clock`.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.child import Child, Program
from gco_conformance.adapters.confined import VARIABLE as LOOK_UPS
from gco_conformance.adapters.execution_environment import ExecutionEnvironment, Lost
from gco_conformance.adapters.forked import Forked
from gco_conformance.adapters.function import Invocation
from gco_conformance.adapters.function_answer import (
    RESPONSE_BOUND,
    exit_error,
    failed,
    function_arn,
    judged,
    lambda_environment,
    moved_now,
    new_request_id,
    too_large,
)
from gco_conformance.adapters.instances import Instances
from gco_conformance.adapters.moved_clock import FOLDER
from gco_conformance.adapters.process import Children, how_ended, no_answer, text
from gco_conformance.adapters.strays import kill_strays

_HOST: Final = Path(__file__).with_name("function_python_host.py")
_TALK: Final = 30.0
_PACKET: Final = 4096


class PythonFunction:
    """A handler, `target` being a module's name or a file, from `cwd` if relative.

    `timeout` is the seconds in which the host, and then each instance, must be ready.
    """

    door = "python"
    moves_time = ""
    starts_cold = ""
    identity = Identity(language="Python")

    def __init__(self, target: str, handler: str, *, timeout: float, cwd: Path) -> None:
        self._file = cwd / target if target.endswith(".py") else None
        self._target = target
        self._handler = handler
        self._timeout = timeout
        self._cwd = cwd
        self._children = Children()
        self._instances = Instances()
        self._host: _Host | None = None

    def start(self) -> None:
        """Import the libraries, not the handler. Raises `StartError`."""
        if self._file is not None and not self._file.is_file():
            raise StartError(f"there is no file {self._target}", f"relative paths start from {self._cwd}")
        self._instances.begin()
        try:
            self._host = _Host(self._children, self._program())
            self._host.greet(self._timeout)
        except StartError as error:
            self.close()
            raise StartError(f"python:{self._target}:{self._handler}: {error.message}", error.hint) from None

    def _program(self) -> Program:
        """What the host is; it is given a control socket's descriptor as well."""
        argv = (sys.executable, "-P", str(_HOST), str(self._file or self._target), self._handler)
        return Program(argv, self._cwd, _environment(), inherits=False)

    def cold(self, environment: Mapping[str, str], clock_file: Path) -> PythonInstance:
        """Fork an environment: see `Function.cold`. It is confined if `environment` says to what look-ups."""
        if self._host is None:
            raise StartError("the function hasn't been started")
        root = self._file.parent if self._file is not None else self._cwd
        home = self._instances.new_folder()
        own = {name: value for name, value in environment.items() if name != LOOK_UPS}
        start = {
            "environment": lambda_environment(own, task_root=root, home=home),
            "look_ups": environment.get(LOOK_UPS, ""),
            "clock_file": str(clock_file),
            "cwd": str(root),
            "bytecode": str(self._instances.folder / "bytecode"),
            "bound": RESPONSE_BOUND,
        }
        instance = PythonInstance(self._host, start, home=home, timeout=self._timeout)
        self._instances.add(instance)
        return instance

    def close(self) -> None:
        """End all instances and the host: see `Function.close`."""
        self._instances.close()
        if self._host is not None:
            self._host.close()
        self._children.close()


class PythonInstance(ExecutionEnvironment):
    """A fork of the host."""

    def __init__(self, host: _Host, start: Mapping[str, Any], *, home: Path, timeout: float) -> None:
        super().__init__(home, timeout)
        self._host = host
        self._clock_file = Path(start["clock_file"])
        self._arn = function_arn(start["environment"]["AWS_REGION"])
        self._mark: str = start["environment"]["AWS_LAMBDA_LOG_STREAM_NAME"]
        self._killing = threading.Lock()
        self._killed = False
        self._status: int | None = None
        self._ready = False
        self._process = Forked(host.fork)
        self._process.send(json.dumps(start))

    def log(self) -> str:
        """What the process printed so far, bounded."""
        if self._lock.acquire(blocking=False):
            try:
                self._process.drain()
            finally:
                self._lock.release()
        return self._process.printed()

    def _get_ready(self, deadline: float, late: str) -> None:
        if self._ready:
            return
        said = self._heard(deadline, late)
        if "error" in said:
            raise Lost(Ending.EXITED, said["error"])
        self._ready = True

    def _ask(self, event: Mapping[str, Any], time_limit: float) -> Invocation:
        began = time.monotonic()
        request = {
            "event": event,
            "id": new_request_id(),
            "arn": self._arn,
            "deadline": moved_now(self._clock_file) + time_limit,
        }
        self._process.send(json.dumps(request))
        said = self._heard(began + time_limit, no_answer(time_limit))
        seconds = time.monotonic() - began
        if "size" in said:
            return failed(too_large(said["size"]), seconds)
        return failed(said["error"], seconds) if "error" in said else judged(said["answer"].encode(), seconds)

    def _heard(self, deadline: float, late: str) -> dict[str, Any]:
        try:
            return dict(json.loads(self._process.listen(deadline, late)))
        except Lost as lost:
            if lost.detail:
                raise
            self._kill()
            raise Lost(Ending.DIED, exit_error(how_ended(self._status))) from None

    def _kill(self) -> None:
        with self._killing:
            if self._killed:
                return
            self._killed = True
            self._status = self._host.reap(self._process.pid)
        kill_strays(self._mark)

    def _signal(self, number: int) -> None:
        with self._killing, suppress(ProcessLookupError):
            if not self._killed:
                os.killpg(self._process.pid, number)

    def _release(self) -> None:
        self._process.close()


class _Host:
    """The kit's side of `function_python_host.py`. Any thread may ask it."""

    def __init__(self, children: Children, program: Program) -> None:
        self._children = children
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            argv = (*program.argv, str(theirs.fileno()))
            try:
                self._child: Child = children.start(
                    Program(argv, program.cwd, program.environment, inherits=False, descriptors=(theirs.fileno(),))
                )
            except OSError as error:
                self._control.close()
                raise StartError(f"{argv[0]} can't be run: {error.strerror}") from None

    def greet(self, timeout: float) -> None:
        """Wait until the libraries are imported. Raises `StartError`."""
        self._control.settimeout(timeout)
        try:
            said = self._heard()
        except TimeoutError:
            raise StartError(f"its libraries weren't imported within {timeout:g} s") from None
        if "error" in said:
            raise StartError(said["error"], f"it is imported by {sys.executable}")
        self._control.settimeout(_TALK)

    def fork(self, descriptors: tuple[int, int, int]) -> int:
        """The process id of a new environment, which has these ends of its pipes. Raises `StartError`."""
        try:
            return int(self._asked({"call": "fork"}, descriptors)["pid"])
        except OSError as error:
            raise StartError(f"the process that forks instances is gone: {error}") from None

    def reap(self, pid: int) -> int | None:
        """Kill an environment with its group; its exit status, `None` if it can't be had."""
        with suppress(OSError, StartError):
            status = self._asked({"call": "reap", "pid": pid})["status"]
            return None if status is None else int(status)
        return None

    def _asked(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        packet = json.dumps(request).encode()
        with self._lock:
            try:
                socket.send_fds(self._control, [packet], descriptors)
                return self._heard()
            except BaseException:  # an answer may be left over: what the host has is ended by the hang-up
                self._control.close()
                raise

    def close(self) -> None:
        with self._lock:
            self._control.close()
        self._child.settle(time.monotonic() + 1.0)
        self._children.end(self._child)

    def _heard(self) -> dict[str, Any]:
        packet = self._control.recv(_PACKET)
        if packet:
            return dict(json.loads(packet))
        self._child.pump(time.monotonic() + 1.0)
        self._child.drain()
        last = text(self._child.err).strip().splitlines()[-1:]
        raise StartError(f"the process that forks instances ended{': ' if last else ''}{''.join(last)}")


def _environment() -> dict[str, str]:
    """The host's own environment. boto3 must find nobody's configuration while it is imported."""
    paths = [str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths),
        "LANG": "C.UTF-8",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
