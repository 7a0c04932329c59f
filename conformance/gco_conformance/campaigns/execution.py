"""Playing a run, and seeing which faults struck which requests."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

from gco_conformance.campaigns.plan import Plan
from gco_conformance.campaigns.question import question_of
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.scenarios.player import Player
from gco_conformance.scenarios.scenario import planned_in
from gco_conformance.scenarios.step import (
    Certificate,
    Redeploy,
    RegionFails,
    RegionRecovers,
    Request,
    StackFails,
    StackRestored,
    Step,
)
from gco_conformance.world.faults import BadCertificate, WireFault

Cell = tuple[str, str, str]
"""A fault, the step of a request at which it strikes, and the route; `discovery` for calls to CloudFormation."""
Pair = tuple[str, str]
"""Two faults that struck during one request."""
Struck = tuple[str, WireFault]


@dataclass(frozen=True)
class Failure:
    """The step, by its number from 0, after which the answer was wrong, and what was wrong about it."""

    step: int
    message: str
    expected: str | None
    actual: str | None
    story: tuple[str, ...]


@dataclass(frozen=True)
class Execution:
    """What came of a run. `cells` and `pairs` come once for each request during which they were tried."""

    seconds: float
    steps: int
    """How many were taken."""
    failure: Failure | None = None
    untested: str = ""
    """Why the run couldn't be played to its end, if it couldn't."""
    cells: tuple[Cell, ...] = ()
    pairs: tuple[Pair, ...] = ()


def execute(plan: Plan, stages: Stages) -> Execution:
    """Play a run until its end, or until an answer is wrong. Raises `StartError`."""
    began = time.monotonic()
    watch = _Watch()
    taken = 0
    failure, untested = None, ""
    with stages.open_to_anything(*plan.regions, rotating=plan.rotating) as aws:
        player = Player(aws)
        try:
            for step in plan.steps:
                taken += 1
                watch.before(aws, step)
                player.take(step)
                watch.after(aws, step)
        except Violation as violation:
            watch.after(aws, plan.steps[taken - 1])
            seen = violation.observation
            story = seen.story if isinstance(seen, Reply) else ()
            failure = Failure(taken - 1, violation.message, violation.expected, violation.actual, story)
        except NotTested as error:
            untested = f"step {taken}: {error}"
    seconds = time.monotonic() - began
    return Execution(seconds, taken, failure, untested, tuple(watch.cells), tuple(watch.pairs))


class _Watch:
    """Sees which of the faults that stand strike during a request."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.pairs: list[Pair] = []
        self._regions: dict[str, set[WireFault]] = {}
        self._stacks: dict[str, set[WireFault]] = {}
        self._fired: dict[Struck, int] = {}

    def before(self, aws: Stage, step: Step) -> None:
        """Know what stands when a step begins."""
        match step:
            case RegionFails(name, _):
                self._regions.setdefault(name, set()).update(planned.fault for planned in planned_in(step))
            case StackFails(name, _):
                self._stacks.setdefault(name, set()).update(planned.fault for planned in planned_in(step))
            case Certificate(name, kind) if kind != "good":
                self._regions.setdefault(name, set()).add(BadCertificate(kind))
            case RegionRecovers(name) | Redeploy(name):
                self._regions.pop(name, None)
            case StackRestored(name):
                self._stacks.pop(name, None)
            case Request():
                self._fired = dict(self._counts(aws))

    def after(self, aws: Stage, step: Step) -> None:
        """See what has struck during a step, if it was a request."""
        if not isinstance(step, Request):
            return
        question = question_of(step)
        route = question.route if question is not None else "refused"
        struck = [place for place, count in self._counts(aws) if count > self._fired.get(place, 0)]
        for place, fault in struck:
            self.cells.append((fault.name, _step(fault), "discovery" if place.startswith("stack") else route))
        for (_, one), (_, other) in itertools.combinations(struck, 2):
            first, second = sorted((one.name, other.name))
            self.pairs.append((first, second))

    def _counts(self, aws: Stage) -> Iterator[tuple[Struck, int]]:
        for name, faults in sorted(self._regions.items()):
            for fault in sorted(faults, key=repr):
                yield (name, fault), aws.region(name).fired(fault)
        for name, faults in sorted(self._stacks.items()):
            for fault in sorted(faults, key=repr):
                yield (f"stack {name}", fault), aws.stack(name).fired(fault)


def _step(fault: WireFault) -> str:
    """Where on the way of a request a fault strikes: its phase, or its stage where it has but one."""
    return str(getattr(fault, "phase", fault.stage.value))
