"""A simulated service: which requests its OpenAPI document allows, and what it answers to others."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

from jsonschema.exceptions import UnknownType, ValidationError
from referencing.exceptions import Unresolvable

from gco_conformance.gateway.description import Body, Content, Operation, Parameter, operations
from gco_conformance.gateway.parameters import Sent, scalar
from gco_conformance.gateway.refusals import NOT_AN_OBJECT, described, json_reply, problem
from gco_conformance.gateway.templates import Templates
from gco_conformance.gateway.validators import Validators
from gco_conformance.http_messages import Reply, Request
from gco_conformance.model.references import Dangling, Document

UNUSABLE = (Dangling, Unresolvable, UnknownType, RecursionError, re.error, AttributeError, KeyError, TypeError)
"""What using a document raises that is no valid OpenAPI."""

MOST_READINGS = 256
"""Of a form: how many of the values that its texts may stand for are tried."""


@dataclass(frozen=True)
class Found:
    """The documented path that a request is for, the texts of its parameters, and its operations by method."""

    template: str
    texts: Mapping[str, str]
    methods: Mapping[str, Operation]


class Service:
    """What an OpenAPI document says about requests, below a base path.

    Asking raises one of `UNUSABLE` where the document is no valid OpenAPI.
    """

    def __init__(self, document: Document, base: str = "") -> None:
        self.validators = Validators(document)
        self.document = document
        self.base = base

    @cached_property
    def by_path(self) -> Mapping[str, Mapping[str, Operation]]:
        """The operations by path template and method."""
        found: dict[str, dict[str, Operation]] = {}
        for operation in operations(self.document, self.base):
            found.setdefault(operation.path, {}).setdefault(operation.method, operation)
        return found

    def unusable(self) -> str:
        """Why no request can be judged by the document, "" when some can."""
        try:
            self.find("/")
        except UNUSABLE as error:
            return error_line(error)
        return ""

    @cached_property
    def _templates(self) -> Templates:
        return Templates(self.by_path)

    def find(self, path: str) -> Found | None:
        """What a path as it was sent is for."""
        found = self._templates.find(path)
        return None if found is None else Found(found[0], found[1], self.by_path[found[0]])

    def refusal(self, request: Request, path: str) -> Reply | None:
        """What is answered to a request for `path` that the document doesn't allow; None when it does."""
        found = self.find(path)
        if found is None:
            return json_reply(404, {"detail": "Not Found"})
        operation = found.methods.get(request.method)
        if operation is None:
            return json_reply(405, {"detail": "Method Not Allowed"}, ("Allow", ", ".join(sorted(found.methods))))
        errors = self.errors(operation, request, found.texts)
        return json_reply(422, {"detail": errors}) if errors else None

    def errors(self, operation: Operation, request: Request, texts: Mapping[str, str]) -> list[dict[str, Any]]:
        """What is wrong with a request for an operation. `texts` are the parameters in its path."""
        sent = Sent(request, texts)
        return [*self._parameter_errors(operation, sent), *self._body_errors(operation.body, request)]

    def _parameter_errors(self, operation: Operation, sent: Sent) -> Iterator[dict[str, Any]]:
        values = [(parameter, sent.values(parameter)) for parameter in operation.parameters]
        for parameter, value in values:
            if value is None and parameter.required:
                yield problem("missing", (parameter.location, parameter.name), "Field required", None)
        for parameter, value in values:
            if value is not None and parameter.schema:
                yield from self._misfits(parameter, *value)

    def _misfits(self, parameter: Parameter, text: str, candidates: list[Any]) -> Iterator[dict[str, Any]]:
        validator = self.validators.at(parameter.schema, "request")
        if not any(validator.is_valid(candidate) for candidate in candidates):
            found = [list(validator.iter_errors(candidate)) for candidate in candidates]
            # Where one of the readings has the right type, what else is wrong with it is meant.
            meant = next((misfits for misfits in found if not any(map(_is_of_type, misfits))), found[0])
            for misfit in meant:
                yield described(misfit, (parameter.location, parameter.name), text)

    def _body_errors(self, body: Body | None, request: Request) -> Iterator[dict[str, Any]]:
        if body is None:
            return
        if not request.body:
            if body.required:
                yield problem("missing", ("body",), "Field required", None)
            return
        sent = (request.header("content-type") or "").partition(";")[0].strip().lower()
        content = _content(body, sent)
        if content is None:
            text = request.body.decode("utf-8", "replace")
            yield problem("model_attributes_type", ("body",), NOT_AN_OBJECT, text)
            return
        if not content.schema:
            return
        try:
            candidates = _bodies(request.body, sent)
        except ValueError as error:
            yield problem("json_invalid", ("body", 0), "JSON decode error", {}, {"error": str(error)})
            return
        validator = self.validators.at(content.schema, "request")
        if candidates and not any(validator.is_valid(candidate) for candidate in candidates):
            for misfit in validator.iter_errors(candidates[0]):
                yield described(misfit, ("body", *misfit.absolute_path), misfit.instance)


def _is_of_type(misfit: ValidationError) -> bool:
    return misfit.validator == "type" and not misfit.absolute_path


def error_line(error: BaseException) -> str:
    """What is wrong with a document, in a line."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:200]


def is_json(media_type: str) -> bool:
    """Whether documents of a media type are JSON."""
    return media_type == "application/json" or media_type.endswith("+json")


def _content(body: Body, sent: str) -> Content | None:
    """What a body has to be when it is sent as a media type; the most exact of the documented ones counts."""
    documented = {content.media_type.partition(";")[0].strip().lower(): content for content in body.contents}
    for media_type in (sent, f"{sent.partition('/')[0]}/*", "*/*"):
        if media_type in documented:
            return documented[media_type]
    return None


def _bodies(body: bytes, media_type: str) -> list[Any]:
    """What a body may stand for; nothing where its media type says nothing about values."""
    if is_json(media_type):
        return [json.loads(body)]
    if media_type == "application/x-www-form-urlencoded":
        return _forms(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    return [body.decode("utf-8", "replace")] if media_type.startswith("text/") else []


def _forms(pairs: list[tuple[str, str]]) -> list[Any]:
    """What a form may stand for: each field is its text, or what that spells, or one of several in a list."""
    fields: dict[str, list[str]] = {}
    for name, text in pairs:
        fields.setdefault(name, []).append(text)
    choices = [_field(texts) for texts in fields.values()]
    chosen = itertools.islice(itertools.product(*choices), MOST_READINGS)
    return [dict(zip(fields, values, strict=True)) for values in chosen]


def _field(texts: list[str]) -> list[Any]:
    typed = [scalar(text) for text in texts]
    found: list[Any] = [typed, texts] if len(texts) > 1 else [typed[0], texts[0], typed]
    return [value for index, value in enumerate(found) if value not in found[:index]]
