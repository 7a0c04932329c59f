"""The configuration: `gateway-composition.yaml` as composers read it, and what the gate alone reads in it.

Beyond the composer contract's section 1, `manifest` may be a directory or a list, `services` a mapping of names
to files, and `drift` holds what is for the gate alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem, Unusable, kept_in
from gco_conformance.drift.readers.suppressions import Suppression, read_suppressions
from gco_conformance.drift.readers.yaml_tree import Tree, plain, read_documents

FILE: Final = "gateway-composition.yaml"
SERVICES_DIRECTORY: Final = "docs/openapi"
OUTPUT: Final = "docs/openapi/cluster-gateway.json"
SCHEME: Final = "gcoHmac"


_Reader = Callable[["Configuration", Tree, list[Problem]], "Configuration"]


@dataclass(frozen=True)
class Named:
    """A text of the configuration and where it stands."""

    text: str
    place: Place


@dataclass(frozen=True)
class ServiceEntry:
    """A service of `services`. `file` is "" where it is looked for in `services_dir`."""

    name: str
    file: str
    place: Place


@dataclass(frozen=True)
class InternalConsumer:
    """A service that is reachable only through `via`, below `prefix`."""

    name: str
    via: str
    prefix: str
    place: Place
    prefix_place: Place


@dataclass(frozen=True)
class Decision:
    """An entry of `expected_winners`."""

    path: str
    service: str
    reason: str
    place: Place


@dataclass(frozen=True)
class Configuration:
    """What a checkout's configuration says. Every file is relative to the checkout's root."""

    place: Place
    manifests: tuple[Named, ...] = ()
    services_directory: str = SERVICES_DIRECTORY
    services: tuple[ServiceEntry, ...] = ()
    output: Named = Named(OUTPUT, Place(FILE))
    """Where the composed document is; nothing is composed if it is ""."""
    output_is_given: bool = False
    unauthenticated: tuple[Named, ...] = ()
    internal: tuple[InternalConsumer, ...] = ()
    decisions: tuple[Decision, ...] = ()
    scheme: str = SCHEME
    suppressions: tuple[Suppression, ...] = ()


def read_configuration(text: str, file: str) -> tuple[Configuration, list[Problem]]:
    """The configuration and what is wrong with it: a part that can't be used is left out."""
    problems: list[Problem] = []
    configuration = Configuration(Place(file), output=Named(OUTPUT, Place(file)))
    try:
        documents = list(read_documents(text, file))
        if not documents:
            raise Unusable(Place(file), "is empty", "'gco-conformance drift init' writes one")
        if len(documents) > 1:
            raise Unusable(documents[1].place, "holds a second YAML document", "keep one")
        plain(documents[0])
        entries = documents[0].entries("the configuration")
    except Unusable as error:
        return configuration, [error.problem]
    for key, key_tree, value in entries:
        with kept_in(problems):
            reader = _READERS.get(key)
            if reader is None:
                raise Unusable(key_tree.place, f"unknown key '{key}'", _nearest(key))
            if value.value is not None or key == "output":
                configuration = reader(configuration, value, problems)
    return configuration, problems


def _manifest(configuration: Configuration, tree: Tree, _: list[Problem]) -> Configuration:
    trees = tree.items("manifest") if tree.is_list else [tree]
    return replace(configuration, manifests=tuple(_file(item, "manifest") for item in trees))


def _services_directory(configuration: Configuration, tree: Tree, _: list[Problem]) -> Configuration:
    return replace(configuration, services_directory=_file(tree, "services_dir").text)


def _services(configuration: Configuration, tree: Tree, problems: list[Problem]) -> Configuration:
    entries: dict[str, ServiceEntry] = {}
    if tree.is_mapping:
        for name, key, value in tree.entries("services"):
            with kept_in(problems):
                entries[name] = ServiceEntry(name, _file(value, f"services.{name}").text, key.place)
    else:
        for item in tree.items("services"):
            with kept_in(problems):
                name = item.text("a service's name")
                if name in entries:
                    raise Unusable(item.place, f"the service {name} is listed twice")
                entries[name] = ServiceEntry(name, "", item.place)
    return replace(configuration, services=tuple(entries.values()))


