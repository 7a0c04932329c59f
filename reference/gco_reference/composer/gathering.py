"""Which parts the composed document needs: kept paths, all schemas, and whatever these refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gco_reference.composer.documents import Document
from gco_reference.composer.parts import Part, PartKey, read_part
from gco_reference.composer.positions import COMPONENT_KINDS, Table
from gco_reference.composer.resolver import Resolver, Target

# A reference as it is written: service, kind of the object referred to, text.
Label = tuple[str, str, str]


@dataclass
class Gathering:
    """The parts needed, and what the references in them lead to."""

    parts: dict[PartKey, Part] = field(default_factory=dict)
    targets: dict[Label, Target] = field(default_factory=dict)

    def target(self, part: Part, kind: str, text: str) -> Target:
        """What the reference `text` of `part` to an object of `kind` leads to."""
        return self.targets[part.key.service, kind, text]


def gather(
    documents: Iterable[Document], kept: Mapping[str, Iterable[str]], backends: set[str], positions: Table
) -> Gathering:
    """The parts needed for the paths `kept` (by service) and for the schemas of all `documents`.

    A backend's document is checked as a whole, the paths and components that aren't needed included: a
    reference that leads nowhere is an error wherever it stands.
    """
    documents = list(documents)
    taken = {
        kind: {name for document in documents for name in document.components(kind)} for kind in COMPONENT_KINDS
    }
    gathering = Gathering()
    for document in documents:
        resolver = Resolver(document, positions, taken)
        service = document.service
        roots = [
            *(
                Part(PartKey(service, "paths", path), document.file, document.paths[path])
                for path in kept.get(service, ())
            ),
            *(resolver.part(PartKey(service, "schemas", name)) for name in document.components("schemas")),
        ]
        _follow(roots, gathering, resolver, positions)
        if service in backends:
            _follow(_rest(document, gathering.parts), Gathering(dict(gathering.parts)), resolver, positions)
    return gathering


def _follow(roots: Iterable[Part], gathering: Gathering, resolver: Resolver, positions: Table) -> None:
    """Adds `roots` and all that they refer to, directly or not."""
    pending = []
    for part in roots:
        gathering.parts[part.key] = part
        pending.append(part)
    while pending:
        part = read_part(pending.pop(), positions)
        for reference in part.references:
            label = (part.key.service, reference.kind, reference.text)
            if label in gathering.targets:
                continue
            target = gathering.targets[label] = resolver.target(reference, part)
            if target.part not in gathering.parts:
                found = gathering.parts[target.part] = resolver.part(target.part)
                pending.append(found)


def _rest(document: Document, needed: dict[PartKey, Part]) -> list[Part]:
    """The parts of the document that aren't needed."""
    service, file = document.service, document.file
    paths = [Part(PartKey(service, "paths", path), file, item) for path, item in document.paths.items()]
    components = [
        Part(PartKey(service, kind, name), file, value)
        for kind in sorted(COMPONENT_KINDS)
        for name, value in document.components(kind).items()
    ]
    return [part for part in [*paths, *components] if part.key not in needed]
