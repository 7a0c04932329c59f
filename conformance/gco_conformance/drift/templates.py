"""Path templates: which texts their parameters can stand for, and which template of a service takes a path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gco_conformance.drift.place import pointer_tokens
from gco_conformance.drift.service import Documented
from gco_conformance.model.routing import segments

_NAME = re.compile(r"\{([^{}]*)\}")
_NUMBERS = {"integer": re.compile(r"[-+]?\d+"), "number": re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")}
_FORMATS = {
    "uuid": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
}


class Parameters:
    """The path parameters of one path: a text that their schemas exclude makes no request that is documented."""

    def __init__(self, document: Mapping[str, Any], documented: Documented) -> None:
        self._document = document
        self._documented = documented

    def allows(self, segment: str, text: str) -> bool:
        """Whether a segment of the template can stand for `text` in at least one operation."""
        found = _pattern(segment).fullmatch(text)
        if found is None:
            return False
        values = list(zip(_NAME.findall(segment), found.groups(), strict=True))
        return any(
            all(_schema_allows(self._schema(name, operation), value) for name, value in values)
            for operation in self._operations()
        )

    def example(self, segment: str) -> str:
        """A text that the segment can stand for, as far as its schemas tell."""
        operation = next(iter(self._operations()))
        return _NAME.sub(lambda match: _example(match[1], self._schema(match[1], operation)), segment)

    def _operations(self) -> list[Mapping[str, Any]]:
        item = self._documented.item
        return [item[method] for method in self._documented.methods] or [{}]

    def _schema(self, name: str, operation: Mapping[str, Any]) -> Mapping[str, Any]:
        for holder in (operation, self._documented.item):
            parameters = holder.get("parameters")
            for entry in parameters if isinstance(parameters, list) else ():
                parameter = self._followed(entry)
                if parameter.get("in") == "path" and parameter.get("name") == name:
                    return self._followed(parameter.get("schema"))
        return {}

    def _followed(self, node: Any) -> Mapping[str, Any]:
        for _ in range(10):
            reference = node.get("$ref") if isinstance(node, dict) else None
            if not isinstance(reference, str) or not reference.startswith("#/"):
                break
            node = self._document
            for token in pointer_tokens(reference[1:]):
                node = node.get(token) if isinstance(node, dict) else None
        return node if isinstance(node, dict) else {}


@cache
def _pattern(segment: str) -> re.Pattern[str]:
    """What a segment of a template can be: each parameter stands for at least one character."""
    parts = _NAME.split(segment)
    literal = [re.escape(part) for part in parts[::2]]
    return re.compile("(.+)".join(literal), re.DOTALL)


def _schema_allows(schema: Mapping[str, Any], text: str) -> bool:
    allowed = schema.get("enum")
    if isinstance(allowed, list):
        return text in (str(value) for value in allowed)
    if "const" in schema:
        return text == str(schema["const"])
    number = _NUMBERS.get(schema["type"]) if isinstance(schema.get("type"), str) else None
    if number is not None and not number.fullmatch(text):
        return False
    if schema.get("type") == "boolean" and text.lower() not in ("true", "false", "0", "1"):
        return False
    format_ = _FORMATS.get(schema["format"]) if isinstance(schema.get("format"), str) else None
    if format_ is not None and not format_.fullmatch(text):
        return False
    if isinstance(schema.get("maxLength"), int) and len(text) > schema["maxLength"]:
        return False
    if isinstance(schema.get("minLength"), int) and len(text) < schema["minLength"]:
        return False
    return not isinstance(schema.get("pattern"), str) or _searches(schema["pattern"], text)


def _searches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        # A pattern of another dialect excludes nothing that could be told here.
        return True


def _example(name: str, schema: Mapping[str, Any]) -> str:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and allowed:
        return str(allowed[0])
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") in ("integer", "number"):
        return "1"
    if schema.get("format") == "uuid":
        return "00000000-0000-4000-8000-000000000000"
    return name or "any"


@dataclass
class _Node:
    literals: dict[str, _Node] = field(default_factory=dict)
    templates: dict[str, _Node] = field(default_factory=dict)
    documented: Documented | None = None


class PathFinder:
    """Which of a service's paths takes a request; concrete paths come before templated ones, as OpenAPI says."""

    def __init__(self, paths: Iterable[Documented]) -> None:
        self._root = _Node()
        for documented in paths:
            node = self._root
            for segment in segments(documented.path):
                branch = node.templates if "{" in segment else node.literals
                node = branch.setdefault(segment, _Node())
            node.documented = node.documented or documented

    def find(self, path: Sequence[str]) -> Documented | None:
        return next(_found(self._root, path, 0), None)


def _found(node: _Node, path: Sequence[str], index: int) -> Iterator[Documented]:
    if index == len(path):
        if node.documented is not None:
            yield node.documented
        return
    if path[index] in node.literals:
        yield from _found(node.literals[path[index]], path, index + 1)
    for template, below in node.templates.items():
        if _pattern(template).fullmatch(path[index]):
            yield from _found(below, path, index + 1)
