"""A requirement that an implementation was seen to break."""

from __future__ import annotations

import json
from typing import Any, Protocol

LONGEST = 100_000
"""Reports for programs have values in full, up to this; those for people cut them."""


class Evidence(Protocol):
    """What was seen, as far as a report needs it."""

    @property
    def reproduction(self) -> str:
        """A shell script that a person can paste to see it again."""


class Violation(AssertionError):
    """What was expected, what was seen instead, and on which call."""

    def __init__(
        self,
        message: str,
        *,
        expected: Any = None,
        actual: Any = None,
        observation: Evidence | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.expected = shown(expected)
        self.actual = shown(actual)
        self.observation = observation


class NotTested(Exception):
    """Something that can't be tested here. The message says why."""


def shown(value: Any) -> str | None:
    """A value as a person reads it: text as it is, other values as JSON, shortened."""
    if value is None or isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, indent=2, sort_keys=True, default=repr)
    if text is not None and len(text) > LONGEST:
        return f"{text[:LONGEST]} … ({len(text) - LONGEST} characters more)"
    return text
