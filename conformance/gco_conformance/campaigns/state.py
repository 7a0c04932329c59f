"""The world of a run as the kit imagines it: what stands there, and what an aggregator must therefore answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gco_conformance.campaigns import effect
from gco_conformance.campaigns.effect import Answer, Outcome
from gco_conformance.campaigns.question import Question, Refusal, question_of, refusal_of
from gco_conformance.campaigns.vocabulary import BRIDGES, HARMLESS_STACK_FAULTS
from gco_conformance.model.aggregation import REDACTED, UNAVAILABLE
from gco_conformance.model.kept_map import FRESH, STALE, KeptMap, use
from gco_conformance.scenarios.scenario import makes_wait
from gco_conformance.scenarios.step import (
    Arrive,
    Certificate,
    Expectation,
    Frozen,
    Planned,
    Redeploy,
    RegionAnswers,
    RegionFails,
    RegionRecovers,
    Request,
    Restart,
    RotateCredentials,
    Span,
    StackBecomes,
    StackFails,
    StackRestored,
    Step,
    TimePasses,
    Whole,
)
from gco_conformance.world.faults import BadCertificate, End, Flood, Refuse, Stage, WireFault
from gco_conformance.world.regional import HEALTH, JOBS, STATUS, healthy

BUDGET = 26.0
"""Seconds that an invocation may take: the 25 of the contract, and one for a machine that is busy."""
JSON = {"Content-Type": "application/json"}
GUARD = 100.0
"""Seconds that a run itself may take: no age comes so near to a bound from below."""

NEW_CONNECTIONS = {Stage.NAME, Stage.HANDSHAKE, Stage.CERTIFICATE}
_ROUTES = {
    ("GET", JOBS): "jobs",
    ("DELETE", JOBS): "deletion",
    ("GET", HEALTH): "health",
    ("GET", STATUS): "status",
}


@dataclass
class RegionState:
    """A region's API and its stack. `address` counts its deployments."""

    answers: dict[str, Answer]
    address: int = 0
    faults: list[Planned] = field(default_factory=list)
    kept_may_be_dead: bool = False
    name_is_known: bool = False
    """Whether an aggregator may know from before what the host's name stands for, and not look it up."""
    stack: str | Mapping[str, Any] | None = None
    stack_faults: list[WireFault] = field(default_factory=list)

    @property
    def one_shot(self) -> Planned | None:
        """The fault that strikes a single request and hasn't yet."""
        return next((planned for planned in self.faults if planned.ordinals), None)

    @property
    def standing(self) -> list[WireFault]:
        """The faults that strike every request."""
        return [planned.fault for planned in self.faults if not planned.ordinals]

    @property
    def floods(self) -> bool:
        """Whether its answer, if there is one, goes on beyond what may be read."""
        last = {fault.stage: fault for fault in self.standing}
        return isinstance(last.get(Stage.ANSWER), Flood)

    @property
    def is_well(self) -> bool:
        return not self.faults and self.stack is None and not self.stack_faults

    @property
    def vouched_for(self) -> bool:
        """Whether discovery finds the region. Of the faults of one stage, the last strikes."""
        striking = {fault.stage: fault for fault in self.stack_faults}.values()
        broken = [fault for fault in striking if fault not in HARMLESS_STACK_FAULTS]
        return not broken and (self.stack is None or self.stack in BRIDGES)


