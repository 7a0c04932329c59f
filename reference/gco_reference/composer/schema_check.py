"""Checks located YAML against the few JSON Schema keywords that the configuration's schema uses.

The published schema stays the only statement of what is allowed, without a validator library at every start:
loading one takes longer than composing a small checkout.
"""

from __future__ import annotations

import re
from typing import Any

from gco_reference.composer.located_yaml import LocatedMapping, LocatedSequence
from gco_reference.composer.node import Node, type_name

_TYPES = {
    "object": (LocatedMapping, "a mapping"),
    "array": (LocatedSequence, "a list"),
    "string": (str, "text"),
}


def check(node: Node, schema: dict[str, Any]) -> None:
    """Raises a `ComposeError` at the first place where `node` isn't what `schema` allows."""
    expected, name = _TYPES[schema["type"]]
    if not isinstance(node.value, expected):
        raise node.error(f"must be {name}, not {type_name(node.value)}")
    if schema["type"] == "object":
        _check_mapping(node, schema)
    elif schema["type"] == "array":
        _check_list(node, schema)
    else:
        _check_text(node, schema)


def _check_mapping(node: Node, schema: dict[str, Any]) -> None:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for key, below in node.pairs():
        if not isinstance(key, str):
            raise below.error(f"a key must be text, not {type_name(key)}: quote it")
        if key in known:
            check(below, known[key])
        elif others is False:
            raise below.error(f'unknown key "{key}"; {_meant(key, known)}')
        elif others is not True:
            check(below, others)
    for key in schema.get("required", []):
        if key not in node.value:
            raise node.error(f'"{key}" is missing')


def _meant(key: str, known: dict[str, Any]) -> str:
    from difflib import get_close_matches  # needed for this error alone

    close = get_close_matches(key, known, n=1)
    return f'did you mean "{close[0]}"?' if close else f"known are {', '.join(sorted(known))}"


def _check_list(node: Node, schema: dict[str, Any]) -> None:
    items = node.items()
    for item in items:
        check(item, schema["items"])
    if len(items) < schema.get("minItems", 0):
        raise node.error("must not be empty")
    if schema.get("uniqueItems"):
        for index, item in enumerate(items):
            if item.value in node.value[:index]:
                raise item.error(f'"{item.value}" is given twice')


def _check_text(node: Node, schema: dict[str, Any]) -> None:
    if len(node.value) < schema.get("minLength", 0):
        raise node.error("must not be empty")
    pattern = schema.get("pattern")
    if pattern is not None and not re.search(pattern, node.value):
        raise node.error(f'{schema["x-message"]}, which "{node.value}" isn\'t')
