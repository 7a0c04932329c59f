"""JSON as RFC 8259 means it: no NaN, no number that can't be kept, no key twice (contract section 4)."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from gco_reference.composer.errors import ComposeError

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\n]', re.DOTALL)


class _RefusedError(Exception):
    """What the hooks raise, to leave the parser."""


class _DuplicateKeyError(_RefusedError):
    """The same key twice in one object."""


def parse(text: str, file: str) -> Any:
    """The JSON value that `text` says. `file` is for the error's sake."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_float, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ComposeError(f"isn't valid JSON: {error.msg} (column {error.colno})", file, error.lineno) from None
    except _DuplicateKeyError as error:
        key, line = _first_duplicate(text)
        raise ComposeError(f"{error}: {key}", file, line) from None
    except _RefusedError as error:
        raise ComposeError(str(error), file) from None
    except RecursionError:
        raise ComposeError("is nested too deeply", file) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateKeyError("an object has the same key twice")
    return members


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _RefusedError(f"the number {text} is too large to be kept")
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise _RefusedError(f"isn't valid JSON: {text} is no JSON number")


def _first_duplicate(text: str) -> tuple[str, int]:
    """The first key (as it is written) that its object already has, and its line."""
    line = 1
    objects: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[0] == "\n":
            line += 1
        elif token[0] == "{":
            objects.append(set())
        elif token[0] == "}":
            objects.pop()
        elif token[2] is not None:
            key = json.loads(f'"{token[1]}"')
            if key in objects[-1]:
                return f'"{token[1]}"', line
            objects[-1].add(key)
            line += token[2].count("\n")
    raise AssertionError("only asked about a text that has a duplicate key")
