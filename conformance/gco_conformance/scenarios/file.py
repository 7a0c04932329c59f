"""Scenario files: reading one, with what doesn't fit told by line, and writing one that can be played again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from gco_conformance.errors import UsageError
from gco_conformance.requirements import load
from gco_conformance.requirements.catalogue import UnknownRequirement
from gco_conformance.scenarios.form import read_scenario, written_scenario
from gco_conformance.scenarios.scenario import Scenario, planned_in
from gco_conformance.scenarios.schema import validator
from gco_conformance.scenarios.step import Arrive, Request, RotateCredentials, Step
from gco_conformance.world import yaml_file
from gco_conformance.world.misfit import refuse_misfits
from gco_conformance.world.yaml_file import YamlFile

_WIDTH = 110


def read(path: Path) -> Scenario:
    """Read a scenario file. Raises `UsageError`: one line with file, line and what doesn't fit."""
    file = yaml_file.read(path)
    refuse_misfits(file, validator(), "the scenario")
    places = [f"{path}:{file.line(['steps', number])}" for number in range(len(file.value["steps"]))]
    scenario = read_scenario(file.value, name=path.stem, places=places)
    _known_requirements(file, scenario)
    for number, step in enumerate(scenario.steps):
        for problem in _problems(scenario, step):
            raise UsageError(f"{scenario.place(number)}: {problem}")
    return scenario


def written(scenario: Scenario, *, comment: str = "") -> str:
    """The text of a scenario file, with `comment` at its head."""
    head = "".join(f"# {line}\n" if line else "#\n" for line in comment.splitlines())
    form = written_scenario(scenario)
    text = yaml.dump(
        form, Dumper=_Dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=_WIDTH
    )
    return head + text


def _known_requirements(file: YamlFile, scenario: Scenario) -> None:
    for number, requirement in enumerate(scenario.requirements):
        try:
            load().get(requirement)
        except UnknownRequirement as error:
            line = file.line(["requirements", number])
            raise UsageError(f"{file.path}:{line}: {error.message}", error.hint) from None


def _problems(scenario: Scenario, step: Step) -> Iterator[str]:
    """What a schema can't see: names of regions that aren't there, and faults that can't be counted."""
    regions = scenario.world["regions"]
    named = list(step.order) if isinstance(step, Arrive) else [getattr(step, "region", None)]
    if isinstance(step, Request):
        named = [*(step.expect.errors or ()), *step.expect.requests]
    for name in named:
        if name is not None and name not in regions:
            yield f"the world has no region {name}; it has {', '.join(regions)}"
    if isinstance(step, RotateCredentials) and not scenario.world.get("rotating"):
        yield "the world's credentials can't be rotated; say rotating: true in the world"
    for planned in planned_in(step):
        if planned.ordinals is not None and not planned.fault.stage.counts:
            yield f"{planned.fault.name} isn't about single requests, so that it can't have ordinals"


class _Dumper(yaml.SafeDumper):
    """Writes everything where it stands, and nothing as a reference to something before it."""

    def ignore_aliases(self, _: object) -> bool:
        return True
