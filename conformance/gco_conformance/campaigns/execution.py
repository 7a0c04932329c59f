"""Playing a run, and seeing which faults struck which requests."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass

from gco_conformance.campaigns.plan import Plan
from gco_conformance.campaigns.question import question_of
from gco_conformance.campaigns.state import BUDGET
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.scenarios.player import Player
from gco_conformance.scenarios.step import (
    Certificate,
    Redeploy,
    RegionFails,
    RegionRecovers,
    Request,
    Span,
    StackFails,
    StackRestored,
    Step,
)
from gco_conformance.world.faults import BadCertificate, WireFault

Cell = tuple[str, ...]
"""A fault, the step of a request at which it strikes, and the route; `discovery` for calls to CloudFormation."""
Pair = tuple[str, ...]
"""Two faults that struck during one request."""
DISCOVERY = "discovery"
TOO_LATE = BUDGET + 2
"""Seconds after which nobody waits for an answer any more: it is wrong already."""
ON_THEIR_WAY = 0.5
"""Seconds in which calls arrive that were on their way when a discovery was given up."""


@dataclass(frozen=True)
class Struck:
    """A fault of a region's API, or of CloudFormation in a region."""

    of_stack: bool
    region: str
    fault: WireFault

    def fired(self, aws: Stage) -> int:
        """How often it has struck."""
        place = aws.stack(self.region) if self.of_stack else aws.region(self.region)
        return place.fired(self.fault)


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
        aws.time_limit = TOO_LATE
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
        self._regions: dict[str, list[WireFault]] = {}
        self._stacks: dict[str, list[WireFault]] = {}
        self._fired: dict[Struck, int] = {}

    def before(self, aws: Stage, step: Step) -> None:
        """Know what stands when a step begins."""
        match step:
            case RegionFails(name, planned):
                self._regions.setdefault(name, []).extend(each.fault for each in planned)
            case StackFails(name, planned):
                self._stacks.setdefault(name, []).extend(each.fault for each in planned)
            case Certificate(name, kind) if kind != "good":
                self._regions.setdefault(name, []).append(BadCertificate(kind))
            case RegionRecovers(name) | Redeploy(name):
                self._regions.pop(name, None)
            case StackRestored(name):
                self._stacks.pop(name, None)
            case Request():
                self._fired = {each: each.fired(aws) for each in self._standing(step)}

    def after(self, aws: Stage, step: Step) -> None:
        """See what has struck during a step, if it was a request.

        A discovery may be given up as soon as one region has none, while calls to others are still on their way.
        """
        if not isinstance(step, Request):
            return
        question = question_of(step)
        route = question.route if question is not None else ""
        ends = time.monotonic() + ON_THEIR_WAY
        while (
            any(each.of_stack and not self._struck(aws, each) for each in self._fired) and time.monotonic() < ends
        ):
            time.sleep(0.01)
        struck = [each for each in self._fired if self._struck(aws, each)]
        self.cells += [
            (each.fault.name, _step(each.fault), DISCOVERY if each.of_stack else route) for each in struck
        ]
        self.pairs += itertools.combinations(sorted(each.fault.name for each in struck), 2)

    def _struck(self, aws: Stage, each: Struck) -> bool:
        return each.fired(aws) > self._fired[each]

    def _standing(self, request: Request) -> Iterator[Struck]:
        """What may strike: of the faults of one stage the last, and those of CloudFormation where it's asked."""
        discovers = request.expect.discoveries not in (None, Span(0, 0))
        for of_stack, places in ((False, self._regions), (True, self._stacks if discovers else {})):
            for name, faults in sorted(places.items()):
                last = {fault.stage: fault for fault in faults} if of_stack else dict(enumerate(faults))
                yield from (Struck(of_stack, name, fault) for fault in dict.fromkeys(last.values()))


def _step(fault: WireFault) -> str:
    """Where on the way of a request a fault strikes: its phase, or its stage where it has but one."""
    return str(getattr(fault, "phase", fault.stage.value))
