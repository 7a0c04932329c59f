"""What each kept operation gets: tags, security and where the gateway delivers it (contract section 4)."""

from __future__ import annotations

from typing import Any

from gco_reference.composer.configuration import Configuration
from gco_reference.composer.manifest import Manifest
from gco_reference.composer.parts import Part
from gco_reference.composer.routes import Route
from gco_reference.composer.routing import Router


def annotate(part: Part, route: Route, router: Router, manifest: Manifest, configuration: Configuration) -> None:
    """Annotates the operations of the path item `part`, which `route` delivers."""
    path, service = part.key.name, part.key.service
    security: list[Any] = (
        [] if path in configuration.unauthenticated_paths else [{configuration.security.scheme: []}]
    )
    delivery = {
        "rule": route.prefix,
        "service": service,
        "namespace": manifest.http_route.namespace,
        "port": route.port,
    }
    shadows = [{"rule": shadow.prefix, "service": shadow.service} for shadow in router.shadows(path, service)]
    for operation in part.operations:
        operation["tags"] = [service, *(tag for tag in _tags(part, operation) if tag != service)]
        operation["security"] = security
        operation["x-gco-route"] = delivery
        operation.pop("x-gco-shadowed-by", None)
        if shadows:
            operation["x-gco-shadowed-by"] = shadows


def drop_security(part: Part) -> None:
    """Frees the operations of `part`, those in callbacks included, of the service's security schemes."""
    for operation in part.all_operations():
        operation.pop("security", None)


def _tags(part: Part, operation: dict[str, Any]) -> list[str]:
    tags = operation.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise part.error("tags must be a list of text")
    return tags
