"""What each kept operation gets: tags, security and where the gateway delivers it (contract section 4)."""

from __future__ import annotations

from typing import Any

from gco_reference.composer.configuration import Configuration
from gco_reference.composer.parts import Part
from gco_reference.composer.routes import Route
from gco_reference.composer.routing import Router


def annotate(part: Part, configuration: Configuration, router: Router, namespace: str | None) -> None:
    """Annotates the operations of the path item `part`."""
    path, service = part.key.name, part.key.service
    route = router.winner(path)
    assert route is not None  # the path is kept
    is_open = path in configuration.unauthenticated_paths
    shadows = [{"rule": shadow.prefix, "service": shadow.service} for shadow in router.shadows(path, service)]
    own = _own_operations(part)
    for operation in part.operations:
        if id(operation) not in own:
            continue
        operation["tags"] = [service, *(tag for tag in _tags(part, operation) if tag != service)]
        operation["security"] = [] if is_open else [{configuration.security.scheme: []}]
        operation["x-gco-route"] = _route(route, namespace)
        operation.pop("x-gco-shadowed-by", None)
        if shadows:
            operation["x-gco-shadowed-by"] = shadows


def drop_security(part: Part) -> None:
    """Frees the operations of `part`, those in callbacks included, of the service's security schemes."""
    for operation in part.operations:
        operation.pop("security", None)


def _own_operations(part: Part) -> set[int]:
    """The operations of the path item itself, as opposed to those in callbacks."""
    item = part.value
    return {id(value) for value in [*item.values(), *item.get("additionalOperations", {}).values()]}


def _tags(part: Part, operation: dict[str, Any]) -> list[str]:
    tags = operation.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise part.error("tags must be a list of text")
    return tags


def _route(route: Route, namespace: str | None) -> dict[str, Any]:
    return {"rule": route.prefix, "service": route.service, "namespace": namespace, "port": route.port}
