"""A person's checkout, read from a directory, with a clear error where it isn't one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from gco_conformance.checkouts.checkout import CONFIGURATION, DEFAULT_SERVICES_DIRECTORY, Checkout, yaml_loader
from gco_conformance.errors import UsageError
from gco_conformance.importing import ALONE

_PATH_ITEMS = "#/components/pathItems/"
ONLY_PREFIXES = "only path prefixes are routed here"


def read_checkout(root: Path) -> Checkout:
    """The checkout at `root`: its configuration, and the files that this names.

    Raises `UsageError` for what can't be routed: one HTTPRoute is needed whose rules have path prefixes and one
    Service each, and a document for each of these.
    """
    if not root.is_dir():
        raise UsageError(f"{root}: is no directory", "name the root of a checkout")
    configuration = _mapping(_only(_yaml(root / CONFIGURATION)), root / CONFIGURATION)
    manifest = configuration.get("manifest")
    services = configuration.get("services")
    if not isinstance(manifest, str):
        raise UsageError(f"{root / CONFIGURATION}: manifest must name a file")
    if not isinstance(services, list) or not all(isinstance(name, str) for name in services):
        raise UsageError(f"{root / CONFIGURATION}: services must be a list of names")
    directory = configuration.get("services_dir", DEFAULT_SERVICES_DIRECTORY)
    files = [CONFIGURATION, manifest, *(f"{directory}/{name}.json" for name in services)]
    checkout = Checkout.of({name: _bytes(root / name) for name in files})
    for name in files[2:]:
        _check_document(root / name)
    backends = _backends(root / manifest)
    unknown = sorted(set(backends) - set(services))
    if unknown:
        raise UsageError(
            f"{root / manifest}: no document for {', '.join(unknown)}", f"list them in services in {CONFIGURATION}"
        )
    return checkout


def _backends(manifest: Path) -> Sequence[str]:
    """The Services that the rules of the manifest's HTTPRoute name."""
    routes = [one for one in _yaml(manifest) if isinstance(one, dict) and one.get("kind") == "HTTPRoute"]
    if len(routes) != 1:
        raise UsageError(f"{manifest}: one HTTPRoute is needed, there are {len(routes)}")
    try:
        namespace = routes[0]["metadata"]["namespace"]
        rules = routes[0]["spec"]["rules"]
    except (KeyError, TypeError):
        raise UsageError(f"{manifest}: the HTTPRoute needs metadata.namespace and spec.rules") from None
    if not isinstance(namespace, str) or not isinstance(rules, list):
        raise UsageError(f"{manifest}: metadata.namespace must be text and spec.rules a list")
    return [_backend(rule, f"{manifest}: rule {number}") for number, rule in enumerate(rules, 1)]


def _backend(rule: Any, place: str) -> str:
    if not isinstance(rule, dict):
        raise UsageError(f"{place}: must be a mapping")
    if rule.get("filters"):
        raise UsageError(f"{place}: has filters, which aren't simulated")
    for match in _list(rule.get("matches"), f"{place}: matches"):
        path = match.get("path", {}) if isinstance(match, dict) else None
        if not isinstance(path, dict) or match.keys() - {"path"}:
            raise UsageError(f"{place}: matches by more than a path", ONLY_PREFIXES)
        if path.get("type", "PathPrefix") != "PathPrefix" or not isinstance(path.get("value", "/"), str):
            raise UsageError(f"{place}: has a match of the type {path.get('type')}", ONLY_PREFIXES)
    backends = _list(rule.get("backendRefs"), f"{place}: backendRefs")
    if len(backends) != 1 or not isinstance(backends[0], dict):
        raise UsageError(f"{place}: needs one backendRef, has {len(backends)}")
    name, port = backends[0].get("name"), backends[0].get("port")
    if not isinstance(name, str) or not isinstance(port, int):
        raise UsageError(f"{place}: its backendRef needs a name and a port")
    return name


def _list(value: Any, place: str) -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise UsageError(f"{place} must be a list")
    return value or []


def _check_document(file: Path) -> None:
    try:
        document = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: isn't JSON: {error}") from None
    paths = _mapping(document, file).get("paths", {})
    if not isinstance(paths, dict) or not all(isinstance(item, dict) for item in paths.values()):
        raise UsageError(f"{file}: isn't an OpenAPI document: paths must be an object of objects")
    named = document.get("components", {}).get("pathItems", {})
    for path, item in paths.items():
        reference = str(item.get("$ref", ""))
        if reference.startswith(_PATH_ITEMS) and reference.removeprefix(_PATH_ITEMS) not in named:
            raise UsageError(f"{file}: {path} refers to {reference}, which isn't there")


def _yaml(file: Path) -> Iterator[Any]:
    with ALONE:
        import yaml

    text = _bytes(file)
    try:
        yield from list(yaml.load_all(text, Loader=yaml_loader()))
    except (yaml.YAMLError, ValueError) as error:
        _not_yaml(file, error)


def _not_yaml(file: Path, error: Exception) -> NoReturn:
    mark = getattr(error, "problem_mark", None)
    place = f"{file}:{mark.line + 1}" if mark is not None else str(file)
    raise UsageError(f"{place}: isn't YAML: {getattr(error, 'problem', None) or error}") from None


def _only(documents: Iterator[Any]) -> Any:
    return next(documents, None)


def _mapping(value: Any, file: Path) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{file}: must be a mapping")
    return value


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
