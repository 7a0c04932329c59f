"""Which documented paths the gateway delivers to the service that documents them (contract section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gco_reference.composer.configuration import Configuration
from gco_reference.composer.documents import Document
from gco_reference.composer.routes import Route
from gco_reference.composer.routing import Router, segments


@dataclass(frozen=True)
class Surface:
    """`kept`: the delivered paths of each backend with their route; `unreachable`: the others, as listed."""

    kept: dict[str, dict[str, Route]]
    unreachable: list[dict[str, Any]]


def find_surface(documents: Iterable[Document], router: Router) -> Surface:
    """The surface of the backends' documents, which come in name order."""
    surface = Surface({}, [])
    templates: dict[str, tuple[str, Document]] = {}
    for document in documents:
        kept = surface.kept[document.service] = {}
        for path in sorted(document.paths):
            route = router.winner(path)
            if route is not None and route.service == document.service:
                _refuse_equal_template(templates, path, document)
                kept[path] = route
                continue
            surface.unreachable.append(
                {
                    "path": path,
                    "service": document.service,
                    "rule": route and route.prefix,
                    "deliveredTo": route and route.service,
                }
            )
    return surface


def _refuse_equal_template(templates: dict[str, tuple[str, Document]], path: str, document: Document) -> None:
    if "{" not in path:
        return
    other, owner = templates.setdefault(re.sub(r"\{[^}]*\}", "{}", path), (path, document))
    if other != path:
        raise document.error(f'the paths "{other}" (of {owner.file}) and "{path}" are one path in OpenAPI')


def check_backends(configuration: Configuration, backends: Iterable[str]) -> None:
    """Each backend must have a document."""
    missing = sorted(set(backends) - set(configuration.services))
    if missing:
        raise configuration.place("services").error(
            f"{configuration.manifest} delivers to {', '.join(missing)}, without a document among these"
        )


def check_internal_consumers(
    configuration: Configuration, backends: set[str], documents: dict[str, Document]
) -> None:
    """An internal service is no backend, and the service in front of it documents the prefix."""
    for service, consumer in sorted(configuration.internal_consumers.items()):
        place = configuration.place("internal_consumers").need(service)
        if service in backends:
            raise place.error(f"the gateway delivers to {service} after all")
        front = documents.get(consumer["via"])
        wanted = segments(consumer["pathPrefix"])
        paths = front.paths if front is not None else {}
        if not any(segments(path)[: len(wanted)] == wanted for path in paths):
            raise place.error(f'{consumer["via"]} documents no path that begins with "{consumer["pathPrefix"]}"')
