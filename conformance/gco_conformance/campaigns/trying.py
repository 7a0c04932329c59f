"""Kinds of steps by which a run tries what it was dealt, so that few of its steps show nothing new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gco_conformance.campaigns import kinds, vocabulary
from gco_conformance.campaigns.dealing import StackCard
from gco_conformance.campaigns.kinds import Draw, Kind, one
from gco_conformance.campaigns.question import question_of
from gco_conformance.campaigns.situation import Situation
from gco_conformance.scenarios.scenario import makes_wait
from gco_conformance.scenarios.step import (
    Arrive,
    Planned,
    RegionAnswers,
    RegionFails,
    RegionRecovers,
    Request,
    Restart,
    StackBecomes,
    StackFails,
    StackRestored,
    Step,
    TimePasses,
)
from gco_conformance.world.faults import Stage, WireFault

ROUTES: Mapping[str, Kind] = {
    "jobs": kinds.jobs,
    "deletion": kinds.deletion,
    "health": kinds.health,
    "status": kinds.status,
}


def tries_faults(now: Situation, draw: Draw) -> Step:
    """Break every region in another way, ask every route; and again.

    First of all a region has jobs, so that there is something to merge. At the end regions make their caller wait.
    """
    if not now.jobs:
        return RegionAnswers(one(draw, list(now.state.regions)), one(draw, vocabulary.WITH_JOBS))
    if now.state.next_waits and now.waits_left == 0:
        return RegionRecovers(next(name for name in now.state.regions if _waiting(now, name)))
    if now.waits_left and now.steps_left <= _TO_WAIT:
        return _waits(now, draw)
    if now.asked and not now.all_asked:
        return _asks(now, draw)
    return _breaks(now, draw)


_TO_WAIT = 6
"""Steps in which regions are made to wait and one request meets them all."""


def _asks(now: Situation, draw: Draw) -> Step:
    return ROUTES[one(draw, [route for route in ROUTES if route not in now.asked])](now, draw)


def _breaks(now: Situation, draw: Draw) -> Step:
    left = [name for name in now.state.regions if now.all_asked or name not in now.broken]
    if not left:
        return _asks(now, draw)
    fitting = [
        RegionFails(name, (Planned(fault),))
        for name in left
        for fault in now.hand.faults
        if _replaces(now, name, fault)
    ]
    possible = list(filter(now.possible, fitting))
    if possible:
        return one(draw, possible)
    if now.state.arrival:
        return Arrive(())  # only what is answered may be wrong while answers take turns
    failing = [name for name in left if now.state.regions[name].faults]
    return RegionRecovers(one(draw, failing)) if failing else kinds.fails(now, draw)


def _replaces(now: Situation, name: str, fault: WireFault) -> bool:
    """Whether no fault of a region would keep another from being met."""
    return all(planned.fault.stage is fault.stage for planned in now.state.regions[name].faults)


def _hides(now: Situation, name: str, fault: WireFault) -> bool:
    """Whether what a fault does is met whatever else is wrong in a region: all that may be is what it answers."""
    others = {planned.fault.stage for planned in now.state.regions[name].faults}
    return others <= {Stage.REPLY} or others == {fault.stage}


def _waiting(now: Situation, name: str) -> bool:
    return any(makes_wait(planned.fault) for planned in now.state.regions[name].faults)


def _waits(now: Situation, draw: Draw) -> Step:
    """Have regions wait until no more can; then ask."""
    if now.state.arrival:
        return Arrive(())
    able = [
        (name, fault)
        for name in now.state.regions
        for fault in now.hand.waiting
        if not _waiting(now, name) and _hides(now, name, fault)
    ]
    if able and now.steps_left > 2:
        name, fault = one(draw, able)
        return RegionFails(name, (Planned(fault),))
    if now.state.next_waits:
        return ROUTES[now.hand.waiting_route](now, draw)
    return RegionRecovers(one(draw, list(now.state.regions)))


def tries_stacks(now: Situation, draw: Draw) -> Step:
    """Break a stack while its region has to be looked for, ask, restore it; and again.

    Once a look-up hangs, and there is an old map to go by: regions must then still be asked in time.
    """
    state = now.state
    broken = [name for name, region in state.regions.items() if region.stack is not None or region.stack_faults]
    if broken:
        return StackRestored(one(draw, broken)) if now.asked else _asks(now, draw)
    hanging = [card for card in now.hand.stacks if _is_wait(card) and now.waits_left]
    if hanging and state.kept is None:
        return kinds.status(now, draw)
    if state.is_fresh:
        return TimePasses(600.0) if hanging else one(draw, _AGES_OR_FORGETS)
    cards = hanging or [card for card in now.hand.stacks if not _is_wait(card)]
    if not cards:
        return kinds.stack_becomes(now, draw)
    if state.kept is not None and not hanging and one(draw, (True, True, False)):
        return Restart()
    name = one(draw, list(state.regions))
    return StackFails(name, (cards[0],)) if isinstance(cards[0], Planned) else StackBecomes(name, cards[0])


_AGES_OR_FORGETS: Sequence[Step] = (Restart(), Restart(), TimePasses(600.0), TimePasses(3600.0))


def _is_wait(card: StackCard) -> bool:
    return isinstance(card, Planned) and makes_wait(card.fault)


def tries_requests(now: Situation, draw: Draw) -> Step:
    """Ask what was dealt, and now and then have a region answer something else first."""
    answers_change: bool = one(draw, (True, False, False))
    if answers_change and now.hand.answers and not now.owed:
        return RegionAnswers(one(draw, list(now.state.regions)), now.hand.answers[0])
    possible = [request for request in now.hand.requests if now.possible(request)]
    if now.owed:
        possible = [request for request in possible if _route(request) == now.owed]
        return possible[0] if possible else ROUTES[now.owed](now, draw)
    return possible[0] if possible else kinds.refused(now, draw)


def _route(step: Step) -> str:
    question = question_of(step) if isinstance(step, Request) else None
    return "" if question is None else question.route
