"""The service behind a regional API: which requests its OpenAPI documents allow, and what it says to others.

Refusals have the form that FastAPI gives them: 404 and 405 with a text as `detail`, 422 with a list of errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from jsonschema import Draft202012Validator

from gco_conformance.world.wire import Reply, Request
from gco_fixtures.services import regional_services

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

JSON = ("Content-Type", "application/json")


@dataclass(frozen=True)
class _Operation:
    parameters: Mapping[str, Draft202012Validator]
    required: frozenset[str]
    body: Draft202012Validator | None
    body_required: bool


def refusal(request: Request, path: str) -> Reply | None:
    """What the service answers to a request for `path` that its document doesn't allow; None when it does."""
    methods = _operations().get(path)
    if methods is None:
        return json_reply(404, {"detail": "Not Found"})
    operation = methods.get(request.method)
    if operation is None:
        allow = ("Allow", ", ".join(sorted(methods)))
        return json_reply(405, {"detail": "Method Not Allowed"}, allow)
    errors = [*_query_errors(operation, request.query), *_body_errors(operation, request)]
    return json_reply(422, {"detail": errors}) if errors else None


def json_reply(status: int, value: object, *headers: tuple[str, str]) -> Reply:
    """An answer whose body is JSON. NaN, lone surrogates and the like are sent as they are."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Reply(status, text.encode("utf-8", "surrogatepass"), (JSON, *headers))


@cache
def _operations() -> Mapping[str, Mapping[str, _Operation]]:
    """The operations of all services, by path and method."""
    return {
        path: {method.upper(): _operation(operation, document) for method, operation in item.items()}
        for document in regional_services().values()
        for path, item in document["paths"].items()
    }


def _operation(operation: Mapping[str, Any], document: Mapping[str, Any]) -> _Operation:
    parameters = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    body = operation.get("requestBody", {})
    schema = body.get("content", {}).get("application/json", {}).get("schema")
    return _Operation(
        {each["name"]: _validator(each["schema"], document) for each in parameters},
        frozenset(each["name"] for each in parameters if each.get("required")),
        None if schema is None else _validator(schema, document),
        bool(body.get("required")),
    )


def _validator(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Draft202012Validator:
    # References point to the document's components, which therefore have to be below the schema's root.
    return Draft202012Validator({**schema, "components": document.get("components", {})})


def _query_errors(operation: _Operation, query: str) -> Iterator[dict[str, Any]]:
    sent = dict(parse_qsl(query, keep_blank_values=True))  # of repeated parameters the last one counts
    for name in sorted(operation.required - set(sent)):
        yield _error("missing", ("query", name), "Field required", None)
    for name, text in sent.items():
        validator = operation.parameters.get(name)
        if validator is not None:
            value = _parameter(text, validator.schema)
            for misfit in validator.iter_errors(value):
                yield _described(misfit, ("query", name), text)


def _parameter(text: str, schema: Any) -> object:
    wants_integer = isinstance(schema, Mapping) and schema.get("type") == "integer"
    return int(text) if wants_integer and re.fullmatch(r"[+-]?[0-9]{1,18}", text) else text


def _body_errors(operation: _Operation, request: Request) -> Iterator[dict[str, Any]]:
    if operation.body is None:
        return
    if not request.body:
        if operation.body_required:
            yield _error("missing", ("body",), "Field required", None)
        return
    media_type = (request.header("content-type") or "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        text = request.body.decode("utf-8", "replace")
        yield _error("model_attributes_type", ("body",), _NOT_AN_OBJECT, text)
        return
    try:
        value = json.loads(request.body)
    except ValueError as error:
        yield _error("json_invalid", ("body", 0), "JSON decode error", {}, {"error": str(error)})
        return
    for misfit in operation.body.iter_errors(value):
        yield _described(misfit, ("body", *misfit.absolute_path), misfit.instance)


def _described(error: ValidationError, place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """An error of a JSON Schema validator as FastAPI words it."""
    # Of the alternatives of a field that may be null, the other one is what was meant.
    causes: Sequence[ValidationError] = list(error.context or ()) or [error]
    cause = min(causes, key=lambda each: each.validator_value == "null")
    limit: Any = cause.validator_value
    match cause.validator:
        case "maximum":
            text = f"Input should be less than or equal to {limit}"
            return _error("less_than_equal", place, text, value, {"le": limit})
        case "minimum":
            text = f"Input should be greater than or equal to {limit}"
            return _error("greater_than_equal", place, text, value, {"ge": limit})
        case "enum":
            expected = " or ".join(repr(each) for each in limit)
            return _error("enum", place, f"Input should be {expected}", value, {"expected": expected})
        case "type" if limit == "integer" and place[0] == "query":
            text = "Input should be a valid integer, unable to parse string as an integer"
            return _error("int_parsing", place, text, value)
        case "type" if limit == "object":
            return _error("model_attributes_type", place, _NOT_AN_OBJECT, value)
        case "type":
            name = {"string": "string", "integer": "int", "boolean": "bool"}.get(str(limit), str(limit))
            return _error(f"{name}_type", place, f"Input should be a valid {limit}", value)
        case _:
            return _error("value_error", place, cause.message, value)


def _error(
    type_: str,
    place: tuple[str | int, ...],
    message: str,
    value: object,
    context: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    error: dict[str, Any] = {"type": type_, "loc": list(place), "msg": message, "input": value}
    return error if context is None else {**error, "ctx": dict(context)}


_NOT_AN_OBJECT = "Input should be a valid dictionary or object to extract fields from"
