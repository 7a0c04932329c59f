"""What a repository holds that the gate can compare: manifests with HTTPRoutes, and OpenAPI documents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gco_conformance.drift.gateway_api import HttpRoute
from gco_conformance.drift.problem import Unusable
from gco_conformance.drift.readers.http_routes import read_http_route
from gco_conformance.drift.readers.json_text import read_json
from gco_conformance.drift.readers.manifests import objects
from gco_conformance.drift.readers.text import read_text
from gco_conformance.drift.readers.yaml_tree import plain, read_documents

SIZE_LIMIT: Final = 16 * 1024 * 1024
_SKIPPED = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages", "target", "vendor", "venv"})
_OPENAPI = re.compile(r"""^\s*\{?\s*["']?openapi["']?\s*:""", re.MULTILINE)


@dataclass(frozen=True)
class FoundDocument:
    """An OpenAPI document, relative to the root."""

    file: str
    title: str
    composed: bool
    """Written by a composer, from others."""


@dataclass(frozen=True)
class Repository:
    """Files are relative to the root and sorted."""

    manifests: Mapping[str, tuple[HttpRoute, ...]]
    documents: tuple[FoundDocument, ...]
    templates: tuple[str, ...]
    """Files that have an HTTPRoute and aren't YAML before a program such as Helm has filled them in."""


def look_at(root: Path) -> Repository:
    """Everything of use below `root`. Files that can't be read are passed over."""
    manifests: dict[str, tuple[HttpRoute, ...]] = {}
    documents: list[FoundDocument] = []
    templates: list[str] = []
    for path in _files(root):
        name = path.relative_to(root).as_posix()
        try:
            text = read_text(path)
        except Unusable:
            continue
        if "HTTPRoute" in text:
            try:
                routes = tuple(_routes(text, name))
            except Unusable:
                if "{{" in text:
                    templates.append(name)
                continue
            if routes:
                manifests[name] = routes
        if _OPENAPI.search(text):
            document = _document(text, name)
            if document is not None:
                documents.append(document)
    return Repository(manifests, tuple(documents), tuple(templates))


def _files(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in _SKIPPED and not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix in (".yaml", ".yml", ".json") and path.is_file() and path.stat().st_size <= SIZE_LIMIT:
                yield path


def _routes(text: str, name: str) -> Iterator[HttpRoute]:
    for document in read_documents(text, name):
        plain(document)
        for tree in objects(document):
            kind, version = tree.get("kind"), tree.get("apiVersion")
            if kind is not None and kind.value == "HTTPRoute" and version is not None:
                yield read_http_route(tree)


def _document(text: str, name: str) -> FoundDocument | None:
    try:
        document = _value(text, name)
    except (Unusable, RecursionError):
        return None
    if not isinstance(document, dict) or not str(document.get("openapi", "")).startswith("3."):
        return None
    if not isinstance(document.get("paths"), dict):
        return None
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else ""
    return FoundDocument(name, str(title or ""), "x-gco-source" in document)


def _value(text: str, name: str) -> Any:
    if name.endswith(".json"):
        return read_json(text, name)
    trees = list(read_documents(text, name))
    return plain(trees[0]) if len(trees) == 1 else None
