"""Playing scenarios: each step happens in a world, and each answer is judged."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from gco_conformance.adapters.answer import StartError
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage as Aws
from gco_conformance.evidence.stage import Stages
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.report.outcome import Outcome
from gco_conformance.scenarios.judging import judge
from gco_conformance.scenarios.scenario import Scenario
from gco_conformance.scenarios.step import (
    Arrive,
    Certificate,
    Frozen,
    Planned,
    Redeploy,
    RegionAnswers,
    RegionFails,
    RegionRecovers,
    Request,
    Restart,
    RotateCredentials,
    StackBecomes,
    StackFails,
    StackRestored,
    Step,
    TimePasses,
)
from gco_conformance.world.description import Description, region_becomes, stack_becomes
from gco_conformance.world.faults import Stage


@dataclass(frozen=True)
class Played:
    """How a scenario came out. `step` is the number, from 0, of the step that failed, None when none did."""

    scenario: Scenario
    outcome: Outcome
    seconds: float
    step: int | None = None
    message: str = ""
    expected: str | None = None
    actual: str | None = None
    story: tuple[str, ...] = ()
    """What AWS and the regions saw during the step that failed."""

    @property
    def place(self) -> str:
        """Where the step that failed stands."""
        return "" if self.step is None else self.scenario.place(self.step)


class Player:
    """Has steps happen in a world. `unmet` tells of what was to happen and couldn't."""

    def __init__(self, aws: Aws) -> None:
        self.aws = aws
        self.unmet: list[str] = []

    def take(self, step: Step) -> None:
        """Have a step happen. Raises `Violation` when an answer isn't as expected, `NotTested`."""
        aws = self.aws
        match step:
            case Request():
                self._ask(step)
            case RegionFails(region, faults):
                self._region_fails(region, faults)
            case RegionAnswers(region, answers):
                region_becomes(aws.region(region), answers)
            case RegionRecovers(region):
                aws.region(region).recovers()
            case Certificate(region, kind):
                aws.region(region).serves_certificate(kind)
                aws.region(region).hangs_up()
            case StackBecomes(region, state):
                stack_becomes(aws.stack(region), state)
            case StackFails(region, faults):
                self._stack_fails(region, faults)
            case StackRestored(region):
                aws.stack(region).restored()
            case Redeploy(region):
                aws.world.redeploy(region)
            case TimePasses(seconds):
                aws.needs_moved_time()
                aws.time_passes(seconds)
            case Frozen():
                self._freeze(step)
            case Restart():
                aws.restart()
            case RotateCredentials():
                aws.world.rotate_credentials()
            case Arrive(order):
                aws.world.arrive(*order)

    def _ask(self, request: Request) -> None:
        mark = self.aws.mark()
        reply = self.aws.send(
            request.method, request.path, query=request.query, body=request.body, base64=request.base64
        )
        judge(request.expect, reply, self.aws, mark)

    def _region_fails(self, name: str, faults: Sequence[Planned]) -> None:
        region = self.aws.region(name)
        for planned in faults:
            region.fails(planned.fault, on=planned.ordinals)
        if any(planned.fault.stage in _BEFORE_REQUESTS for planned in faults):
            region.hangs_up()  # or an aggregator that keeps connections wouldn't meet them

    def _stack_fails(self, region: str, faults: Sequence[Planned]) -> None:
        for planned in faults:
            try:
                self.aws.stack(region).fails(planned.fault, on=planned.ordinals)
            except ValueError as error:
                raise NotTested(str(error)) from None

    def _freeze(self, step: Frozen) -> None:
        aws = self.aws
        if step.seconds:
            aws.needs_moved_time()
        with aws.frozen() if aws.started else contextlib.nullcontext():
            if step.hang_up is not None:
                ended = [region.hangs_up(step.hang_up) for region in aws.world.regions]
                if not any(ended):
                    self.unmet.append("no connection was kept alive, so that none could end")
            if step.seconds:
                aws.time_passes(step.seconds)


_BEFORE_REQUESTS = {Stage.NAME, Stage.HANDSHAKE, Stage.CERTIFICATE}


def perform(scenario: Scenario, stages: Stages) -> None:
    """Play a scenario. Raises `Failed` when an answer isn't as expected, `NotTested` when that isn't known.

    A fault that was planned and didn't strike leaves it unknown.
    """
    world = Description(scenario.world)
    with stages.open(*world.regions, **world.options) as aws:
        world.prepare(aws.world)
        player = Player(aws)
        for number, step in enumerate(scenario.steps):
            try:
                player.take(step)
            except Violation as violation:
                raise Failed(number, scenario.place(number), violation) from None
        if player.unmet:
            raise NotTested("; ".join(player.unmet))


class Failed(Violation):
    """A step of a scenario after which the answer wasn't as expected. `step` is its number, from 0."""

    def __init__(self, step: int, place: str, violation: Violation) -> None:
        super().__init__(
            f"{place}: {violation.message}",
            expected=violation.expected,
            actual=violation.actual,
            observation=violation.observation,
        )
        self.step = step


def play(scenario: Scenario, stages: Stages) -> Played:
    """Play a scenario and tell how it came out, whatever happens."""
    began = time.monotonic()
    try:
        perform(scenario, stages)
    except Failed as failed:
        return Played(
            scenario,
            Outcome.FAILED,
            time.monotonic() - began,
            failed.step,
            failed.message,
            failed.expected,
            failed.actual,
            failed.observation.story if isinstance(failed.observation, Reply) else (),
        )
    except (NotTested, StartError) as error:
        outcome = Outcome.NOT_TESTED if isinstance(error, NotTested) else Outcome.ERROR
        return Played(scenario, outcome, time.monotonic() - began, message=str(error))
    return Played(scenario, Outcome.PASSED, time.monotonic() - began)
