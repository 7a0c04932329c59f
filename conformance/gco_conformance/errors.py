"""The errors that a person who uses the kit can meet: one line, with the place and the remedy."""

from __future__ import annotations


class KitError(Exception):
    """Something that stops the kit. `message` says what and where, `hint` what to do ("" for nothing)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.message}; {self.hint}" if self.hint else self.message
        return " ".join(text.split())


class UsageError(KitError):
    """The kit was asked for something that it can't do. The command line ends with exit status 2."""
