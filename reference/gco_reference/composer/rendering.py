"""The composed document as text: keys sorted, indented by two, ASCII, one newline at the end.

Contract section 5. The text is the one of `json.dumps(document, indent=2, sort_keys=True)`, which takes three
times as long: with an indent it hands each token through a generator for each level.
"""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from gco_reference.composer.errors import ComposeError

_WORDS = {None: "null", True: "true", False: "false"}


def render(document: dict[str, Any]) -> str:
    """The text of the document; equal documents have equal texts."""
    pieces: list[str] = []
    try:
        _write(document, "\n", pieces.append)
    except RecursionError:
        raise ComposeError("a document is nested too deeply to be written") from None
    pieces.append("\n")
    return "".join(pieces)


def _write(value: Any, line: str, write: Callable[[str], None]) -> None:
    """Writes `value`, whose lines begin with `line` (a newline and the indent)."""
    kind = type(value)
    if kind is str:
        write(quoted(value))
    elif kind is dict:
        _write_object(value, line, write)
    elif kind is list:
        _write_list(value, line, write)
    elif value is None or kind is bool:
        write(_WORDS[value])
    else:
        write(repr(value))


def _write_object(value: dict[str, Any], line: str, write: Callable[[str], None]) -> None:
    if not value:
        write("{}")
        return
    deeper = line + "  "
    before = "{" + deeper
    for key in sorted(value):
        member = value[key]
        if type(member) is str:  # most members are: this saves them a call
            write(f"{before}{quoted(key)}: {quoted(member)}")
        else:
            write(f"{before}{quoted(key)}: ")
            _write(member, deeper, write)
        before = "," + deeper
    write(line + "}")


def _write_list(value: list[Any], line: str, write: Callable[[str], None]) -> None:
    if not value:
        write("[]")
        return
    deeper = line + "  "
    before = "[" + deeper
    for item in value:
        write(before)
        _write(item, deeper, write)
        before = "," + deeper
    write(line + "]")
