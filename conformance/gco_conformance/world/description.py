"""Worlds that people describe in a file: regions with what their APIs and stacks answer.

    project: gco
    suffix: amazonaws.com
    regions:
      us-east-1:
        jobs: {json: {total: 1, jobs: [{metadata: {name: training}}]}}
      eu-west-1:
        health: {status: 503, json: {status: degraded}}
        stack: missing

The JSON Schema `world-1` in `schemas` describes it. What isn't said is healthy.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gco_conformance.errors import UsageError
from gco_conformance.world import yaml_file
from gco_conformance.world.regional import HEALTH, JOBS, STATUS, Region
from gco_conformance.world.servers import Servers
from gco_conformance.world.stack import Stack
from gco_conformance.world.world import World
from gco_conformance.world.yaml_file import YamlFile

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

_ROUTES = {
    "jobs": ("GET", JOBS),
    "deletion": ("DELETE", JOBS),
    "health": ("GET", HEALTH),
    "status": ("GET", STATUS),
}


@dataclass(frozen=True)
class Description:
    """What a world file says, in the form of its JSON Schema."""

    content: Mapping[str, Any]

    def world(self, servers: Servers) -> World:
        """Make the world that is described."""
        options = {key: value for key, value in self.content.items() if key != "regions"}
        regions: Mapping[str, Any] = self.content["regions"]
        world = World(servers, regions=list(regions), **options)
        for name, described in regions.items():
            _region(world.region(name), described or {})
            _stack(world.stack(name), (described or {}).get("stack", {}))
        return world


def read(path: Path) -> Description:
    """Read a world file. Raises `UsageError`: one line with file, line and what doesn't fit."""
    from jsonschema.exceptions import best_match  # slow to import, and most runs describe no world

    file = yaml_file.read(path)
    misfit = best_match(_validator().iter_errors(file.value))
    if misfit is not None:
        raise _unfit(file, misfit)
    return Description(file.value)


def schema() -> dict[str, Any]:
    """The published JSON Schema of world files."""
    path = resources.files("gco_conformance.world") / "schemas" / "world-1.schema.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


@functools.cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema())


def _region(region: Region, described: Mapping[str, Any]) -> None:
    for key, (method, path) in _ROUTES.items():
        if key in described:
            answer = dict(described[key])
            text = answer.pop("body", None)
            region.answers(path, method=method, body=None if text is None else text.encode(), **answer)
    if "certificate" in described:
        region.serves_certificate(described["certificate"])


def _stack(stack: Stack, described: str | Mapping[str, Any]) -> None:
    words: Mapping[str, Callable[[], Stack]] = {
        "missing": stack.missing,
        "several": stack.several,
        "paged": stack.paged,
        "throttled": stack.throttled,
        "denied": stack.denied,
        "drops": stack.drops,
    }
    details: Mapping[str, Callable[[Any], Stack]] = {
        "output": stack.output,
        "outputs": lambda outputs: stack.outputs([(each["key"], each["value"]) for each in outputs]),
        "status": stack.status,
        "named": stack.named,
        "error": lambda error: stack.error(error["code"], error["status"]),
        "slow": stack.slow,
    }
    if isinstance(described, str):
        words[described]()
        return
    for key, value in described.items():
        details[key](value)


def _unfit(file: YamlFile, error: ValidationError) -> UsageError:
    place = list(error.absolute_path)
    known: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    instance: Any = error.instance
    wanted: Any = error.validator_value
    name = ".".join(str(step) for step in place) or "the world"
    hint = ""
    match error.validator:
        case "required":
            missing = next(key for key in wanted if key not in instance)
            problem = f"{name} has no {missing}"
        case "additionalProperties":
            unknown = next(key for key in instance if key not in known["properties"])
            problem = f"{name} has an unknown key {unknown!r}"
            hint = f"known are {', '.join(known['properties'])}"
            place.append(unknown)
        case "enum":
            problem = f"{name} is {str(instance)[:80]!r}"
            hint = f"it may be {', '.join(map(str, wanted))}"
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            problem = f"{name} must be {' or '.join(_KINDS[kind] for kind in kinds)}, not {str(instance)[:80]!r}"
        case "not":
            problem = f"{name} has both {' and '.join(wanted['required'])}"
            hint = "keep one"
        case "pattern":
            problem = f"{name}: {str(instance)[:80]!r} isn't a valid name"
            place += [instance] if isinstance(instance, str) else []
        case _:
            problem = f"{name}: {error.message[:200]}"
    return UsageError(f"{file.path}:{file.line(place)}: {problem}", hint)


_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "nothing",
}
