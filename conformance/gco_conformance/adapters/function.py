"""What a Lambda function under test is to the kit: something that starts cold, is invoked, and returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gco_conformance.adapters.answer import Ending, Identity


@dataclass(frozen=True)
class Invocation:
    """How one invocation ended.

    `payload` is what the function returned, as JSON has it, when it returned something (`ending` is EXITED and
    `error` is empty); `error` is what Lambda would log otherwise: an error that the function raised or reported,
    an answer that isn't JSON, an exit. `seconds` are real seconds from the event to the answer.
    """

    ending: Ending
    payload: Any
    error: str
    seconds: float


class Instance(Protocol):
    """One execution environment: a process that has started cold and keeps what it caches."""

    def invoke(self, event: Mapping[str, Any], *, time_limit: float = 30.0) -> Invocation:
        """Hand over an API Gateway proxy event; wait for the answer, `time_limit` real seconds at most."""

    def freeze(self) -> None:
        """Stop the process as it is between two invocations, as Lambda does. Nothing, where it isn't the kit's."""

    def thaw(self) -> None:
        """Let it go on."""

    def log(self) -> str:
        """What the process printed so far, bounded."""

    def close(self) -> None:
        """End the process, and all that it started."""


class Function(Protocol):
    """A function under test, whatever its language. Instances may be started from several threads at once."""

    @property
    def door(self) -> str:
        """How it is plugged in: "python", "runtime", "http" or "rie"."""

    @property
    def moves_time(self) -> str:
        """Why the clock of its processes can't be moved, empty when it can."""

    @property
    def starts_cold(self) -> str:
        """Why a new execution environment can't be had, empty when it can."""

    @property
    def identity(self) -> Identity: ...

    def start(self) -> None:
        """Make ready what instances share. Raises `StartError`."""

    def cold(self, environment: Mapping[str, str], clock_file: Path) -> Instance:
        """Start an execution environment.

        `environment` is the whole environment of its process but for what Lambda itself sets; `clock_file` holds
        by how many seconds its clocks are ahead, as `+300.000000`, and may change between invocations.
        Raises `StartError`.
        """

    def close(self) -> None:
        """End everything that was started."""
