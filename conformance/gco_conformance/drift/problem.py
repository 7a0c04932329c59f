"""What can't be read: it is said in one line with its place, and the rest is still checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gco_conformance.drift.place import Place


@dataclass(frozen=True)
class Problem:
    """Input that the gate can't use. `message` says what is wrong, `remedy` what to do ("" for nothing)."""

    place: Place
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.message}; {self.remedy}" if self.remedy else self.message
        return f"{self.place}: {' '.join(text.split())}"


class Unusable(Exception):
    """Raised by readers for a part that they can't use; whoever can go on without the part catches it."""

    def __init__(self, place: Place, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.problem = Problem(place, message, remedy)


@contextmanager
def kept_in(problems: list[Problem]) -> Iterator[None]:
    """Go on after the block when a part turns out to be unusable, and keep what was wrong with it."""
    try:
        yield
    except Unusable as error:
        problems.append(error.problem)
