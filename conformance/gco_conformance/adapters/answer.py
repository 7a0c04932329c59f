"""What an implementation under test is to the kit: something that is asked and that answers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

from gco_conformance.errors import KitError

NO_ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType({})


class Ending(enum.Enum):
    """How a call to an implementation ended."""

    EXITED = "exited"
    """It answered: with an exit status, or with a message that carries one."""
    HUNG = "hung"
    """It didn't answer within the time limit and was killed."""
    BABBLED = "babbled"
    """It printed more than the output bound and was killed."""
    DIED = "died"
    """A signal ended it, or a long-lived process went away or broke the protocol."""


@dataclass(frozen=True)
class Answer:
    """What one call gave.

    `exit` is the exit status, `None` unless the call exited; `detail` is one line about any other ending,
    such as "no answer within 10 s".
    """

    ending: Ending
    exit: int | None
    stdout: str
    stderr: str
    detail: str = ""


@dataclass(frozen=True)
class Identity:
    """Who an implementation says it is. Empty text where it doesn't say."""

    name: str = ""
    version: str = ""
    language: str = ""
    homepage: str = ""


class StartError(KitError):
    """An implementation can't be started. `message` says why, `hint` what to do."""


class Composer(Protocol):
    """A composer under test, whatever its language. `compose` may be called from several threads at once."""

    @property
    def door(self) -> str:
        """How it is plugged in: "command", "python" or "stdio"."""

    @property
    def has_command_line(self) -> bool:
        """Whether exit status, standard output and `--check` are the implementation's own."""

    @property
    def identity(self) -> Identity: ...

    def start(self) -> None:
        """Make it ready to be asked. Raises `StartError`."""

    def compose(
        self,
        root: Path,
        *,
        check: bool = False,
        fresh: bool = False,
        environment: Mapping[str, str] = NO_ENVIRONMENT,
        file_size_limit: int | None = None,
    ) -> Answer:
        """Compose the checkout at `root`, or with `check` only compare.

        `fresh` asks a process that has done nothing before; `environment` (added to its own) and
        `file_size_limit` (bytes that it may write to one file) imply it.
        """

    def command_line(self, *, check: bool = False) -> str:
        """The shell line with which a person repeats the call, for the checkout in `$root`."""

    def close(self) -> None:
        """End everything that was started."""
