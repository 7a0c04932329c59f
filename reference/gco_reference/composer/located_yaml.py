"""YAML that remembers its lines, and refuses what a silent loader would swallow.

PyYAML keeps the last of two equal keys without a word and forgets where a value stood. This loader is a safe
one that raises on the first and records the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from gco_reference.composer.errors import ComposeError

if TYPE_CHECKING:
    from yaml import SafeLoader as _FastestSafeLoader
else:
    _FastestSafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML can be built without libyaml


class LocatedMapping(dict[Any, Any]):
    """A mapping with the line at which it starts and the line of each of its keys."""

    line: int
    lines: dict[Any, int]


class LocatedSequence(list[Any]):
    """A sequence with the line at which it starts and the line of each of its items."""

    line: int
    lines: list[int]


class _Loader(_FastestSafeLoader):
    """CSafeLoader whose mappings and sequences are located."""


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _mapping(loader: _Loader, node: yaml.MappingNode) -> LocatedMapping:
    _refuse_duplicates(loader, node)
    loader.flatten_mapping(node)  # a merge key (<<) puts its pairs first, so that the mapping's own keys win
    mapping = LocatedMapping()
    mapping.line = _line(node)
    mapping.lines = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        mapping[key] = loader.construct_object(value_node, deep=True)
        mapping.lines[key] = _line(key_node)
    return mapping


def _refuse_duplicates(loader: _Loader, node: yaml.MappingNode) -> None:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        is_merge = key_node.tag == "tag:yaml.org,2002:merge"
        key = "<<" if is_merge else loader.construct_object(key_node, deep=True)
        if not isinstance(key, str | int | float | bool | None):
            raise yaml.constructor.ConstructorError(None, None, "a key must be text", key_node.start_mark)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f'duplicate key "{key}"', key_node.start_mark)
        seen.add(key)


def _sequence(loader: _Loader, node: yaml.SequenceNode) -> LocatedSequence:
    sequence = LocatedSequence(loader.construct_object(item, deep=True) for item in node.value)
    sequence.line = _line(node)
    sequence.lines = [_line(item) for item in node.value]
    return sequence


def _text(loader: _Loader, node: yaml.ScalarNode) -> Any:
    return loader.construct_scalar(node)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:seq", _sequence)
# Kubernetes has no date type: what looks like a date is text.
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _text)


def load_all(text: str, file: str) -> list[Any]:
    """All documents of a YAML stream, located. `file` is for the error's sake."""
    try:
        return list(yaml.load_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else mark.line + 1
        raise ComposeError(f"isn't valid YAML: {error.problem or error.context}", file, line) from None
    except yaml.YAMLError as error:
        raise ComposeError(f"isn't valid YAML: {error}", file) from None
    except RecursionError:
        raise ComposeError("is nested too deeply", file) from None
    except ValueError as error:  # a scalar whose form is a number's but whose digits are none, such as 0x or 1_
        raise ComposeError(f"isn't valid YAML: {error}", file) from None
