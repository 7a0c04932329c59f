"""YAML files written by people, read as JSON values, with the lines on which they stand.

Dates stay text, since JSON has none; a key that comes twice in a mapping is an error, not the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gco_conformance.errors import UsageError

Place = Sequence[str | int]


@dataclass(frozen=True)
class YamlFile:
    """What a file holds. `line` tells where."""

    path: Path
    value: Any
    node: yaml.Node | None

    def line(self, place: Place) -> int:
        """The line, from 1, of what is at `place`, or of the nearest thing around it."""
        node = self.node
        line = 1
        for step in place:
            if isinstance(node, yaml.MappingNode):
                found = [(key, value) for key, value in node.value if key.value == step]
                if not found:
                    break
                line, node = found[0][0].start_mark.line + 1, found[0][1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = node.start_mark.line + 1
            else:
                break
        return line


def read(path: Path) -> YamlFile:
    """Read one document. Raises `UsageError` with file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} isn't UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    try:
        return _parse(path, text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        raise UsageError(f"{path}{line} isn't YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{path} isn't YAML: {error}") from None


def _parse(path: Path, text: str) -> YamlFile:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return YamlFile(path, None if node is None else loader.construct_document(node), node)
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(problem="a key isn't text", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {key.value!r} comes twice", problem_mark=key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
