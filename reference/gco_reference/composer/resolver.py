"""Where a document's references lead: to a component, or to a place that has to become one.

A reference to anything but (a part of) a component, such as `#/paths/~1jobs/get/responses/200/…`, would
dangle or mean something else in the composed document. What it leads to is made a component of its own.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import NamedTuple

from gco_reference.composer import pointers
from gco_reference.composer.documents import Document
from gco_reference.composer.parts import DISCRIMINATOR, Part, PartKey, Reference
from gco_reference.composer.positions import COMPONENT_KINDS, Form, Table, position


class Target(NamedTuple):
    """What a reference leads to: the part, and the way on inside it."""

    part: PartKey
    inside: tuple[str, ...]
    is_bare_name: bool = False
    is_moved: bool = False


class Resolver:
    """Answers for one document. `taken` are the component names, by kind, that a moved place must not get."""

    def __init__(self, document: Document, positions: Table, taken: dict[str, set[str]]) -> None:
        self._document = document
        self._positions = positions
        self._taken = taken
        self._targets: dict[tuple[str, str], Target] = {}
        self._moved: dict[PartKey, tuple[str, ...]] = {}

    def target(self, reference: Reference, part: Part) -> Target:
        """What `reference`, found in `part`, leads to; an error when it leads nowhere."""
        label = (reference.kind, reference.text)
        found = self._targets.get(label)
        if found is None:
            found = self._targets[label] = self._resolve(reference, part)
        return found

    def part(self, key: PartKey) -> Part:
        """The part that a target names, not yet read."""
        moved = self._moved.get(key)
        if moved is None:
            value = self._document.components(key.kind)[key.name]
        else:
            value = deepcopy(pointers.follow(self._document.tree, moved))
        return Part(key, self._document.file, value)

    def _resolve(self, reference: Reference, part: Part) -> Target:
        text, kind = reference.text, reference.kind
        if kind == DISCRIMINATOR:
            kind = "schemas"
            if text in self._document.components(kind):
                return Target(PartKey(self._document.service, kind, text), (), is_bare_name=True)
        tokens = pointers.parse(text)
        if tokens is None:
            if not re.search(r"[/.:#]", text):
                raise part.error(f'the reference "{text}" leads nowhere')
            what = {"": "the whole document", "#": "the whole document"}.get(text)
            what = what or ("an anchor" if text.startswith("#") else "another file")
            raise part.error(f'the reference "{text}" leads to {what}, which isn\'t supported')
        if pointers.follow(self._document.tree, tokens) is pointers.MISSING:
            raise part.error(f'the reference "{text}" leads nowhere')
        found_kind = self._kind_at(tokens)
        if found_kind not in (kind, None):
            raise part.error(f'the reference "{text}" leads to one of {found_kind}, where one of {kind} belongs')
        if found_kind is not None and tokens[0] == "components":
            return Target(PartKey(self._document.service, tokens[1], tokens[2]), tokens[3:])
        return self._move(kind, tokens, part)

    def _kind_at(self, tokens: tuple[str, ...]) -> str | None:
        """The kind of object at the pointer; `None` for data and for places outside of all kinds."""
        if tokens[0] == "components" and len(tokens) > 2 and tokens[1] in COMPONENT_KINDS:
            form, kind, rest = Form.MAP, tokens[1], tokens[2:]
        elif tokens[0] in ("paths", "webhooks"):
            form, kind, rest = Form.MAP, "pathItems", tokens[1:]
        else:
            return None
        value = pointers.follow(self._document.tree, tokens[: len(tokens) - len(rest)])
        for token in rest:
            is_list = isinstance(value, list)
            value = pointers.step(value, token)
            if form in (Form.MAP, Form.LIST, Form.RESPONSES, Form.DEPENDENCIES) or (
                form is Form.ONE_OR_LIST and is_list
            ):
                form = Form.ONE
                continue
            found = position(self._positions, kind, token)
            if found is None or not found.kind:
                return None
            form, kind = found
        is_object = form is Form.ONE or (form is Form.ONE_OR_LIST and isinstance(value, dict))
        return kind if is_object else None

    def _move(self, kind: str, tokens: tuple[str, ...], part: Part) -> Target:
        if kind == "pathItems" and self._document.version.minor == 0:
            raise part.error(f'"{pointers.build(tokens)}" leads to a path item, which can\'t be moved in 3.0')
        name = re.sub(r"[^A-Za-z0-9_-]+", ".", ".".join(tokens)).strip(".")
        key = PartKey(self._document.service, kind, name)
        while name in self._taken[kind] or self._moved.get(key, tokens) != tokens:
            name += "_"
            key = key._replace(name=name)
        self._moved[key] = tokens
        return Target(key, (), is_moved=True)
