"""`runtime:COMMAND`: a program that speaks the AWS Lambda Runtime API, as it is deployed, whatever its language.

COMMAND is split like a shell line, but no shell runs it. Assignments may stand before it, as in
`runtime:_HANDLER=app.handler NODE_OPTIONS=--use-openssl-ca node bootstrap.mjs`; without one, `_HANDLER` is the
last word of COMMAND, as it is for Lambda's container images.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.child import Program
from gco_conformance.adapters.command import check_program
from gco_conformance.adapters.execution_environment import ExecutionEnvironment, Lost
from gco_conformance.adapters.function import Invocation
from gco_conformance.adapters.function_answer import exit_error, function_arn, lambda_environment, moved_now
from gco_conformance.adapters.instances import Instances
from gco_conformance.adapters.launched import Launched
from gco_conformance.adapters.process import Children, Stopped
from gco_conformance.adapters.program_clock import ProgramClock, clock_of
from gco_conformance.adapters.runtime_api import RuntimeApi


class RuntimeFunction:
    """Runs `argv` in `cwd` for each cold start, with `assignments` added to its environment.

    `timeout` is the seconds until it must ask for its first event.
    """

    door = "runtime"
    starts_cold = ""
    identity = Identity()

    def __init__(self, argv: Sequence[str], *, assignments: Mapping[str, str], timeout: float, cwd: Path) -> None:
        self._argv = tuple(argv)
        self._assignments = {"_HANDLER": self._argv[-1], **assignments}
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

    def cold(self, environment: Mapping[str, str], clock_file: Path) -> RuntimeInstance:
        """Start a process: see `Function.cold`."""
        home = self._instances.new_folder()
        instance = RuntimeInstance(home, self._timeout, None if self.moves_time else clock_file)
        given = lambda_environment(environment, task_root=self._cwd, home=home)
        given |= {"AWS_LAMBDA_RUNTIME_API": instance.address, **self._assignments}
        given |= self._clock.environment(clock_file, given)
        try:
            instance.launch(
                self._children, Program(self._clock.command(self._argv), self._cwd, given, inherits=False)
            )
        except (OSError, Stopped) as error:
            instance.close()
            reason = (isinstance(error, OSError) and error.strerror) or "the run was stopped"
            raise StartError(f"{self._argv[0]} can't be run: {reason}") from None
        self._instances.add(instance)
        return instance

    def close(self) -> None:
        """End all processes: see `Function.close`."""
        self._instances.close()
        self._children.close()


class RuntimeInstance(ExecutionEnvironment):
    """A process and the Runtime API that it talks to. Without `clock_file`, it has real time."""

    def __init__(self, home: Path, timeout: float, clock_file: Path | None) -> None:
        super().__init__(home, timeout)
        self._clock_file = clock_file
        self._api = RuntimeApi()
        self._arn = ""
        self._launched: Launched | None = None

    @property
    def address(self) -> str:
        """What `AWS_LAMBDA_RUNTIME_API` is to be."""
        return self._api.address

    def launch(self, children: Children, program: Program) -> None:
        """Start the process. Raises `OSError` and `Stopped`."""
        self._arn = function_arn(program.environment["AWS_REGION"])
        mark = program.environment["AWS_LAMBDA_LOG_STREAM_NAME"]
        self._launched = Launched(children, program, mark, self._ended)

    def log(self) -> str:
        """What the process printed so far, bounded."""
        return self._launched.log() if self._launched is not None else ""

    def _ended(self, ending: Ending, how: str) -> None:
        detail = how if ending is Ending.BABBLED else exit_error(how)
        self._api.gone(Lost(ending, detail))

    def _get_ready(self, deadline: float, late: str) -> None:
        self._api.wait_until_ready(deadline, late)

    def _ask(self, event: Mapping[str, Any], time_limit: float) -> Invocation:
        now = time.time() if self._clock_file is None else moved_now(self._clock_file)
        return self._api.invoke(event, arn=self._arn, now=now, time_limit=time_limit)

    def _kill(self) -> None:
        if self._launched is not None:
            self._launched.close()

    def _signal(self, number: int) -> None:
        if self._launched is not None:
            self._launched.signal(number)

    def _release(self) -> None:
        self._api.close()
