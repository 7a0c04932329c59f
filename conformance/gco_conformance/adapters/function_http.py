"""`http:COMMAND`, `http:URL` and `rie:URL`: an aggregator that listens on a port.

An `http:` aggregator is an HTTP server: it gets the plain request that the event stands for, and its response
is taken for the function's result. COMMAND, split like a shell line but run without a shell, starts it for each
cold start, assignments may stand before it, and `{port}` is replaced in all of them:
`http:PORT={port} node server.mjs`. A URL names one that runs already, which can't be given an environment, nor a
clock, nor a cold start. `rie:URL` is a Runtime Interface Emulator that runs already, and gets the event itself.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.child import Program
from gco_conformance.adapters.command import check_program
from gco_conformance.adapters.execution_environment import ExecutionEnvironment, Lost
from gco_conformance.adapters.function import Invocation
from gco_conformance.adapters.function_answer import (
    RESPONSE_BOUND,
    exit_error,
    failed,
    judged,
    lambda_environment,
    reported,
    too_large,
)
from gco_conformance.adapters.http_exchange import HttpRequest, Url, exchange, request_of, result_of
from gco_conformance.adapters.instances import Instances
from gco_conformance.adapters.launched import Launched
from gco_conformance.adapters.process import Children, Stopped, no_answer
from gco_conformance.adapters.program_clock import ProgramClock, clock_of

PORT: Final = "{port}"
RIE_PATH: Final = "/2015-03-31/functions/function/invocations"
_LOOK: Final = 0.01
_CONNECT: Final = 1.0
_LAST_WORDS: Final = 0.5


class ServingFunction:
    """Runs the server `argv` in `cwd` for each cold start, with `assignments` added to its environment.

    `timeout` is the seconds until it must accept connections.
    """

    door = "http"
    starts_cold = ""
    identity = Identity()

    def __init__(self, argv: Sequence[str], *, assignments: Mapping[str, str], timeout: float, cwd: Path) -> None:
        self._argv = tuple(argv)
        self._assignments = dict(assignments)
        self._timeout = timeout
        self._cwd = cwd
        self._clock = ProgramClock(reason="the function hasn't been started")
        self._children = Children()
        self._instances = Instances()

    @property
    def moves_time(self) -> str:
        """Why its clock can't be moved: see `Function.moves_time`. Known after `start`."""
        return self._clock.reason

    def start(self) -> None:
        """Find the program, and how its clock is moved. Raises `StartError`."""
        check_program(self._argv[0], self._cwd)
        self._clock = clock_of(self._argv, self._cwd)
        self._instances.begin()

    def cold(self, environment: Mapping[str, str], clock_file: Path) -> ServingInstance:
        """Start a server: see `Function.cold`."""
        home = self._instances.new_folder()
        port = _free_port()
        argv = [word.replace(PORT, str(port)) for word in self._argv]
        given = lambda_environment(environment, task_root=self._cwd, home=home)
        given |= {name: value.replace(PORT, str(port)) for name, value in self._assignments.items()}
        given |= self._clock.environment(clock_file, given)
        instance = ServingInstance(home, self._timeout, port)
        try:
            instance.launch(self._children, Program(self._clock.command(argv), self._cwd, given, inherits=False))
        except (OSError, Stopped) as error:
            instance.close()
            reason = (isinstance(error, OSError) and error.strerror) or "the run was stopped"
            raise StartError(f"{argv[0]} can't be run: {reason}") from None
        self._instances.add(instance)
        return instance

    def close(self) -> None:
        """End all servers: see `Function.close`."""
        self._instances.close()
        self._children.close()


class ServingInstance(ExecutionEnvironment):
    """A server that the kit has started."""

    def __init__(self, home: Path, timeout: float, port: int) -> None:
        super().__init__(home, timeout)
        self._urls = [Url("http", host, port) for host in ("127.0.0.1", "::1")]
        self._launched: Launched | None = None
        self._gone = threading.Event()
        self._end = Lost(Ending.DIED, "")
        self._ready = False

    def launch(self, children: Children, program: Program) -> None:
        """Start the process. Raises `OSError` and `Stopped`."""
        mark = program.environment["AWS_LAMBDA_LOG_STREAM_NAME"]
        self._launched = Launched(children, program, mark, self._ended)

    def log(self) -> str:
        """What the process printed so far, bounded."""
        return self._launched.log() if self._launched is not None else ""

    def _ended(self, ending: Ending, how: str) -> None:
        self._end = Lost(ending, how if ending is Ending.BABBLED else exit_error(how))
        self._gone.set()

    def _get_ready(self, deadline: float, late: str) -> None:
        while not self._ready:
            for url in self._urls:
                with suppress(OSError), socket.create_connection((url.host, url.port), timeout=_CONNECT):
                    self._ready, self._urls = True, [url]
                    break
            if self._gone.wait(0 if self._ready else _LOOK):
                raise self._end
            if not self._ready and time.monotonic() > deadline:
                raise Lost(Ending.HUNG, late)

    def _ask(self, event: Mapping[str, Any], time_limit: float) -> Invocation:
        began = time.monotonic()
        try:
            return _served(self._urls[0], request_of(event), time_limit)
        except TimeoutError:
            raise Lost(Ending.HUNG, no_answer(time_limit)) from None
        except (OSError, http.client.HTTPException) as error:
            if self._gone.wait(_LAST_WORDS):
                raise self._end from None
            return failed(_broken(error), time.monotonic() - began, Ending.DIED)

    def _kill(self) -> None:
        if self._launched is not None:
            self._launched.close()

    def _signal(self, number: int) -> None:
        if self._launched is not None:
            self._launched.signal(number)

    def _release(self) -> None:
        self._ready = False


