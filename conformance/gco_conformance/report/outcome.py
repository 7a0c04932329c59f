"""How a requirement, or one check of it, came out."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """The five outcomes. Only a whole requirement, never a single check, is an expected failure."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_TESTED = "not-tested"
    EXPECTED_FAILURE = "expected-failure"
    ERROR = "error"
    """The kit, or the start of the implementation, broke: nothing is known about the requirement."""
