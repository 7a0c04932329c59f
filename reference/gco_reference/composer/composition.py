"""From a checkout to its composed document, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gco_reference.composer.assembly import assemble
from gco_reference.composer.attachment import check_attachment
from gco_reference.composer.configuration import Configuration, read_configuration
from gco_reference.composer.dialects import common_dialect
from gco_reference.composer.documents import read_document, read_paths
from gco_reference.composer.errors import ComposeError
from gco_reference.composer.gathering import gather
from gco_reference.composer.interpreter import composing
from gco_reference.composer.manifest import read_manifest
from gco_reference.composer.merging import merge
from gco_reference.composer.operations import annotate, drop_security
from gco_reference.composer.positions import methods, table
from gco_reference.composer.routes import read_routes
from gco_reference.composer.routing import Router
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
    with composing():
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
    merged = merge(gathering, documents)
    for part in merged.parts:
        drop_security(part)
        if part.key.kind == "paths":
            annotate(part, surface.kept[part.key.service][part.key.name], router, manifest, configuration)
    composed = assemble(configuration, manifest, routes, documents, surface, merged)
    composed["openapi"] = version.text
    if dialect is not None:
        composed["jsonSchemaDialect"] = dialect
    return composed


def _is_front(service: str, configuration: Configuration) -> bool:
    return any(consumer["via"] == service for consumer in configuration.internal_consumers.values())
