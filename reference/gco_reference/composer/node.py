"""A cursor into located YAML: every wrong type is an error that names file, line and key."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gco_reference.composer.errors import ComposeError
from gco_reference.composer.located_yaml import LocatedMapping, LocatedSequence

_TYPE_NAMES = {bool: "a boolean", int: "an integer", float: "a number", str: "text", type(None): "null"}


def type_name(value: object) -> str:
    """What a person calls the type of a YAML or JSON value."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return _TYPE_NAMES.get(type(value), type(value).__name__)


@dataclass(frozen=True)
class Node:
    """A value with its file and line, and a name for its place (`HTTPRoute routes: spec.rules[0]`)."""

    value: Any
    file: str
    line: int
    place: str

    def error(self, message: str) -> ComposeError:
        """An error at this place, to be raised by the caller."""
        return ComposeError(f"{self.place}: {message}" if self.place else message, self.file, self.line)

    def named(self, place: str) -> Node:
        """The same node under a place name that says more to a person."""
        return Node(self.value, self.file, self.line, place)

    def get(self, key: str) -> Node | None:
        """The value at `key` of this mapping; `None` when it is absent or null (one thing to Kubernetes)."""
        mapping = self._located_mapping()
        value = mapping.get(key)
        if value is None:
            return None
        return Node(value, self.file, mapping.lines[key], self._below(key))

    def need(self, key: str) -> Node:
        """As `get`, but absence is an error."""
        found = self.get(key)
        if found is None:
            raise self.error(f'"{key}" is missing')
        return found

    def pairs(self) -> Iterator[tuple[Any, Node]]:
        """The keys of this mapping, each with its value's node (null included)."""
        mapping = self._located_mapping()
        for key, value in mapping.items():
            yield key, Node(value, self.file, mapping.lines[key], self._below(key))

    def items(self) -> list[Node]:
        """The items of this list."""
        if not isinstance(self.value, LocatedSequence):
            raise self.error(f"must be a list, not {type_name(self.value)}")
        lines = zip(self.value, self.value.lines, strict=True)
        return [Node(item, self.file, line, f"{self.place}[{index}]") for index, (item, line) in enumerate(lines)]

    def text(self) -> str:
        """This text, which isn't empty."""
        if not isinstance(self.value, str):
            raise self.error(f"must be text, not {type_name(self.value)}")
        if not self.value:
            raise self.error("must not be empty")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """This integer, which lies between `low` and `high` (both included)."""
        if type(self.value) is not int:
            raise self.error(f"must be an integer, not {type_name(self.value)}")
        if not low <= self.value <= high:
            raise self.error(f"must be between {low} and {high}, not {self.value}")
        return self.value

    def port(self) -> int:
        """This number of a TCP port."""
        return self.integer(1, 65535)

    def mapping(self) -> Node:
        """This node, which is a mapping."""
        self._located_mapping()
        return self

    def json(self) -> Any:
        """This value as JSON; anything that JSON can't say is an error."""
        return _json(self)

    def _located_mapping(self) -> LocatedMapping:
        if not isinstance(self.value, LocatedMapping):
            raise self.error(f"must be a mapping, not {type_name(self.value)}")
        return self.value

    def _below(self, key: object) -> str:
        return f"{self.place}.{key}" if self.place else str(key)


def _json(node: Node) -> Any:
    value = node.value
    if isinstance(value, LocatedMapping):
        members = {}
        for key, below in node.pairs():
            if not isinstance(key, str):
                raise below.error(f"a key must be text, not {type_name(key)}: quote it")
            members[key] = _json(below)
        return members
    if isinstance(value, LocatedSequence):
        return [_json(item) for item in node.items()]
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise node.error(f"{value!r} can't be said in JSON")


def optional_text(node: Node | None) -> str | None:
    """The node's text, or `None` when there is no node."""
    return None if node is None else node.text()
