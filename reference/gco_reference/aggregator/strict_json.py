"""JSON as RFC 8259 means it, read from anybody and written for everybody."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 100  # what is nested deeper could be read here and not be written again

_SHOWN = 100  # characters of a key that are repeated in a message


class NotJsonError(ValueError):
    """The text isn't JSON that can be kept as it is; the message says why."""


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; bytes are UTF-8. Raises `NotJsonError`, also for numbers that aren't finite,
    for a key that an object has twice and for nesting deeper than `MAX_DEPTH`.
    """
    try:
        if isinstance(text, bytes):  # json.loads would take UTF-16 and UTF-32 as well
            text = text.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_object, parse_float=_float, parse_constant=_refuse_constant)
    except NotJsonError:
        raise
    except ValueError as error:  # also of UTF-8, and of an integer of thousands of digits
        raise NotJsonError(f"isn't JSON: {error}") from None
    except RecursionError:
        raise NotJsonError("is nested too deeply") from None
    if _is_deep(value):
        raise NotJsonError("is nested too deeply")
    return value


def write(value: Any) -> str:
    """The JSON text of a value, ASCII only, so that its size is the same however it is passed on."""
    return json.dumps(value, allow_nan=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotJsonError(f"has the key {_first_repeated(pairs)[:_SHOWN]!r} twice")
    return members


def _first_repeated(pairs: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            break
        seen.add(key)
    return key


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotJsonError("has a number that is too large")
    return number


def _refuse_constant(text: str) -> NoReturn:
    raise NotJsonError(f"has {text}, which isn't JSON")


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
