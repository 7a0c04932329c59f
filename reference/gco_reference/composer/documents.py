"""A service's OpenAPI document, read and with its paths as the gateway's clients write them."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gco_reference.composer import pointers, strict_json
from gco_reference.composer.configuration import Configuration
from gco_reference.composer.errors import ComposeError
from gco_reference.composer.files import read_text
from gco_reference.composer.versions import Version, read_version


@dataclass(eq=False)
class Document:
    """`tree` is the document as read, `paths` has its path items by full path.

    A full path includes the base path; a path item's `$ref` is resolved.
    """

    service: str
    file: str
    tree: dict[str, Any]
    version: Version
    paths: dict[str, Any] = field(default_factory=dict)
    base_path: str = ""

    def error(self, message: str) -> ComposeError:
        """An error in this document, to be raised by the caller."""
        return ComposeError(message, self.file)

    def components(self, kind: str) -> dict[str, Any]:
        """The components of `kind`, by name."""
        components = self._object(self.tree.get("components", {}), "components")
        return self._object(components.get(kind, {}), f"components.{kind}")

    def _object(self, value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.error(f"{place} must be an object")
        return value


def read_document(root: Path, service: str, configuration: Configuration) -> Document:
    """The document of `service`; its paths aren't read yet."""
    file = configuration.document_path(service)
    tree = strict_json.parse(read_text(root, file, configuration.place("services")), file)
    if not isinstance(tree, dict):
        raise ComposeError("must be a JSON object", file)
    return Document(service, file, tree, read_version(tree, file))


def read_paths(document: Document, methods: tuple[str, ...]) -> None:
    """Fills `document.paths` and `document.base_path`; `servers` that override the gateway are refused."""
    document.base_path = base_path(document)
    paths = document.tree.get("paths", {})
    if not isinstance(paths, dict):
        raise document.error("paths must be an object")
    for path, item in paths.items():
        if path.startswith("x-"):
            continue
        if not path.startswith("/"):
            raise document.error(f'the path "{path}" must begin with /')
        resolved = paths[path] = _resolved(document, path, item)
        _check_item(document, path, resolved, methods)
        document.paths[document.base_path + path] = resolved


def base_path(document: Document) -> str:
    """The path that the document's servers put before its paths, without a slash at the end ("" for none)."""
    servers = document.tree.get("servers", [])
    if not isinstance(servers, list) or not all(
        isinstance(server, dict) and isinstance(server.get("url"), str) for server in servers
    ):
        raise document.error("servers must be a list of objects with a url")
    found = {_url_path(document, server["url"]) for server in servers} or {""}
    if len(found) > 1:
        raise document.error(f"servers: several base paths ({', '.join(map(repr, sorted(found)))}), one is needed")
    return found.pop()


def _url_path(document: Document, url: str) -> str:
    path = re.sub(r"^([^/?#]*:)?//[^/?#]*", "", url)
    path = re.split(r"[?#]", path)[0].rstrip("/")
    if path in ("", "."):
        return ""
    if "{" in path:
        raise document.error(f'servers: the base path of "{url}" has a variable, so that it can\'t be known')
    if not path.startswith("/") or {".", ".."} & set(path.split("/")):
        raise document.error(f'servers: the base path of "{url}" isn\'t written from the root')
    return path


def _resolved(document: Document, path: str, item: Any) -> dict[str, Any]:
    """The path item with its `$ref` (and the ones behind it) replaced by what they lead to."""
    where = f'paths "{path}"'
    seen: set[str] = set()
    while True:
        if not isinstance(item, dict):
            raise document.error(f"{where} must be an object")
        if "$ref" not in item:
            return item
        reference = item["$ref"]
        tokens = pointers.parse(reference) if isinstance(reference, str) else None
        if tokens is None:
            raise document.error(f"{where}: the reference {reference!r} isn't a local one, which isn't supported")
        target = pointers.follow(document.tree, tokens)
        if target is pointers.MISSING or reference in seen:
            raise document.error(f'{where}: the reference "{reference}" leads nowhere')
        seen.add(reference)
        own = {key: value for key, value in item.items() if key != "$ref"}
        if not isinstance(target, dict) or own.keys() & target.keys():
            raise document.error(f'{where}: what "{reference}" leads to can\'t be merged with the path item')
        item = {**deepcopy(target), **own}


def _check_item(document: Document, path: str, item: dict[str, Any], methods: tuple[str, ...]) -> None:
    for place, holder in [
        ("", item),
        *((f".{method}", item[method]) for method in methods if method in item),
    ]:
        if not isinstance(holder, dict):
            raise document.error(f'paths "{path}"{place} must be an object')
        if holder.get("servers"):
            raise document.error(f'paths "{path}"{place}: servers override the gateway, which isn\'t supported')
