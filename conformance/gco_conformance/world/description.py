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

from gco_conformance.importing import ALONE
from gco_conformance.world import yaml_file
from gco_conformance.world.misfit import refuse_misfits
from gco_conformance.world.regional import HEALTH, JOBS, STATUS, Region
from gco_conformance.world.servers import Servers
from gco_conformance.world.stack import Stack
from gco_conformance.world.world import World

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

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

    @property
    def regions(self) -> tuple[str, ...]:
        """The names of the regions, in order."""
        return tuple(self.content["regions"])

    @property
    def options(self) -> dict[str, Any]:
        """What `World` is told of the whole."""
        return {key: value for key, value in self.content.items() if key != "regions"}

    def world(self, servers: Servers) -> World:
        """Make the world that is described."""
        world = World(servers, regions=self.regions, **self.options)
        self.prepare(world)
        return world

    def prepare(self, world: World) -> None:
        """Have the regions and stacks of a healthy world be what is described."""
        for name, described in self.content["regions"].items():
            region_becomes(world.region(name), described or {})
            stack_becomes(world.stack(name), (described or {}).get("stack", {}))


def read(path: Path) -> Description:
    """Read a world file. Raises `UsageError`: one line with file, line and what doesn't fit."""
    file = yaml_file.read(path)
    refuse_misfits(file, _validator(), "the world")
    return Description(file.value)


def schema() -> dict[str, Any]:
    """The published JSON Schema of world files."""
    path = resources.files("gco_conformance.world") / "schemas" / "world-1.schema.json"
    return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))


@functools.cache
def _validator() -> Draft202012Validator:
    with ALONE:
        from jsonschema import Draft202012Validator

    return Draft202012Validator(schema())


def region_becomes(region: Region, described: Mapping[str, Any]) -> None:
    """Have a region answer what is described of it."""
    for key, (method, path) in _ROUTES.items():
        if key in described:
            answer = dict(described[key])
            text = answer.pop("body", None)
            region.answers(path, method=method, body=None if text is None else text.encode(), **answer)
    if "certificate" in described:
        region.serves_certificate(described["certificate"])


def stack_becomes(stack: Stack, described: str | Mapping[str, Any]) -> None:
    """Have a stack be what is described: a word for what is wrong with it, or its details."""
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
