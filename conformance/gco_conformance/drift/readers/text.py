"""The text of a file or of standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Unusable

STANDARD_INPUT = "<stdin>"


def shown(path: Path) -> str:
    """How a file is named to people and tools: relative to the working directory where it is below it."""
    relative = Path(os.path.relpath(path))
    return os.path.normpath(Path.cwd() / path) if os.pardir in relative.parts else relative.as_posix()


def read_text(path: Path) -> str:
    """The UTF-8 text of a file. Raises `Unusable`."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise Unusable(Place(shown(path)), "there is no such file") from None
    except OSError as error:
        raise Unusable(Place(shown(path)), f"can't be read: {error.strerror}") from None
    return decode(content, shown(path))


def read_standard_input() -> str:
    """All of standard input as UTF-8 text. Raises `Unusable`."""
    if sys.stdin is None or sys.stdin.isatty():
        raise Unusable(
            Place(STANDARD_INPUT),
            "nothing is piped in",
            "such as: helm template . | gco-conformance drift --manifest -",
        )
    return decode(sys.stdin.buffer.read(), STANDARD_INPUT)


def decode(content: bytes, name: str) -> str:
    """`content` as text, without a byte order mark. Raises `Unusable` with the line of the first wrong byte."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unusable(Place(name, line), "isn't UTF-8 text") from None
