"""YAML as trees whose every part knows its line and column.

Scalars follow the core schema of YAML 1.2: `no` and `12:30` are text, dates too, since neither JSON nor the
Kubernetes API has them. A key that comes twice in a mapping is an error, not the last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Unusable

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN = "plain"
"""The tag of scalars without quotes and without a tag of their own: only these can be more than text."""
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(frozen=True)
class Tree:
    """A part of a YAML document. The readers below raise `Unusable` at the part that has the wrong type."""

    node: yaml.Node
    file: str

    @property
    def place(self) -> Place:
        mark = self.node.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1)

    @property
    def value(self) -> Any:
        """The scalar, or "" for a mapping or a list."""
        return _scalar(self.node) if isinstance(self.node, yaml.ScalarNode) else ""

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    def entries(self, what: str) -> list[tuple[str, Tree, Tree]]:
        """The entries of a mapping: key as text, the tree of the key, and that of the value."""
        if not isinstance(self.node, yaml.MappingNode):
            raise Unusable(self.place, f"{what} must be a mapping")
        return [(key.value, Tree(key, self.file), Tree(value, self.file)) for key, value in _merged(self.node)]

    def items(self, what: str) -> list[Tree]:
        if not isinstance(self.node, yaml.SequenceNode):
            raise Unusable(self.place, f"{what} must be a list")
        return [Tree(item, self.file) for item in self.node.value]

    def text(self, what: str) -> str:
        value = self.value
        if not isinstance(value, str) or self.is_mapping or self.is_list:
            raise Unusable(self.place, f"{what} must be text")
        return value

    def integer(self, what: str) -> int:
        value = self.value
        if not isinstance(value, int) or isinstance(value, bool):
            raise Unusable(self.place, f"{what} must be a whole number")
        return value

    def get(self, key: str) -> Tree | None:
        """The value of a key, `None` where there is none, where it is null, or where this isn't a mapping."""
        if isinstance(self.node, yaml.MappingNode):
            for own, value in _merged(self.node):
                if own.value == key:
                    return None if _is_null(value) else Tree(value, self.file)
        return None

    def at(self, *keys: str) -> Tree | None:
        """What stands below several keys, one after the other."""
        found: Tree | None = self
        for key in keys:
            found = found.get(key) if found is not None else None
        return found


def read_documents(text: str, file: str) -> Iterator[Tree]:
    """The documents of a YAML stream that aren't empty. Raises `Unusable` where it stops being YAML."""
    loader = _LOADER(text)
    # Loaders ask themselves for the tag of each node, by YAML 1.1 and slowly.
    loader.resolve = _tag
    try:
        while loader.check_node():
            tree = Tree(loader.get_node(), file)
            if not _is_null(tree.node):
                yield tree
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file) if mark is None else Place(file, mark.line + 1, mark.column + 1)
        raise Unusable(place, f"isn't YAML: {error.problem or error.context}") from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = Place(file, before.count("\n") + 1, error.position - before.rfind("\n"))
        raise Unusable(place, f"isn't YAML: {error.reason}") from None
    finally:
        loader.dispose()


def plain(tree: Tree) -> Any:
    """The tree as JSON values. Raises `Unusable` for a key that comes twice and for a value within itself."""
    return _Builder(tree.file).build(tree.node)


class _Builder:
    """Builds each node once, so that aliases cost nothing however often they are used."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._built: dict[int, Any] = {}
        self._building: set[int] = set()

    def build(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        identity = id(node)
        if identity in self._built:
            return self._built[identity]
        if identity in self._building:
            raise Unusable(Tree(node, self._file).place, "isn't usable YAML: a value contains itself")
        self._building.add(identity)
        built = self._mapping(node) if isinstance(node, yaml.MappingNode) else list(map(self.build, node.value))
        self._built[identity] = built
        return built

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        built: dict[str, Any] = {}
        merges = False
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise Unusable(Tree(key, self._file).place, "isn't usable YAML: a key isn't text")
            if _is_merge(key):
                merges = True
                continue
            if key.value in built:
                place = Tree(key, self._file).place
                raise Unusable(place, f"isn't usable YAML: the key {key.value!r} comes twice")
            built[key.value] = self.build(value)
        if merges:
            for key, value in _merged(node):
                if key.value not in built:
                    built[key.value] = self.build(value)
        return built


def _merged(node: yaml.MappingNode) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """The entries of a mapping with those that `<<` merges into it: its own win, then earlier ones."""
    if not any(_is_merge(key) for key, _ in node.value):
        return list(node.value)
    entries = {key.value: (key, value) for key, value in node.value if not _is_merge(key)}
    for key, value in node.value:
        if _is_merge(key):
            for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                if isinstance(source, yaml.MappingNode):
                    for own, merged in source.value:
                        entries.setdefault(own.value, (own, merged))
    return list(entries.values())


def _is_merge(key: yaml.Node) -> bool:
    return bool(key.value == "<<" and key.tag == _PLAIN)


def _tag(kind: type[yaml.Node], _value: str | None, implicit: tuple[bool, bool] | bool) -> str:
    if kind is yaml.ScalarNode:
        return _PLAIN if isinstance(implicit, tuple) and implicit[0] else "text"
    return "map" if kind is yaml.MappingNode else "list"


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and _scalar(node) is None


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.tag != _PLAIN:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "-+.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _integer(text: str) -> int | str:
    try:
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    except ValueError:
        # More digits than Python converts are no number that anybody counts with.
        return text
