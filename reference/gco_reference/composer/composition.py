"""From a checkout to its composed document, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gco_reference.composer import discriminators, pointers
from gco_reference.composer.assembly import assemble
from gco_reference.composer.attachment import check_attachment
from gco_reference.composer.configuration import Configuration, read_configuration
from gco_reference.composer.dialects import common_dialect
from gco_reference.composer.documents import Document, read_document, read_paths
from gco_reference.composer.equality import classes
from gco_reference.composer.errors import ComposeError
from gco_reference.composer.gathering import Gathering, gather
from gco_reference.composer.manifest import read_manifest
from gco_reference.composer.naming import Names, name_components
from gco_reference.composer.operation_ids import OperationIds, follow_reference
from gco_reference.composer.operations import annotate, drop_security
from gco_reference.composer.parts import Part, PartKey
from gco_reference.composer.positions import methods, table
from gco_reference.composer.routes import read_routes
from gco_reference.composer.routing import Router
from gco_reference.composer.strict_json import all_digits
from gco_reference.composer.surface import check_backends, check_internal_consumers, find_surface
from gco_reference.composer.versions import highest


@dataclass(frozen=True)
class Composition:
    """The configuration of a checkout and its composed document."""

    configuration: Configuration
    document: dict[str, Any]


def compose(root: Path) -> dict[str, Any]:
    """The composed document of the checkout at `root`; raises `ComposeError` when there can be none."""
    return compose_checkout(root).document


def compose_checkout(root: Path) -> Composition:
    """As `compose`, together with the configuration that says where the document belongs."""
    configuration = read_configuration(root)
    with all_digits():
        try:
            return Composition(configuration, _compose(root, configuration))
        except RecursionError:
            raise ComposeError("a document is nested too deeply to be composed") from None


def _compose(root: Path, configuration: Configuration) -> dict[str, Any]:
    manifest = read_manifest(root, configuration)
    check_attachment(manifest)
    routes = read_routes(manifest.http_route)
    router = Router(routes)
    backends = {route.service for route in routes}
    check_backends(configuration, backends)

    documents = {service: read_document(root, service, configuration) for service in configuration.services}
    version = highest((document.file, document.version) for document in documents.values())
    dialect = common_dialect(documents.values())
    for document in documents.values():
        if document.service in backends or _is_front(document.service, configuration):
            read_paths(document, methods(version.minor))
    check_internal_consumers(configuration, backends, documents)
    surface = find_surface((documents[service] for service in sorted(backends)), router)

    gathering = gather(documents.values(), surface.kept, backends, table(version.minor))
    children = discriminators.children(gathering)
    names = _name(gathering, children)
    written = [
        part for key, part in sorted(gathering.parts.items(), key=lambda item: item[0]) if _is_written(key, names)
    ]
    for part in written:
        discriminators.spell_out(part, gathering, children, names.of)
        _rename_references(part, gathering, names)
        drop_security(part)
        if part.key.kind == "paths":
            annotate(part, configuration, router, manifest.http_route.namespace)
    _link(written, gathering, names, documents)
    composed = assemble(configuration, manifest, routes, documents, surface, written, names)
    composed["openapi"] = version.text
    if dialect is not None:
        composed["jsonSchemaDialect"] = dialect
    return composed


def _is_front(service: str, configuration: Configuration) -> bool:
    return any(consumer["via"] == service for consumer in configuration.internal_consumers.values())


def _name(gathering: Gathering, children: discriminators.Children) -> Names:
    components = [part for part in gathering.parts.values() if part.key.kind != "paths"]
    edges = {part.key: _edges(part, gathering, children) for part in components}
    # A link means an operation of its own service, so that no other service's link is equal to it.
    unique = {part.key for part in components if part.link_targets}
    return name_components([part.key for part in components], classes(components, edges, unique))


def _edges(part: Part, gathering: Gathering, children: discriminators.Children) -> list[PartKey]:
    labels = sorted({(reference.kind, reference.text) for reference in part.references})
    edges = [gathering.target(part, kind, text).part for kind, text in labels]
    for schema in part.discriminators:
        edges += discriminators.implied(part, schema, gathering, children)
    return edges


def _is_written(key: PartKey, names: Names) -> bool:
    return key.kind == "paths" or names.is_written(key)


def _rename_references(part: Part, gathering: Gathering, names: Names) -> None:
    for holder, key, kind, text in part.references:
        target = gathering.target(part, kind, text)
        name = names.of(target.part)
        if name != target.part.name or target.is_moved:
            holder[key] = (
                name
                if target.is_bare_name
                else pointers.build(("components", target.part.kind, name, *target.inside))
            )


def _link(written: list[Part], gathering: Gathering, names: Names, documents: dict[str, Document]) -> None:
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
