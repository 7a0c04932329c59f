"""Where the links of an OpenAPI document lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from gco_conformance.model.positions import METHODS
from gco_conformance.model.references import Document, reference_of, resolve, unescaped, whole_item


def link_target(document: Document, link: Any) -> tuple[str, str] | None:
    """The path and method of the operation that a link, or a reference to one, leads to.

    `None` when it is none of the document's paths. Raises `Dangling` when there is no such link.
    """
    reference = reference_of(link)
    if reference is not None:
        return link_target(document, resolve(document, reference))
    if not isinstance(link, Mapping):
        return None
    to = link.get("operationRef")
    if isinstance(to, str) and to.startswith("#/paths/"):
        path, _, method = unquote(to).removeprefix("#/paths/").partition("/")
        return unescaped(path), method
    name = link.get("operationId")
    for path, item in document.get("paths", {}).items():
        if path.startswith("x-") or name is None:
            continue
        operations = whole_item(document, item)
        for method in METHODS & operations.keys():
            operation = operations[method]
            if isinstance(operation, dict) and operation.get("operationId") == name:
                return path, method
    return None
