"""The time budget: one deadline for an invocation, handed down to everything that waits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

INVOCATION = 25.0  # seconds in all (contract section 5); API Gateway itself waits for 29
RESERVE = 1.5  # seconds kept back to merge, to write the answer and to return it


class Context(Protocol):
    """What is used of Lambda's context object."""

    def get_remaining_time_in_millis(self) -> int: ...


@dataclass(frozen=True)
class Deadline:
    """A point of the monotonic clock, in seconds."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def at_most(self, seconds: float) -> Deadline:
        """This deadline, or the one that is `seconds` from now if that comes first."""
        return Deadline(min(self.at, time.monotonic() + seconds))

    def remaining(self) -> float:
        """Seconds that are left, 0.0 when none are."""
        return max(0.0, self.at - time.monotonic())

    def time_out(self) -> float:
        """Seconds that are left, for a socket. Raises `TimeoutError` when none are: 0 would mean "don't wait"."""
        remaining = self.remaining()
        if remaining == 0.0:
            raise TimeoutError("the time budget is used up")
        return remaining


def of_invocation(context: Context | None) -> Deadline:
    """When the regions' answers must be in: before the 25 s and before Lambda ends the function."""
    available = INVOCATION
    if context is not None:
        available = min(available, context.get_remaining_time_in_millis() / 1000)
    return Deadline.after(available - min(RESERVE, available / 4))
