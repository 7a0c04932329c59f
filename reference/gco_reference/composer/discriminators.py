"""What a discriminator says without a word: where it has no mapping, a schema's name is the wire value.

So a rename would change the protocol. These implied references take part in equality, and become a mapping
when a schema that they lead to gets another name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from gco_reference.composer import pointers
from gco_reference.composer.gathering import Gathering
from gco_reference.composer.parts import DISCRIMINATOR, Part, PartKey

Children = dict[PartKey, list[PartKey]]


def children(gathering: Gathering) -> Children:
    """The schemas that name a schema in their own `allOf`, by that schema."""
    found: Children = defaultdict(list)
    if not any(part.discriminators for part in gathering.parts.values()):
        return found
    for part in gathering.parts.values():
        if part.key.kind == "schemas" and isinstance(part.value, dict):
            for parent in _named(part, part.value.get("allOf", []), gathering):
                found[parent].append(part.key)
    return found


def implied(part: Part, schema: Any, gathering: Gathering, children: Children) -> list[PartKey]:
    """The schemas that the discriminator of `schema` (in `part`) reaches by their names alone."""
    mapping = schema["discriminator"].get("mapping", {})
    explicit = {gathering.target(part, DISCRIMINATOR, text).part for text in mapping.values()}
    if "oneOf" in schema or "anyOf" in schema:
        reached = [
            *_named(part, schema.get("oneOf", []), gathering),
            *_named(part, schema.get("anyOf", []), gathering),
        ]
    elif schema is part.value:
        reached = list(_descendants(part.key, children))
    else:
        reached = []
    return sorted(set(reached) - explicit)


def spell_out(part: Part, gathering: Gathering, children: Children, final_name: Callable[[PartKey], str]) -> None:
    """Gives each discriminator of `part` a mapping for what it implies, if one of these schemas is renamed.

    To be done before the part's references are renamed.
    """
    for schema in part.discriminators:
        reached = implied(part, schema, gathering, children)
        if any(final_name(key) != key.name for key in reached):
            mapping = schema["discriminator"].setdefault("mapping", {})
            for key in reached:
                mapping.setdefault(key.name, pointers.build(("components", "schemas", final_name(key))))


def _named(part: Part, schemas: Any, gathering: Gathering) -> Iterator[PartKey]:
    for schema in schemas:
        if isinstance(schema, dict) and "$ref" in schema:
            target = gathering.target(part, "schemas", schema["$ref"])
            if target.part.kind == "schemas" and not target.inside and not target.is_moved:
                yield target.part


def _descendants(key: PartKey, children: Children) -> set[PartKey]:
    found: set[PartKey] = set()
    pending = [key]
    while pending:
        for child in children.get(pending.pop(), []):
            if child not in found:
                found.add(child)
                pending.append(child)
    return found
