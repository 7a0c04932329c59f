"""The parts of all services in one namespace: equal ones shared, conflicting ones renamed."""

from __future__ import annotations

from dataclasses import dataclass

from gco_reference.composer import discriminators, pointers
from gco_reference.composer.documents import Document
from gco_reference.composer.equality import classes
from gco_reference.composer.gathering import Gathering, Label
from gco_reference.composer.naming import Names, name_components
from gco_reference.composer.operation_ids import OperationIds, follow_reference
from gco_reference.composer.parts import Part, PartKey
from gco_reference.composer.resolver import Target


@dataclass(frozen=True)
class Merged:
    """The parts that are written, by service, kind and name, and the names of the components among them."""

    parts: list[Part]
    names: Names


def merge(gathering: Gathering, documents: dict[str, Document]) -> Merged:
    """Merges the parts; those that are written are changed in place."""
    children = discriminators.children(gathering)
    names = _name(gathering, children)
    written = [
        part for key, part in sorted(gathering.parts.items()) if key.kind == "paths" or names.is_written(key)
    ]
    for part in written:
        discriminators.spell_out(part, gathering, children, names.of)
    _rename_references(written, gathering, names)
    _make_ids_unique(written, gathering, names, documents)
    return Merged(written, names)


def _name(gathering: Gathering, children: discriminators.Children) -> Names:
    components = [part for part in gathering.parts.values() if part.key.kind != "paths"]
    edges = {part.key: _edges(part, gathering, children) for part in components}
    # A link means an operation of its own service, so that no other service's link is equal to it.
    unique = {part.key for part in components if part.link_targets}
    return name_components([part.key for part in components], classes(components, edges, unique))


def _edges(part: Part, gathering: Gathering, children: discriminators.Children) -> list[PartKey]:
    """What `part` refers to, in an order that doesn't depend on the order of keys."""
    labels = sorted({(reference.kind, reference.text) for reference in part.references})
    edges = [gathering.target(part, kind, text).part for kind, text in labels]
    for schema in part.discriminators:
        edges += discriminators.implied(part, schema, gathering, children)
    return edges


def _rename_references(written: list[Part], gathering: Gathering, names: Names) -> None:
    renamed: dict[Label, str] = {}
    for label, target in gathering.targets.items():
        if target.is_moved or names.of(target.part) != target.part.name:
            renamed[label] = _text(target, names)
    for part in written:
        for holder, key, kind, text in part.references:
            new = renamed.get((part.key.service, kind, text))
            if new is not None:
                holder[key] = new


def _text(target: Target, names: Names) -> str:
    name = names.of(target.part)
    if target.is_bare_name:
        return name
    return pointers.build(("components", target.part.kind, name, *target.inside))


def _make_ids_unique(
    written: list[Part], gathering: Gathering, names: Names, documents: dict[str, Document]
) -> None:
    # Within a service, operations of paths come before those of components.
    ids = OperationIds(sorted(written, key=lambda part: (part.key.service, part.key.kind != "paths", part.key)))
    for key, holder in names.holders.items():
        if holder != key:
            ids.share(gathering.parts[key], gathering.parts[holder])
    for part in written:
        for link in part.link_targets:
            if link.key == "operationId":
                ids.follow(part, link)
            else:
                follow_reference(part, link, documents[part.key.service], gathering.parts.__contains__)
