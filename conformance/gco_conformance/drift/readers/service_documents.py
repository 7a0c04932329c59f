"""The services' OpenAPI documents: JSON or YAML, from files or from running services."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from gco_conformance.drift.place import Place, pointer_to, pointer_tokens
from gco_conformance.drift.problem import Problem, Unusable
from gco_conformance.drift.readers.configuration import Configuration, ServiceEntry
from gco_conformance.drift.readers.json_text import json_places, read_json
from gco_conformance.drift.readers.text import read_text, shown
from gco_conformance.drift.readers.yaml_tree import Tree, plain, read_documents
from gco_conformance.drift.service import Documented, Places, Service
from gco_conformance.model.positions import METHODS

ENDINGS = (".json", ".yaml", ".yml")
_HOPS = 100
_VARIABLE = re.compile(r"\{([^{}]*)\}")


def read_services(
    root: Path, configuration: Configuration, live: Mapping[str, Service | Problem]
) -> tuple[dict[str, Service], frozenset[str], list[Problem]]:
    """The services by name, those whose document can't be used, and why. `live` takes the place of files."""
    services: dict[str, Service] = {}
    problems: list[Problem] = []
    names = [entry.name for entry in configuration.services]
    for name, given in live.items():
        if isinstance(given, Problem):
            problems.append(given)
        else:
            services[name] = given
    for entry in configuration.services:
        if entry.name not in live:
            try:
                services[entry.name] = _read_entry(root, configuration.services_directory, entry)
            except Unusable as error:
                problems.append(error.problem)
    return services, frozenset([*names, *live]) - services.keys(), problems


def read_service_file(name: str, path: Path, *, written_by_people: bool = True) -> Service:
    """The service that a file describes. Raises `Unusable`."""
    is_json = path.suffix == ".json"
    return parse_service(name, read_text(path), shown(path), is_json=is_json, written_by_people=written_by_people)


def parse_service(name: str, text: str, file: str, *, is_json: bool, written_by_people: bool = True) -> Service:
    """The service that a text describes. Raises `Unusable`."""
    if is_json:
        document = read_json(text, file, written_by_people=written_by_people)
        return _service(name, file, document, lambda pointers: json_places(text, pointers))
    trees = list(read_documents(text, file))
    if len(trees) != 1:
        raise Unusable(Place(file), f"holds {len(trees)} YAML documents; an OpenAPI document is one")
    try:
        document = plain(trees[0])
    except RecursionError:
        raise Unusable(Place(file), "isn't usable YAML: it is nested too deeply") from None
    return _service(name, file, document, lambda pointers: _yaml_places(trees[0], pointers))


def _read_entry(root: Path, directory: str, entry: ServiceEntry) -> Service:
    if entry.file:
        return read_service_file(entry.name, root / entry.file)
    candidates = [root / directory / f"{entry.name}{ending}" for ending in ENDINGS]
    for candidate in candidates:
        if candidate.exists():
            return read_service_file(entry.name, candidate)
    raise Unusable(
        entry.place,
        f"there is no document {shown(candidates[0])} of the service {entry.name}",
        "a .yaml will do, too",
    )


def _service(name: str, file: str, document: Any, places: Places) -> Service:
    checked = _Checked(file, document, places)
    return Service(name, file, checked.document, tuple(checked.paths()), places)


class _Checked:
    """Reads what the gate needs of a document. Raises `Unusable` at what has the wrong type."""

    def __init__(self, file: str, document: Any, places: Places) -> None:
        self._file = file
        self._places = places
        self.document = self._mapping(document, "the document")
        version = self.document.get("openapi")
        if not isinstance(version, str) or not version.startswith("3."):
            found = "Swagger 2" if "swagger" in self.document else "no OpenAPI document"
            raise self._unusable(f"this is {found}: 'openapi' must be a version of OpenAPI 3")

    def paths(self) -> list[Documented]:
        base = self._base_path()
        found = []
        for path, item in self._mapping(self.document.get("paths", {}), "'paths'", "paths").items():
            if path.startswith("x-"):
                continue
            if not path.startswith("/"):
                raise self._unusable(f"the path {path!r} must begin with /", "paths", path)
            followed = self._followed(self._mapping(item, f"the path {path}", "paths", path), path)
            methods = tuple(sorted(METHODS & followed.keys()))
            for method in methods:
                self._mapping(followed[method], f"{method.upper()} {path}", "paths", path, method)
            found.append(Documented(base + path, pointer_to("paths", path), methods, followed))
        return found

    def _followed(self, item: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        """A path item with what it refers to; one in another file is taken as having no operations."""
        said: dict[str, Any] = {}
        for _ in range(_HOPS):
            reference = item.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                return {**item, **said} if said else item
            said = {**{key: value for key, value in item.items() if key != "$ref"}, **said}
            target: Any = self.document
            for token in pointer_tokens(unquote(reference[1:])):
                target = target.get(token) if isinstance(target, dict) else None
            if not isinstance(target, dict):
                raise self._unusable(f"the reference {reference} leads nowhere", "paths", path, "$ref")
            item = target
        raise self._unusable("the references of the path item never end", "paths", path, "$ref")

    def _base_path(self) -> str:
        servers = self.document.get("servers")
        first = servers[0] if isinstance(servers, list) and servers else {}
        url = str(first.get("url", "")) if isinstance(first, dict) else ""
        variables = first.get("variables") if isinstance(first, dict) else None
        defaults = {
            name: str(variable.get("default", ""))
            for name, variable in (variables.items() if isinstance(variables, dict) else ())
            if isinstance(variable, dict)
        }
        try:
            return urlsplit(_VARIABLE.sub(lambda match: defaults.get(match[1], ""), url)).path.rstrip("/")
        except ValueError:
            raise self._unusable(f"{url!r} is no URL", "servers", "0", "url") from None

    def _mapping(self, value: Any, what: str, *tokens: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._unusable(f"{what} must be an object", *tokens)
        return value

    def _unusable(self, message: str, *tokens: str) -> Unusable:
        pointer = pointer_to(*tokens)
        line, column = self._places([pointer]).get(pointer, (None, None)) if pointer else (None, None)
        return Unusable(Place(self._file, line, column, pointer), message)


def _yaml_places(tree: Tree, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Line and column of what each pointer leads to: of the key in a mapping, of the item in a list."""
    found: dict[str, tuple[int, int]] = {}
    for pointer in pointers:
        at: Tree | None = tree
        place: Place | None = None
        for token in pointer_tokens(pointer):
            at, place = _step(at, token)
        if place is not None and place.line is not None and place.column is not None:
            found[pointer] = (place.line, place.column)
    return found


def _step(tree: Tree | None, token: str) -> tuple[Tree | None, Place | None]:
    if tree is not None and tree.is_mapping:
        for key, key_tree, value in tree.entries(""):
            if key == token:
                return value, key_tree.place
    if tree is not None and tree.is_list and token.isdigit():
        items = tree.items("")
        if int(token) < len(items):
            return items[int(token)], items[int(token)].place
    return None, None