class RunningFunction:
    """A server at `url` that somebody else runs; `door` says which kind, "http" or "rie"."""

    moves_time = "it runs already, with a clock of its own"
    starts_cold = "it runs already, with an environment of its own"
    identity = Identity()

    def __init__(self, door: str, url: Url, *, timeout: float) -> None:
        self.door = door
        self._url = url
        self._timeout = timeout

    def start(self) -> None:
        """See whether it accepts connections. Raises `StartError`."""
        try:
            with socket.create_connection((self._url.host, self._url.port), timeout=self._timeout):
                return
        except OSError as error:
            place = f"{self._url.host}:{self._url.port}"
            reason = error.strerror or str(error)
            raise StartError(f"nothing answers at {place}: {reason}", "start the aggregator first") from None

    def cold(self, environment: Mapping[str, str], clock_file: Path) -> RunningInstance:
        """The server as it is, whatever was asked of it before; neither argument has an effect."""
        del environment, clock_file
        return RunningInstance(self._url, is_emulator=self.door == "rie")

    def close(self) -> None:
        """Nothing: it isn't the kit's to end."""


class RunningInstance:
    """A server that the kit hasn't started: see `Instance`."""

    def __init__(self, url: Url, *, is_emulator: bool) -> None:
        self._url = url
        self._is_emulator = is_emulator

    def invoke(self, event: Mapping[str, Any], *, time_limit: float = 30.0) -> Invocation:
        """Hand over an event: see `Instance.invoke`."""
        began = time.monotonic()
        try:
            if self._is_emulator:
                return _emulated(self._url, event, time_limit)
            return _served(self._url, request_of(event), time_limit)
        except TimeoutError:
            return failed(no_answer(time_limit), time.monotonic() - began, Ending.HUNG)
        except (OSError, http.client.HTTPException) as error:
            return failed(_broken(error), time.monotonic() - began, Ending.DIED)

    def freeze(self) -> None:
        """Nothing: it isn't the kit's to stop."""

    def thaw(self) -> None:
        """Nothing, as well."""

    def log(self) -> str:
        """Nothing: its output isn't the kit's to see."""
        return ""

    def close(self) -> None:
        """Nothing: it isn't the kit's to end."""


def _served(url: Url, request: HttpRequest, time_limit: float) -> Invocation:
    began = time.monotonic()
    response = exchange(url, request, time_limit=time_limit, bound=RESPONSE_BOUND)
    seconds = time.monotonic() - began
    if len(response.body) > RESPONSE_BOUND:
        return failed(too_large(len(response.body)), seconds)
    return Invocation(Ending.EXITED, result_of(response), "", seconds)


def _emulated(url: Url, event: Mapping[str, Any], time_limit: float) -> Invocation:
    """An emulator answers 200 to everything: an error is told by the form of the answer."""
    began = time.monotonic()
    headers = (("Content-Type", "application/json"),)
    target = "" if url.base.endswith(RIE_PATH) else RIE_PATH
    request = HttpRequest("POST", target, headers, json.dumps(event).encode())
    response = exchange(url, request, time_limit=time_limit, bound=RESPONSE_BOUND)
    told = judged(response.body, time.monotonic() - began)
    if response.status != http.HTTPStatus.OK:
        return failed(f"the emulator answered HTTP {response.status}", told.seconds)
    match told.payload:
        case {"errorMessage": message, **rest} if "statusCode" not in rest:
            return failed(reported(rest.get("errorType"), message), told.seconds)
    return told


def _broken(error: Exception) -> str:
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    return " ".join(f"no HTTP response: {type(error).__name__}: {said}".split())


def _free_port() -> int:
    with socket.socket() as finder:
        finder.bind(("127.0.0.1", 0))
        return int(finder.getsockname()[1])
