"""Parts of a service's document: what the composed document is put together from.

A part is a component or the path item of a kept path. Reading one finds, by position, all that other rules
need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gco_reference.composer.errors import ComposeError
from gco_reference.composer.positions import COMPONENT_KINDS, Form, Position, Table, position

# The kind of a reference in a discriminator, which leads to a schema and may be a bare name.
DISCRIMINATOR = "discriminator"

# A Reference Object may stand for one of these; its other keys mean nothing.
_REFERABLE = frozenset(COMPONENT_KINDS - {"pathItems", "schemas"})

_ONE, _LIST, _MAP = Form.ONE, Form.LIST, Form.MAP


class PartKey(NamedTuple):
    """Which part: a path item of `paths` has the kind "paths" and its path as name."""

    service: str
    kind: str
    name: str


class Reference(NamedTuple):
    """`holder[key]` is the text of a reference to an object of `kind` (or `DISCRIMINATOR`)."""

    holder: Any
    key: str
    kind: str
    text: str


class LinkTarget(NamedTuple):
    """`holder[key]` names an operation; `key` is `operationId` or `operationRef`."""

    holder: Any
    key: str
    text: str


@dataclass(eq=False, slots=True)
class Part:
    """A part and what was found in it, in document order.

    `discriminators` are the schemas that have one; `callback_operations` are the operations inside callbacks,
    which the service calls, `operations` the others.
    """

    key: PartKey
    file: str
    value: Any
    references: list[Reference] = field(default_factory=list)
    discriminators: list[Any] = field(default_factory=list)
    operations: list[Any] = field(default_factory=list)
    callback_operations: list[Any] = field(default_factory=list)
    link_targets: list[LinkTarget] = field(default_factory=list)

    def all_operations(self) -> list[Any]:
        """The operations outside and inside of callbacks."""
        return self.operations + self.callback_operations

    def error(self, message: str) -> ComposeError:
        """An error in this part, to be raised by the caller."""
        section = "paths" if self.key.kind == "paths" else f"components.{self.key.kind}"
        return ComposeError(f'{section} "{self.key.name}": {message}', self.file)


def read_part(part: Part, positions: Table) -> Part:
    """The part, after everything in it was found."""
    _Reader(part, positions).visit("pathItems" if part.key.kind == "paths" else part.key.kind, part.value)
    return part


class _Reader:
    def __init__(self, part: Part, positions: Table) -> None:
        self._part = part
        self._positions = positions
        self._operations = part.operations

    def visit(self, kind: str, node: Any) -> None:
        """Finds what is in `node`, an object of `kind`."""
        if type(node) is not dict:
            if kind == "schemas" and type(node) is bool:
                return
            raise self._part.error(f"an object is expected where {node!r:.40} stands")
        if kind == "operations":
            self._operations.append(node)
        elif kind in _REFERABLE and "$ref" in node:
            self._reference(kind, node, "$ref")
            return
        elif kind == "callbacks":
            self._visit_callback(node)
            return
        positions = self._positions[kind]
        for key, value in node.items():
            found = positions.get(key)
            if found is not None:
                self._visit_position(found, kind, node, key, value)

    def _visit_position(self, found: Position, kind: str, node: Any, key: str, value: Any) -> None:
        form, below = found
        if form is _ONE:
            self.visit(below, value)
        elif form is _MAP:
            for item in self._object(key, value).values():
                self.visit(below, item)
        elif form is _LIST:
            for item in self._list(key, value):
                self.visit(below, item)
        elif form is Form.REFERENCE:
            self._reference(kind, node, key)
        elif form is Form.ONE_OR_LIST:
            for item in value if type(value) is list else [value]:
                self.visit(below, item)
        elif form is Form.RESPONSES:
            for status, item in self._object(key, value).items():
                if not status.startswith("x-"):
                    self.visit(below, item)
        elif form is Form.DEPENDENCIES:
            for item in self._object(key, value).values():
                if type(item) is not list:
                    self.visit(below, item)
        elif form is Form.DISCRIMINATOR:
            self._visit_discriminator(node)
        elif form is Form.LINK_TARGET:
            self._part.link_targets.append(LinkTarget(node, key, self._text(key, value)))
        else:
            raise self._part.error(f"{key} isn't supported: schemas are told apart by their place alone")

    def _visit_callback(self, node: Any) -> None:
        outer, self._operations = self._operations, self._part.callback_operations
        for key, value in node.items():
            if position(self._positions, "callbacks", key) is not None:
                self.visit("pathItems", value)
        self._operations = outer

    def _visit_discriminator(self, node: Any) -> None:
        discriminator = self._object("discriminator", node["discriminator"])
        for key in self._object("mapping", discriminator.get("mapping", {})):
            self._reference(DISCRIMINATOR, discriminator["mapping"], key)
        if "defaultMapping" in discriminator:
            self._reference(DISCRIMINATOR, discriminator, "defaultMapping")
        self._part.discriminators.append(node)

    def _reference(self, kind: str, holder: Any, key: str) -> None:
        self._part.references.append(Reference(holder, key, kind, self._text(key, holder[key])))

    def _object(self, key: str, value: Any) -> Any:
        if type(value) is not dict:
            raise self._part.error(f"{key} must be an object, not {value!r:.40}")
        return value

    def _list(self, key: str, value: Any) -> Any:
        if type(value) is not list:
            raise self._part.error(f"{key} must be a list, not {value!r:.40}")
        return value

    def _text(self, key: str, value: Any) -> str:
        if type(value) is not str:
            raise self._part.error(f"{key} must be text, not {value!r:.40}")
        return value
