"""What an OpenAPI document says about requests and answers, references followed.

Schemas are given by the JSON Pointer at which they stand, since that is where their references start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from gco_conformance.model.positions import METHODS
from gco_conformance.model.references import Document, at, reference_of, resolve

STYLES: Mapping[str, str] = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
_IGNORED = frozenset({"accept", "content-type", "authorization"})
_HOPS = 50


@dataclass(frozen=True)
class Content:
    """A schema for a media type; `schema` is "" where there is none."""

    media_type: str
    schema: str
    value: Mapping[str, Any]


@dataclass(frozen=True)
class Parameter:
    """A parameter. `media_type` is "" unless its text is the content of a document of that type.

    `kinds` are the JSON types that its schema names.
    """

    name: str
    location: str
    required: bool
    style: str
    explode: bool
    schema: str
    media_type: str = ""
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Body:
    required: bool
    contents: tuple[Content, ...]


@dataclass(frozen=True)
class Answer:
    """A documented response: its key, such as 200, 2XX or default, its contents and its headers' schemas."""

    status: str
    contents: tuple[Content, ...]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Operation:
    """An operation; `method` is in upper case."""

    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Body | None
    answers: tuple[Answer, ...]


def operations(document: Document, base: str = "") -> Iterator[Operation]:
    """The operations of a document, below a base path. Raises `Dangling` at a reference that leads nowhere."""
    for path, item in document.get("paths", {}).items():
        if path.startswith("x-") or not isinstance(item, dict):
            continue
        for place, node in _path_items(document, f"/paths/{_token(path)}"):
            for method in sorted(METHODS & node.keys()):
                yield _operation(document, base + path, place, node, method)


def _path_items(document: Document, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A path item and the one that it refers to, as far as that has other operations."""
    seen: set[str] = set()
    for _ in range(_HOPS):
        node = at(document, place)
        rest = {key: value for key, value in node.items() if key not in seen}
        seen |= node.keys()
        yield place, rest
        reference = reference_of(node)
        if reference is None or not reference.startswith("#/"):
            return
        place = unquote(reference[1:])


def _operation(document: Document, path: str, place: str, item: Mapping[str, Any], method: str) -> Operation:
    operation = item[method]
    own = f"{place}/{method}"
    parameters: dict[tuple[str, str], Parameter] = {}
    shared = at(document, place).get("parameters", ())
    for holder, entries in ((place, shared), (own, operation.get("parameters", ()))):
        for index in range(len(entries)):
            parameter = _parameter(document, f"{holder}/parameters/{index}")
            parameters[parameter.location, parameter.name] = parameter
    kept = tuple(p for p in parameters.values() if p.location != "header" or p.name.lower() not in _IGNORED)
    body = _body(document, f"{own}/requestBody") if "requestBody" in operation else None
    answers = tuple(
        _answer(document, status, f"{own}/responses/{_token(status)}")
        for status in operation.get("responses", {})
        if not status.startswith("x-")
    )
    return Operation(method.upper(), path, kept, body, answers)


def _parameter(document: Document, place: str) -> Parameter:
    place, node = _followed(document, place)
    location = str(node.get("in"))
    style = str(node.get("style", STYLES.get(location, "form")))
    contents = _contents(node, place)
    return Parameter(
        name=str(node.get("name")),
        location=location,
        required=bool(node.get("required")) or location == "path",
        style=style,
        explode=bool(node.get("explode", style == "form")),
        schema=contents[0].schema if contents else f"{place}/schema" if "schema" in node else "",
        media_type=contents[0].media_type if contents else "",
        kinds=frozenset(_kinds(document, node.get("schema"), _HOPS)),
    )


def _kinds(document: Document, schema: Any, hops: int) -> Iterator[str]:
    """The types that a schema names, or that what it refers to and consists of names."""
    if not isinstance(schema, dict) or hops == 0:
        return
    named = schema.get("type", ())
    yield from [named] if isinstance(named, str) else named
    reference = reference_of(schema)
    parts = [resolve(document, reference)] if reference is not None else []
    for key in ("allOf", "anyOf", "oneOf"):
        parts += schema.get(key, ())
    for part in parts:
        yield from _kinds(document, part, hops - 1)


def _body(document: Document, place: str) -> Body:
    place, node = _followed(document, place)
    return Body(bool(node.get("required")), _contents(node, place))


def _answer(document: Document, status: str, place: str) -> Answer:
    place, node = _followed(document, place)
    headers = {}
    for name in node.get("headers", {}):
        if name.lower() != "content-type":
            where, header = _followed(document, f"{place}/headers/{_token(name)}")
            headers[name] = f"{where}/schema" if "schema" in header else ""
    return Answer(status, _contents(node, place), headers)


def _contents(node: Mapping[str, Any], place: str) -> tuple[Content, ...]:
    return tuple(
        Content(media_type, f"{place}/content/{_token(media_type)}/schema" if "schema" in value else "", value)
        for media_type, value in node.get("content", {}).items()
    )


def _followed(document: Document, place: str) -> tuple[str, Mapping[str, Any]]:
    """Where an object really stands, and the object itself."""
    node = at(document, place)
    for _ in range(_HOPS):
        reference = reference_of(node)
        if reference is None or not reference.startswith("#/"):
            break
        place = unquote(reference[1:])
        node = at(document, place)
    return place, node


def _token(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


def fragment(pointer: str) -> str:
    """A JSON Pointer as the fragment of a URI (RFC 6901, section 6)."""
    return quote(pointer, safe="/~!$&'()*+,;=:@-._")
