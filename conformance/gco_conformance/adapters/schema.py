"""The published JSON Schemas of the adapters, read and compiled once."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from gco_conformance.importing import ALONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


@functools.cache
def schema(name: str) -> dict[str, Any]:
    """The schema `<name>.schema.json` of this package's data."""
    path = resources.files("gco_conformance.adapters") / "schemas" / f"{name}.schema.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


@functools.cache
def validator(name: str, definition: str = "") -> Draft202012Validator:
    """A validator of the whole schema, or of one of its `$defs`."""
    with ALONE:
        from jsonschema import Draft202012Validator  # slow to import, and not every run needs it

    document = schema(name)
    if definition:
        document = {"$defs": document["$defs"], "$ref": f"#/$defs/{definition}"}
    return Draft202012Validator(document)


def first_error(name: str, value: object, definition: str = "") -> ValidationError | None:
    """What fits worst in `value`, or `None` when it fits."""
    with ALONE:
        from jsonschema.exceptions import best_match

    errors: Iterable[ValidationError] = validator(name, definition).iter_errors(value)
    return cast("ValidationError | None", best_match(errors))
