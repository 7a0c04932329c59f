"""The one way in which a checkout is refused."""

from __future__ import annotations


class ComposeError(Exception):
    """Input that can't be composed, said in one line that begins with the place.

    `file` is relative to the checkout ("" when the checkout itself is at fault), `line` counts from 1 (`None`
    where a file has no meaningful line).
    """

    def __init__(self, message: str, file: str = "", line: int | None = None) -> None:
        place = file if line is None else f"{file}:{line}"
        text = f"{place}: {message}" if place else message
        super().__init__(" ".join(text.split()))
        self.message = message
        self.file = file
        self.line = line
