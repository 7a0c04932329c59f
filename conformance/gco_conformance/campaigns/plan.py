"""A run of a campaign that is still to be played, and the scenario that it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gco_conformance.campaigns.state import WorldState
from gco_conformance.scenarios.scenario import Scenario, makes_wait, planned_in
from gco_conformance.scenarios.step import Frozen, Request, Restart, Step, TimePasses


@dataclass(frozen=True)
class Plan:
    """The world of a run, and its steps with what must be answered."""

    regions: tuple[str, ...]
    rotating: bool
    steps: tuple[Step, ...]

    @property
    def waits(self) -> bool:
        """Whether nearly all of its time goes by while something waits."""
        return any(makes_wait(planned.fault) for step in self.steps for planned in planned_in(step))

    def until(self, step: int) -> Plan:
        """The run up to and with a step, by its number from 0."""
        return replace(self, steps=self.steps[: step + 1])

    def without(self, steps: Sequence[int] = (), regions: Sequence[str] = ()) -> Plan | None:
        """The run without some steps or regions, with what must then be answered.

        What then can't come is left out as well; None where that is the last step.
        """
        left = tuple(name for name in self.regions if name not in regions)
        kept = [step for number, step in enumerate(self.steps) if number not in steps]
        kept = [step for step in kept if getattr(step, "region", None) not in regions]
        state = WorldState(left, rotating=self.rotating)
        told = tuple(state.take(step) for step in kept if state.allows(step))
        return Plan(left, self.rotating, told) if told and _alike(told[-1], self.steps[-1]) else None

    def feasible(self, *, moves_time: bool, starts_cold: bool) -> Plan:
        """The run without what can't be done to an aggregator, and without what then can't come."""
        state = WorldState(self.regions, rotating=self.rotating)
        told: list[Step] = []
        for step in self.steps:
            needs_time = isinstance(step, TimePasses) or (isinstance(step, Frozen) and step.seconds > 0)
            needs_process = isinstance(step, (Restart, Frozen))
            if (moves_time or not needs_time) and (starts_cold or not needs_process) and state.allows(step):
                told.append(state.take(step))
        return replace(self, steps=tuple(told))

    def scenario(self, *, title: str, why: str) -> Scenario:
        """The scenario that plays this run."""
        world = {"rotating": True} if self.rotating else {}
        return Scenario(title, self.steps, {**world, "regions": {name: {} for name in self.regions}}, why)


def _alike(one: Step, other: Step) -> bool:
    """Whether two steps are the same but for what is expected of them."""
    if isinstance(one, Request) and isinstance(other, Request):
        return replace(one, expect=other.expect) == other
    return one == other
