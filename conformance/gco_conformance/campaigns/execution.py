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
        cells, pairs = watch.tried(aws)
    seconds = time.monotonic() - began
    return Execution(seconds, taken, failure, untested, tuple(cells), tuple(pairs))


class _Watch:
    """Sees which of the faults that stand strike during a request.

    A discovery may be given up as soon as one region has none, while calls to others are still on their way:
    whether a fault of CloudFormation has struck is therefore seen in the end.
    """

    def __init__(self) -> None:
        self._regions: dict[str, set[WireFault]] = {}
        self._stacks: dict[str, set[WireFault]] = {}
        self._fired: dict[Struck, int] = {}
        self._requests: list[tuple[str, list[Struck], list[Struck]]] = []

    def before(self, aws: Stage, step: Step) -> None:
        """Know what stands when a step begins."""
        match step:
            case RegionFails(name, planned):
                self._regions.setdefault(name, set()).update(each.fault for each in planned)
            case StackFails(name, planned):
                self._stacks.setdefault(name, set()).update(each.fault for each in planned)
            case Certificate(name, kind) if kind != "good":
                self._regions.setdefault(name, set()).add(BadCertificate(kind))
            case RegionRecovers(name) | Redeploy(name):
                self._regions.pop(name, None)
            case StackRestored(name):
                self._stacks.pop(name, None)
            case Request():
                self._fired = {each: _fired(aws, each) for each in _each(self._regions)}

    def after(self, aws: Stage, step: Step) -> None:
        """See what has struck during a step, if it was a request."""
        if isinstance(step, Request):
            question = question_of(step)
            struck = [each for each, count in self._fired.items() if _fired(aws, each) > count]
            discovers = step.expect.discoveries not in (None, Span(0, 0))
            called = list(_each(self._stacks)) if discovers else []
            self._requests.append((question.route if question is not None else "", struck, called))

    def tried(self, aws: Stage) -> tuple[list[Cell], list[Pair]]:
        """What was tried, once for each request."""
        cells: list[Cell] = []
        pairs: list[Pair] = []
        for route, struck, called in self._requests:
            met = [(name, fault) for name, fault in called if aws.stack(name).fired(fault)]
            cells += [(fault.name, _step(fault), route) for _, fault in struck]
            cells += [(fault.name, _step(fault), DISCOVERY) for _, fault in met]
            names = sorted(fault.name for _, fault in (*struck, *met))
            pairs += itertools.combinations(names, 2)
        return cells, pairs


DISCOVERY = "discovery"


def _each(standing: dict[str, set[WireFault]]) -> Iterator[Struck]:
    return ((name, fault) for name, faults in sorted(standing.items()) for fault in sorted(faults, key=repr))


def _fired(aws: Stage, struck: Struck) -> int:
    name, fault = struck
    return aws.region(name).fired(fault)


def _step(fault: WireFault) -> str:
    """Where on the way of a request a fault strikes: its phase, or its stage where it has but one."""
    return str(getattr(fault, "phase", fault.stage.value))
