"""Reading the checkout's text files, with every failure said in one line."""

from __future__ import annotations

from pathlib import Path

from gco_reference.composer.errors import ComposeError
from gco_reference.composer.node import Node


def read_text(root: Path, name: str, named_by: Node | None = None) -> str:
    """The UTF-8 text of the file `name` (relative to `root`), without a byte order mark.

    `named_by` is the place in the configuration that names the file, where to look when there is none.
    """
    try:
        data = (root / name).read_bytes()
    except FileNotFoundError:
        raise _missing(name, named_by) from None
    except IsADirectoryError:
        raise ComposeError("a directory, where a file is expected", name) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL character
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ComposeError(f"can't be read: {reason}", name) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ComposeError("isn't UTF-8", name, line) from None


def _missing(name: str, named_by: Node | None) -> ComposeError:
    if named_by is None:
        return ComposeError("no such file", name)
    return named_by.error(f"{name}: no such file")
