"""The composed document, put together from its parts (contract section 4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gco_reference.composer.configuration import Configuration, Security
from gco_reference.composer.documents import Document
from gco_reference.composer.gateway_facts import gateway_facts
from gco_reference.composer.manifest import Manifest
from gco_reference.composer.merging import Merged
from gco_reference.composer.routes import Route
from gco_reference.composer.surface import Surface


def assemble(
    configuration: Configuration,
    manifest: Manifest,
    routes: Iterable[Route],
    documents: dict[str, Document],
    surface: Surface,
    merged: Merged,
) -> dict[str, Any]:
    """The composed document without its version."""
    backends = sorted(surface.kept)
    paths: dict[str, Any] = {}
    components: dict[str, dict[str, Any]] = {"schemas": {}}
    for part in merged.parts:
        if part.key.kind == "paths":
            paths[part.key.name] = part.value
        else:
            components.setdefault(part.key.kind, {})[merged.names.of(part.key)] = part.value
    return {
        "info": {"title": manifest.gateway.name, "version": "1.0.0", **configuration.info},
        "servers": [configuration.server],
        "tags": [{"name": name, "description": f"What the gateway delivers to {name}."} for name in backends],
        "paths": paths,
        "components": {**components, "securitySchemes": _security_schemes(configuration.security)},
        "x-gco-source": _source(configuration, [documents[name] for name in backends]),
        "x-gco-gateway": gateway_facts(manifest),
        "x-gco-routes": [
            {"prefix": route.prefix, "service": route.service, "port": route.port} for route in routes
        ],
        "x-gco-unreachable": surface.unreachable,
        "x-gco-not-exposed": _among(configuration.internal_consumers, configuration.services),
        "x-gco-downstream": _among(configuration.downstream, backends),
        "x-gco-unauthenticated-paths": sorted(configuration.unauthenticated_paths),
    }


def _among(entries: dict[str, Any], services: Iterable[str]) -> dict[str, Any]:
    return {service: entries[service] for service in services if service in entries}


def _security_schemes(security: Security) -> dict[str, Any]:
    envelope = f" over the headers {', '.join(security.envelope)}" if security.envelope else ""
    description = f"The request's signature{envelope}, checked by the gateway's backends."
    scheme = {"type": "apiKey", "in": "header", "name": security.header, "description": description}
    return {security.scheme: scheme}


def _source(configuration: Configuration, backends: list[Document]) -> dict[str, Any]:
    source: dict[str, Any] = {
        "kind": "cluster-gateway",
        "generator": "gco-reference",
        "manifest": configuration.manifest,
        "composedFrom": sorted(document.file for document in backends),
    }
    replaced = {document.service: found for document in backends if (found := _security(document))}
    if replaced:
        source["replacedSecurity"] = replaced
    return source


def _security(document: Document) -> list[str]:
    """Where the document states a security of its own, which the gateway's takes the place of."""
    stated = {
        "components.securitySchemes": document.components("securitySchemes"),
        "security": document.tree.get("security"),
    }
    return [place for place, value in stated.items() if value]
