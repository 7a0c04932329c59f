"""A scenario: what it is about, the world in which it plays, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gco_conformance.scenarios.step import RegionFails, StackFails, Step
from gco_conformance.world.faults import (
    BlackHole,
    DeadConnection,
    Delay,
    Drip,
    Hang,
    Interim,
    SilentDns,
    Stage,
    Status,
)
from gco_conformance.world.faults import WireFault as Fault

_LONG = 1.0
"""Seconds from which on a delay is a wait."""


@dataclass(frozen=True)
class Scenario:
    """`world` is in the form of a world file. `places` tell where each step stands, as `file:line`."""

    title: str
    steps: tuple[Step, ...]
    world: Mapping[str, Any]
    why: str = ""
    requirements: tuple[str, ...] = ()
    """Ids; the first is the one that a run of the suite counts it for."""
    name: str = ""
    """The file's name without its ending."""
    places: tuple[str, ...] = field(default=(), compare=False)

    def place(self, step: int) -> str:
        """Where a step stands; its number, from 1, where no file is known."""
        return self.places[step] if self.places else f"step {step + 1}"

    @property
    def waits(self) -> bool:
        """Whether nearly all of its time goes by while something waits."""
        faults = [planned.fault for step in self.steps for planned in planned_in(step)]
        return any(makes_wait(fault) for fault in faults)

    @property
    def needs_cloudformation_alone(self) -> bool:
        """Whether it has faults that strike the host of CloudFormation, which worlds share."""
        faults = [each.fault for step in self.steps if isinstance(step, StackFails) for each in step.faults]
        return any(fault.stage not in {Stage.REPLY, Stage.ANSWER, Stage.REUSE} for fault in faults)


def planned_in(step: Step) -> tuple[Any, ...]:
    """The faults that a step plans."""
    return step.faults if isinstance(step, (RegionFails, StackFails)) else ()


def makes_wait(fault: Fault) -> bool:
    """Whether a caller may wait for seconds when this fault strikes."""
    match fault:
        case BlackHole() | SilentDns() | Hang() | Drip():
            return True
        case DeadConnection(how=how):
            return how == "silent"
        case Delay(seconds=seconds, jitter=jitter):
            return seconds + jitter >= _LONG
        case Interim(times=times, every=every):
            return times * every >= _LONG
        case Status(retry_after=seconds):
            return seconds not in {"", "0", "1"}
    return False
