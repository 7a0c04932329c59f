"""Where something stands: the one way in which the gate points at a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A place in a file, or in a document that was fetched from a URL.

    Lines and columns count from 1, columns in characters. They are `None` where the document has no lines that
    a person could open. `pointer` is the JSON Pointer (RFC 6901) in a service document, "" in other files.
    """

    file: str
    line: int | None = None
    column: int | None = None
    pointer: str = ""

    def __str__(self) -> str:
        return ":".join([self.file, *(str(number) for number in (self.line, self.column) if number is not None)])


def pointer_to(*tokens: str) -> str:
    """The JSON Pointer that leads through `tokens`."""
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


def pointer_tokens(pointer: str) -> tuple[str, ...]:
    """The tokens that a JSON Pointer leads through."""
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])
