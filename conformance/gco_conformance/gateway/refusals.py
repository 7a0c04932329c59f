"""The words of a simulated service: refusals in the form that FastAPI gives them.

404, 405 and 403 have a text as `detail`, 422 has a list of errors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gco_conformance.http_messages import Reply

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

JSON = ("Content-Type", "application/json")
NOT_AN_OBJECT = "Input should be a valid dictionary or object to extract fields from"

Place = tuple[str | int, ...]


def json_reply(status: int, value: object, *headers: tuple[str, str]) -> Reply:
    """An answer whose body is JSON. NaN, lone surrogates and the like are sent as they are."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Reply(status, text.encode("utf-8", "surrogatepass"), (JSON, *headers))


def described(error: ValidationError, place: Place, value: object) -> dict[str, Any]:
    """An error of a JSON Schema validator as FastAPI words it."""
    # Of the alternatives of a field that may be null, the other one is what was meant.
    causes: Sequence[ValidationError] = list(error.context or ()) or [error]
    cause = min(causes, key=lambda each: each.validator_value == "null")
    limit: Any = cause.validator_value
    match cause.validator:
        case "maximum":
            text = f"Input should be less than or equal to {limit}"
            return problem("less_than_equal", place, text, value, {"le": limit})
        case "minimum":
            text = f"Input should be greater than or equal to {limit}"
            return problem("greater_than_equal", place, text, value, {"ge": limit})
        case "enum":
            expected = " or ".join(repr(each) for each in limit)
            return problem("enum", place, f"Input should be {expected}", value, {"expected": expected})
        case "required":
            # Of several that are missing each is an error of its own, which only its message tells apart.
            missing = next((name for name in limit if cause.message.startswith(repr(name))), "")
            return problem("missing", (*place, missing), "Field required", value)
        case "type" if limit == "integer" and place[0] != "body":
            text = "Input should be a valid integer, unable to parse string as an integer"
            return problem("int_parsing", place, text, value)
        case "type" if limit == "object":
            return problem("model_attributes_type", place, NOT_AN_OBJECT, value)
        case "type":
            name = {"string": "string", "integer": "int", "boolean": "bool"}.get(str(limit), str(limit))
            return problem(f"{name}_type", place, f"Input should be a valid {limit}", value)
        case _:
            return problem("value_error", place, cause.message, value)


def problem(
    type_: str,
    place: Place,
    message: str,
    value: object,
    context: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """One entry of the list that a 422 has as `detail`."""
    error: dict[str, Any] = {"type": type_, "loc": list(place), "msg": message, "input": value}
    return error if context is None else {**error, "ctx": dict(context)}
