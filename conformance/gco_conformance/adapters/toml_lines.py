"""Where in a TOML file a key stands: the standard library's reader doesn't say."""

from __future__ import annotations

import re

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")


def line_of(text: str, where: tuple[str | int, ...]) -> int | None:
    """The line (from 1) of a place such as `("unsupported", 0, "issue")`, or of its table if it isn't there.

    Knows tables under a plain header and keys on a line of their own, which is how people write such files.
    """
    table, index, key = _target(where)
    wanted = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*=""")
    current, count, header = "", 0, None
    for number, line in enumerate(text.splitlines(), 1):
        found = _HEADER.match(line)
        if found:
            current = found[2].strip("\"'")
            count += current == table
            if current == table and count == index + 1:
                header = number
        else:
            within = current == table and count == index + 1 if len(where) > 1 else not current
            if key and within and wanted.match(line):
                return number
    return header


def _target(where: tuple[str | int, ...]) -> tuple[str, int, str]:
    """The table, which of several of that name, and the key: of one name alone it isn't known which it is."""
    match where:
        case (str(table), int(index), *rest):
            return table, index, str(rest[0]) if rest else ""
        case (str(table), str(key), *_):
            return table, 0, key
        case (str(name),):
            return name, 0, name
    return "", 0, ""
