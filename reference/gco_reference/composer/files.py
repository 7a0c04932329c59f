"""Reading the checkout's text files, with every failure said in one line."""

from __future__ import annotations

from pathlib import Path

from gco_reference.composer.errors import ComposeError


def read_text(root: Path, name: str) -> str:
    """The UTF-8 text of the file `name` (relative to `root`), without a byte order mark."""
    try:
        data = (root / name).read_bytes()
    except FileNotFoundError:
        raise ComposeError("no such file", name) from None
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