def _output(configuration: Configuration, tree: Tree, _: list[Problem]) -> Configuration:
    if tree.value is None:
        return replace(configuration, output=Named("", tree.place))
    return replace(configuration, output=_file(tree, "output"), output_is_given=True)


def _unauthenticated(configuration: Configuration, tree: Tree, problems: list[Problem]) -> Configuration:
    found = []
    for item in tree.items("unauthenticated_paths"):
        with kept_in(problems):
            found.append(Named(_path(item, "an unauthenticated path"), item.place))
    return replace(configuration, unauthenticated=tuple(found))


def _internal(configuration: Configuration, tree: Tree, problems: list[Problem]) -> Configuration:
    found = []
    for name, key, value in tree.entries("internal_consumers"):
        with kept_in(problems):
            where = f"internal_consumers.{name}"
            value.entries(where)
            via, prefix = _required(value, "via", where), _required(value, "pathPrefix", where)
            found.append(
                InternalConsumer(
                    name, via.text(f"{where}.via"), _path(prefix, f"{where}.pathPrefix"), key.place, prefix.place
                )
            )
    return replace(configuration, internal=tuple(found))


def _decisions(configuration: Configuration, tree: Tree, problems: list[Problem]) -> Configuration:
    found = []
    for path, key, value in tree.entries("expected_winners"):
        with kept_in(problems):
            where = f"expected_winners.{path}"
            value.entries(where)
            service = _required(value, "service", where).text(f"{where}.service")
            reason = value.get("reason")
            found.append(Decision(path, service, "" if reason is None else str(reason.value), key.place))
    return replace(configuration, decisions=tuple(found))


def _security(configuration: Configuration, tree: Tree, _: list[Problem]) -> Configuration:
    tree.entries("security")
    scheme = tree.get("scheme")
    return configuration if scheme is None else replace(configuration, scheme=scheme.text("security.scheme"))


def _for_the_gate(configuration: Configuration, tree: Tree, problems: list[Problem]) -> Configuration:
    for key, key_tree, value in tree.entries("drift"):
        with kept_in(problems):
            if key != "suppressions":
                raise Unusable(key_tree.place, f"unknown key 'drift.{key}'", "the only one is 'suppressions'")
            suppressions, more = read_suppressions(value)
            problems.extend(more)
            configuration = replace(configuration, suppressions=suppressions)
    return configuration


def _for_composers(key: str) -> _Reader:
    """A key that only composers read: it must be a mapping, they say what must be in it."""

    def check(configuration: Configuration, tree: Tree, _: list[Problem]) -> Configuration:
        tree.entries(key)
        return configuration

    return check


_READERS: Final[dict[str, _Reader]] = {
    "manifest": _manifest,
    "services_dir": _services_directory,
    "services": _services,
    "output": _output,
    "unauthenticated_paths": _unauthenticated,
    "internal_consumers": _internal,
    "downstream": _for_composers("downstream"),
    "info": _for_composers("info"),
    "server": _for_composers("server"),
    "security": _security,
    "expected_winners": _decisions,
    "drift": _for_the_gate,
}


def _nearest(key: str) -> str:
    # Loaded only when something is misspelled.
    import difflib

    close = difflib.get_close_matches(key, _READERS, n=1)
    return f"did you mean '{close[0]}'?" if close else f"the keys are {', '.join(_READERS)}"


def _file(tree: Tree, what: str) -> Named:
    text = tree.text(what)
    if not text or text.startswith("/") or "\0" in text:
        raise Unusable(tree.place, f"{what} must be a path relative to the checkout")
    return Named(text, tree.place)


def _path(tree: Tree, what: str) -> str:
    text = tree.text(what)
    if not text.startswith("/"):
        raise Unusable(tree.place, f"{what} must begin with /")
    return text


def _required(tree: Tree, key: str, where: str) -> Tree:
    found = tree.get(key)
    if found is None:
        raise Unusable(tree.place, f"{where} has no '{key}'")
    return found
