"""Which document belongs to which Service: a proposal for a configuration, by the names that people give files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from gco_conformance.drift.discovery.repository import FoundDocument, Repository
from gco_conformance.drift.readers.configuration import OUTPUT

Choose = Callable[[str, Sequence[str]], str | None]
"""For a Service without a document and the documents that are left: the one that describes it, or `None`."""

_ANONYMOUS: Final = frozenset({"api", "index", "openapi", "schema", "spec", "swagger", "v1", "v2", "docs", "doc"})
_ADDED = re.compile(r"([-_.]?(openapi|swagger|api|spec|service|svc))+$")
_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9._/-]*")
_TELLING = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True)
class Proposal:
    """A configuration that isn't written yet."""

    manifests: tuple[str, ...]
    services: tuple[tuple[str, str], ...]
    """Name and document of each, sorted."""
    undocumented: tuple[str, ...]
    """Backends for which no document was found."""
    unused: tuple[str, ...]
    """Documents that seem to describe none of the backends."""
    output: str
    """The composed document, "" where none was found."""


def propose(repository: Repository, choose: Choose) -> Proposal:
    """What to compare: the manifests that have HTTPRoutes, and a document for each of their backends."""
    routes = [route for routes in repository.manifests.values() for route in routes]
    backends = sorted(frozenset().union(*(route.services for route in routes)))
    own = [document for document in repository.documents if not document.composed]
    composed = [document.file for document in repository.documents if document.composed]
    services: dict[str, str] = {}
    for closeness in range(max((len(_names(document)) for document in own), default=0)):
        for document in own:
            names = _names(document)
            name = names[closeness] if closeness < len(names) else ""
            if name in backends and name not in services and document.file not in services.values():
                services[name] = document.file
    for backend in backends:
        left = [document.file for document in own if document.file not in services.values()]
        if backend not in services and left:
            chosen = choose(backend, left)
            if chosen is not None:
                services[backend] = chosen
    folders = {PurePosixPath(file).parent for file in services.values()}
    for document in own:
        # Beside the others lies what nobody routes to: it is forgotten, or internal.
        name = _names(document)[0]
        if document.file not in services.values() and PurePosixPath(document.file).parent in folders:
            services.setdefault(name, document.file)
    return Proposal(
        manifests=tuple(repository.manifests),
        services=tuple(sorted(services.items())),
        undocumented=tuple(backend for backend in backends if backend not in services),
        unused=tuple(document.file for document in own if document.file not in services.values()),
        output=OUTPUT if OUTPUT in composed else next(iter(composed), ""),
    )


def as_yaml(proposal: Proposal) -> str:
    """The configuration as text, with what is left to do as comments."""
    return "\n".join(_lines(proposal)) + "\n"


def _lines(proposal: Proposal) -> Iterator[str]:
    if len(proposal.manifests) == 1:
        yield f"manifest: {_scalar(proposal.manifests[0])}"
    else:
        yield "manifest:"
        yield from (f"  - {_scalar(manifest)}" for manifest in proposal.manifests)
    folder = _common_folder(proposal)
    if folder is not None:
        yield f"services_dir: {_scalar(folder)}"
        yield "services:"
        yield from (f"  - {_scalar(name)}" for name, _ in proposal.services)
    else:
        yield "services:" if proposal.services else "services: {}"
        yield from (f"  {_scalar(name)}: {_scalar(file)}" for name, file in proposal.services)
    for backend in proposal.undocumented:
        yield f"  # {backend}: a rule leads to it, and no document of it was found"
    for file in proposal.unused:
        yield f"  # not the document of a backend, as it seems: {file}"
    yield f"output: {_scalar(proposal.output)}" if proposal.output else "output: null  # nothing is composed here"


def _common_folder(proposal: Proposal) -> str | None:
    """The folder in which each service's document is called as the service is."""
    folders = {str(PurePosixPath(file).parent) for _, file in proposal.services}
    named = all(PurePosixPath(file).stem == name for name, file in proposal.services)
    return folders.pop() if len(folders) == 1 and named else None


def _names(document: FoundDocument) -> list[str]:
    """What a document's service may be called, the likeliest first."""
    path = PurePosixPath(document.file)
    stem, folders = path.stem, [part for part in reversed(path.parent.parts) if part not in _ANONYMOUS]
    found = [] if stem in _ANONYMOUS else [stem, _ADDED.sub("", stem)]
    title = re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-")
    found += [*folders[:1], title, _ADDED.sub("", title), *folders[1:]]
    return list(dict.fromkeys(name for name in found if name)) or [stem]


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _TELLING else json.dumps(text)
