"""How a fault is written in a file: `{fault: hang, phase: body, seconds: 3}`, or `hang` alone for its defaults."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from gco_conformance.world.faults import CATALOGUE, WireFault

KEY = "fault"


def written(fault: WireFault) -> dict[str, Any]:
    """A fault as JSON values; what is as by default is left out."""
    said = {
        field.name: getattr(fault, field.name)
        for field in dataclasses.fields(fault)
        if getattr(fault, field.name) != field.default
    }
    return {KEY: fault.name, **said}


def read(form: str | Mapping[str, Any]) -> WireFault:
    """The fault that is written, which must fit `schemas`."""
    if isinstance(form, str):
        return CATALOGUE[form]()
    return CATALOGUE[form[KEY]](**{name: value for name, value in form.items() if name != KEY})


def schema(kind: type[WireFault]) -> dict[str, Any]:
    """The JSON Schema of one kind of fault, made of its fields, so that the two can't differ."""
    types_of = typing.get_type_hints(kind)
    fields = dataclasses.fields(kind)
    needed = [field.name for field in fields if field.default is dataclasses.MISSING]
    properties = {
        field.name: {
            **_schema_of(types_of[field.name]),
            **({} if field.default in (dataclasses.MISSING, None) else {"default": field.default}),
        }
        for field in fields
    }
    return {
        "description": _first_line(kind),
        "type": "object",
        "additionalProperties": False,
        "required": [KEY, *needed],
        "properties": {KEY: {"const": kind.name_of_kind()}, **properties},
    }


def with_defaults() -> tuple[str, ...]:
    """The names of the faults that can be written as their name alone."""
    return tuple(
        name
        for name, kind in CATALOGUE.items()
        if all(field.default is not dataclasses.MISSING for field in dataclasses.fields(kind))
    )


def _schema_of(type_: Any) -> dict[str, Any]:
    if typing.get_origin(type_) is typing.Literal:
        return {"enum": list(typing.get_args(type_))}
    if isinstance(type_, types.UnionType):
        (type_,) = (each for each in typing.get_args(type_) if each is not type(None))
    return dict(_SCHEMAS[type_])


def _first_line(kind: type[WireFault]) -> str:
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


_SCHEMAS: Mapping[type, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number", "minimum": 0},
}
