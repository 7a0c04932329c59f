"""JSON as it must be: no NaN, no infinity, no key that comes twice. Places are looked up when they are needed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from gco_conformance.drift.place import Place, pointer_tokens
from gco_conformance.drift.problem import Unusable

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
# What a reader wants to know: for each token of a pointer the tokens below it.
_Wanted = dict[str, Any]


def read_json(text: str, file: str, *, written_by_people: bool = True) -> Any:
    """The value that a JSON text holds. Raises `Unusable` with line and column.

    Programs write no key twice, and looking for that takes a third of the time.
    """
    unique = _unique if written_by_people else None
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise Unusable(Place(file, error.lineno, error.colno), f"isn't JSON: {error.msg}") from None
    except _Repeated as error:
        key = json.dumps(error.key, ensure_ascii=False)
        line = _line_of_repetition(text, error.key)
        raise Unusable(Place(file, line), f"isn't usable JSON: the key {key} comes twice in one object") from None
    except ValueError as error:
        raise Unusable(Place(file), f"isn't JSON: {error}") from None
    except RecursionError:
        raise Unusable(Place(file), "isn't usable JSON: it is nested too deeply") from None


def json_places(text: str, pointers: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """Line and column of what each pointer leads to: of the key in an object, of the item in a list.

    Pointers that lead nowhere are left out. `text` must be JSON. Parts that no pointer leads into are skipped
    by the parser itself, so this takes about as long as reading the text.
    """
    wanted: _Wanted = {}
    for pointer in pointers:
        node = wanted
        for token in pointer_tokens(pointer):
            node = node.setdefault(token, {})
    offsets: dict[str, int] = {}
    _scan(text, _after_space(text, 0), wanted, "", offsets)
    return _lines(text, offsets)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Repeated(key)
            seen.add(key)
    return built


class _Repeated(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _line_of_repetition(text: str, key: str) -> int | None:
    """The line of the key's second place, where it stands at two places only."""
    spelled = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
    found = [match.start() for match in spelled.finditer(text)]
    return text.count("\n", 0, found[1]) + 1 if len(found) == 2 else None


def _after_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return offset if match is None else match.end()


def _scan(text: str, offset: int, wanted: _Wanted, pointer: str, found: dict[str, int]) -> int:
    """Note where the wanted parts of the value at `offset` stand, and return where the value ends."""
    if not wanted or text[offset] not in "{[":
        return _DECODER.raw_decode(text, offset)[1]
    is_object = text[offset] == "{"
    index = 0
    offset = _after_space(text, offset + 1)
    while text[offset] not in "}]":
        start = offset
        if is_object:
            token, offset = _DECODER.raw_decode(text, offset)
            offset = _after_space(text, _after_space(text, offset) + 1)
        else:
            token = str(index)
            index += 1
        if token in wanted:
            below = f"{pointer}/{token.replace('~', '~0').replace('/', '~1')}"
            found[below] = start
            offset = _scan(text, offset, wanted[token], below, found)
        else:
            offset = _DECODER.raw_decode(text, offset)[1]
        offset = _after_space(text, offset)
        if text[offset] == ",":
            offset = _after_space(text, offset + 1)
    return offset + 1


def _lines(text: str, offsets: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    places: dict[str, tuple[int, int]] = {}
    line, before = 1, 0
    for pointer, offset in sorted(offsets.items(), key=lambda entry: entry[1]):
        line += text.count("\n", before, offset)
        before = offset
        places[pointer] = (line, offset - text.rfind("\n", 0, offset))
    return places