class WorldState:
    """The state of a world with these regions, `take` by `take`."""

    def __init__(self, regions: Sequence[str], *, rotating: bool) -> None:
        self.regions = {name: RegionState(_healthy(name)) for name in regions}
        self.rotating = rotating
        self.now = 0.0
        self.kept: KeptMap | None = None
        self.started = False
        self.arrival: tuple[str, ...] = ()

    @property
    def age(self) -> float | None:
        """How old the aggregator's map is, in seconds; None without one."""
        return None if self.kept is None else self.now - self.kept.at

    @property
    def is_fresh(self) -> bool:
        """Whether the next request needs no discovery."""
        return self.age is not None and self.age < FRESH

    def may_pass(self, seconds: float) -> bool:
        """Whether so much time can pass without bringing the map's age near to a bound."""
        age = None if self.age is None else self.age + seconds
        return age is None or not any(bound - GUARD < age < bound for bound in (FRESH, STALE))

    @property
    def next_waits(self) -> bool:
        """Whether the next request makes its caller wait."""
        standing = [planned.fault for region in self.regions.values() for planned in region.faults]
        if not self.is_fresh:
            standing += [fault for region in self.regions.values() for fault in region.stack_faults]
        return any(makes_wait(fault) for fault in standing)

    # What happens

    def take(self, step: Step) -> Step:
        """Have a step happen; give it with what must then be true."""
        if isinstance(step, Request):
            return self.answered(step)
        self._happen(step)
        return step

    def _happen(self, step: Step) -> None:
        match step:
            case RegionFails(name, planned):
                region = self.regions[name]
                region.faults += planned
                region.kept_may_be_dead |= any(_keeps_out(each.fault) for each in planned)
            case RegionAnswers(name, answers):
                for route, form in answers.items():
                    self.regions[name].answers[route] = Answer(form.get("status", 200), form.get("json"))
            case RegionRecovers(name):
                self.regions[name].faults = []
            case Certificate(name, kind):
                region = self.regions[name]
                region.faults = [each for each in region.faults if each.fault.stage is not Stage.CERTIFICATE]
                region.faults += [] if kind == "good" else [Planned(BadCertificate(kind))]
                region.kept_may_be_dead = True
            case StackBecomes(name, state):
                self.regions[name].stack = state
            case StackFails(name, planned):
                self.regions[name].stack_faults += [each.fault for each in planned]
            case StackRestored(name):
                self.regions[name].stack, self.regions[name].stack_faults = None, []
            case Redeploy(name):
                region = self.regions[name]
                region.address += 1
                region.faults, region.kept_may_be_dead, region.name_is_known = [], False, False
            case TimePasses(seconds):
                self.now += seconds
            case Frozen(hang_up, seconds):
                self.now += seconds
                for region in self.regions.values():
                    region.kept_may_be_dead |= hang_up is not None
            case Restart():
                self.kept, self.started = None, False
                for region in self.regions.values():
                    region.kept_may_be_dead = region.name_is_known = False
            case Arrive(order):
                self.arrival = order
            case RotateCredentials():
                pass  # whoever uses them as they are notices nothing

    def allows(self, step: Step) -> bool:
        """Whether a step can come next such that the kit still knows what must be answered.

        Where an aggregator has a choice, how many requests it sends may be unknown; a fault that strikes one
        request is therefore alone in its region. Answers wait for their turn only where all come to it.
        """
        region = self.regions.get(getattr(step, "region", ""))
        match step:
            case RegionFails(_, (Planned(fault, ordinals),)) if region is not None:
                if self.arrival and fault.stage is not Stage.REPLY:
                    return False
                plain = all(answer.status == 200 for answer in region.answers.values())
                alone = not region.faults and not region.kept_may_be_dead and plain
                return alone if ordinals else region.one_shot is None
            case RegionAnswers(_, answers) if region is not None:
                return region.one_shot is None or all(form.get("status", 200) == 200 for form in answers.values())
            case RegionRecovers() if region is not None:
                return bool(region.faults)
            case Certificate() if region is not None:
                return region.one_shot is None and not self.arrival
            case StackBecomes() if region is not None:
                return region.stack is None
            case StackFails(_, (Planned(_, None),)):
                return True
            case StackRestored() if region is not None:
                return region.stack is not None or bool(region.stack_faults)
            case Redeploy() if region is not None:
                return region.stack is None and not region.stack_faults and not self.arrival
            case TimePasses(seconds):
                return self.may_pass(seconds)
            case Frozen(hang_up, seconds):
                counted = any(each.one_shot for each in self.regions.values())
                return self.started and self.may_pass(seconds) and not (hang_up and counted)
            case Restart():
                return self.started
            case RotateCredentials():
                return self.rotating
            case Arrive(order):
                return order != self.arrival and (not order or all(map(self._answers_in_turn, self.regions)))
            case Request():
                return self.is_fresh or question_of(step) is not None
        return False

    def _answers_in_turn(self, name: str) -> bool:
        region = self.regions[name]
        known = self.kept is None or self.kept.addresses[name] == region.address
        return known and all(planned.fault.stage is Stage.REPLY for planned in region.faults)

    # What is answered

    def answered(self, request: Request) -> Request:
        """The request with what must be answered to it, which has happened then.

        A request that is refused needs a fresh map: whether discovery comes before the refusal isn't laid down.
        """
        question = question_of(request)
        self.started = True
        if question is None:
            return replace(request, expect=self._refused(refusal_of(request)))
        return replace(request, expect=self._asked(question))

    def _refused(self, refusal: Refusal) -> Expectation:
        none = {name: Span(0, 0) for name in self.regions}
        mentions = {"/error": refusal.mentions} if refusal.mentions else {}
        headers = {**JSON, "Allow": "GET"} if refusal.status == 405 else JSON
        return Expectation(status=refusal.status, mentions=mentions, headers=headers, requests=none, within=BUDGET)

    def _asked(self, question: Question) -> Expectation:
        found = {name: region.address for name, region in self.regions.items()}
        vouched = all(region.vouched_for for region in self.regions.values())
        used = use(self.kept, self.now, found if vouched else None)
        calls = Span(len(self.regions) if vouched else 1) if used.discovers else Span(0, 0)
        if used.map is None:
            none = {name: Span(0, 0) for name in self.regions}
            body = {"error": UNAVAILABLE}
            return Expectation(503, (body,), headers=JSON, requests=none, discoveries=calls, within=BUDGET)
        self.kept = used.map
        asked = {name: self._region(name, question.route) for name in self.regions}
        bodies: list[Any] = []
        for outcomes in effect.alternatives({name: choice for name, (choice, _) in asked.items()}):
            body = question.merge(outcomes)
            bodies += [] if body in bodies else [body]
        expect = Expectation(
            headers=JSON,
            requests={name: span for name, (_, span) in asked.items() if span != Span()},
            discoveries=calls,
            given_up=tuple(name for name, region in self.regions.items() if region.floods),
            accepted=True,
            asked=question.asked,
            within=BUDGET,
        )
        if len(bodies) == 1:
            return replace(expect, status=200, json=(bodies[0],))
        return replace(expect, any_of=tuple(Whole(200, body) for body in bodies))

    def _region(self, name: str, route: str) -> tuple[tuple[Outcome, ...], Span]:
        """How a region may come out, and how many requests it may get."""
        region = self.regions[name]
        if self.kept is None or self.kept.addresses[name] != region.address:
            return (REDACTED,), Span(0, 0)  # nobody is there any more
        named = [fault for fault in region.standing if fault.stage is not Stage.NAME]
        choice, requests = self._answer(region, route, named)
        if named == region.standing:
            region.name_is_known = True
        elif region.name_is_known:
            region.kept_may_be_dead = True
            return (REDACTED, *choice), Span(0, requests.most)
        else:
            return (REDACTED,), Span(0, 0)
        return choice, requests

    def _answer(
        self, region: RegionState, route: str, standing: Sequence[WireFault]
    ) -> tuple[tuple[Outcome, ...], Span]:
        """What comes of asking a region once its name is known, and how many requests it may get."""
        answer = region.answers[route]
        usual = effect.outcomes(route, answer, (fault for fault in standing if fault.stage is not Stage.REUSE))
        choice = usual
        struck = self._strikes_once(region)
        if struck is not None:
            choice = effect.outcomes(route, answer, [struck])
        if route == "deletion":
            in_doubt = region.kept_may_be_dead or any(fault.stage is Stage.REUSE for fault in standing)
            choice = (*choice, REDACTED) if in_doubt else choice
        elif struck is not None:
            choice = (*choice, *usual)  # a GET may be sent again
        if route != "deletion" and not isinstance(usual[0], str):
            region.kept_may_be_dead = False
        if End("end") in (*standing, struck):
            region.kept_may_be_dead = True
        return choice, _requests(route, standing, choice)

    def _strikes_once(self, region: RegionState) -> WireFault | None:
        """Count a request; the fault that strikes only this one, if any, which is over then."""
        planned = region.one_shot
        if planned is None or planned.ordinals is None:
            return None
        region.faults.remove(planned)
        (ordinal,) = planned.ordinals
        if ordinal == 1:
            return planned.fault
        region.faults.append(Planned(planned.fault, (ordinal - 1,)))
        return None


def _requests(route: str, standing: Iterable[WireFault], choice: Sequence[Outcome]) -> Span:
    if any(_keeps_out(fault) for fault in standing):
        return Span(0, 0)
    certain = all(not isinstance(outcome, str) for outcome in choice)
    return Span(1 if certain else 0, 1 if route == "deletion" else None)


def _keeps_out(fault: WireFault) -> bool:
    """Whether no request gets through TLS."""
    return fault.stage in NEW_CONNECTIONS or isinstance(fault, Refuse)


def _healthy(name: str) -> dict[str, Answer]:
    return {_ROUTES[method, path]: Answer(200, body) for method, path, body in healthy(name)}
