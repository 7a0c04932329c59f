"""One call to a composer and all that could be seen of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from gco_conformance.adapters.answer import Answer, Ending
from gco_conformance.checkouts.checkout import Checkout

ERROR = "ERROR: "
TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Observation:
    """What a composer gave for a checkout.

    `output` are the bytes that stand at the output path afterwards, `None` when there is no such file;
    `changed` are the other files that were changed, made or removed, sorted; `command` is the shell line that
    repeats the call on a checkout in `$root`.
    """

    checkout: Checkout
    answer: Answer
    output: bytes | None
    changed: tuple[str, ...]
    command: str

    @property
    def reproduction(self) -> str:
        """A shell script that repeats the call without this kit."""
        return self.checkout.as_script(self.command)

    @property
    def document(self) -> Any:
        """The composed document, `None` where the output isn't JSON."""
        try:
            return json.loads(self.output or b"")
        except (ValueError, RecursionError):
            return None

    @property
    def is_refusal(self) -> bool:
        """Whether the composer ended by itself, not with success, and said why."""
        answer = self.answer
        ended = answer.ending is Ending.EXITED and answer.exit != 0
        return ended and TRACEBACK not in answer.stderr and bool(self.error_lines())

    def error_lines(self) -> list[str]:
        return [line for line in self.answer.stderr.splitlines() if line.startswith(ERROR)]

    def summary(self) -> str:
        """How the call ended, in a line or a few: what a person would have seen in a terminal."""
        answer = self.answer
        if answer.ending is not Ending.EXITED:
            return answer.detail or answer.ending.value
        written = f"{self.checkout.output} of {len(self.output)} bytes" if self.output else "nothing"
        said = _tail(answer.stderr) or "nothing"
        return f"exit status {answer.exit}; written: {written}; on stderr: {said}"


def _tail(text: str, lines: int = 6) -> str:
    kept = text.strip().splitlines()[-lines:]
    return "\n".join(line[:300] for line in kept)
