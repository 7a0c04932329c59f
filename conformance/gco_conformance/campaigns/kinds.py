"""The kinds of steps that a campaign takes, each drawn with its details. The first is the simplest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gco_conformance.campaigns import vocabulary
from gco_conformance.campaigns.question import PATHS
from gco_conformance.campaigns.situation import Situation
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
from gco_conformance.world.faults import WireFault

_PROMPT, _ONE_SHOTS, _WAITING = map(
    vocabulary.by_kind, (vocabulary.PROMPT_FAULTS, vocabulary.ONE_SHOTS, vocabulary.WAITING_FAULTS)
)
_RARELY = (False, False, False, True)
T = TypeVar("T")


class Draw(Protocol):
    """Draws a value from a strategy."""

    def __call__(self, strategy: SearchStrategy[T], /) -> T: ...


Kind = Callable[[Situation, Draw], Step]


def one(draw: Draw, choices: Sequence[T]) -> T:
    return draw(st.sampled_from(choices))


def fault_of(draw: Draw, kinds: Sequence[Sequence[WireFault]]) -> WireFault:
    return one(draw, one(draw, kinds))


def region_of(now: Situation, draw: Draw, holds: Callable[[Any], bool] = bool) -> str:
    """A region of which something holds, or any where it holds of none."""
    fitting = [name for name, region in now.state.regions.items() if holds(region)]
    return one(draw, fitting or list(now.state.regions))


def status(_: Situation, __: Draw) -> Step:
    return Request("GET", PATHS["status"])


def health(_: Situation, __: Draw) -> Step:
    return Request("GET", PATHS["health"])


def jobs(_: Situation, draw: Draw) -> Step:
    limit = one(draw, vocabulary.LIMITS)
    query = dict(one(draw, vocabulary.FILTERS)) | ({} if limit is None else {"limit": limit})
    return Request("GET", PATHS["jobs"], query)


def deletion(_: Situation, draw: Draw) -> Step:
    body = one(draw, vocabulary.BODIES)
    text = None if body is None else json.dumps(body)
    return Request("DELETE", PATHS["deletion"], {}, text, base64=text is not None and one(draw, _RARELY))


def refused(_: Situation, draw: Draw) -> Step:
    method, path, query, body, _mentioned = one(draw, one(draw, vocabulary.REFUSED))
    return Request(method, path, query, body, base64=body is not None and one(draw, _RARELY))


def elsewhere(_: Situation, draw: Draw) -> Step:
    return Request(*one(draw, vocabulary.ELSEWHERE))


def fails(now: Situation, draw: Draw) -> Step:
    alone = one(draw, (True, True, True, False))  # two faults of one region mostly hide each other
    if alone and all(region.faults for region in now.state.regions.values()):
        return RegionRecovers(region_of(now, draw))
    region = region_of(now, draw, lambda region: not (alone and region.faults))
    return RegionFails(region, (Planned(fault_of(draw, _PROMPT)),))


def fails_once(now: Situation, draw: Draw) -> Step:
    planned = Planned(fault_of(draw, _ONE_SHOTS), (one(draw, (1, 2)),))
    return RegionFails(region_of(now, draw, lambda region: not region.faults), (planned,))


def hangs(now: Situation, draw: Draw) -> Step:
    return RegionFails(region_of(now, draw), (Planned(fault_of(draw, _WAITING)),))


def recovers(now: Situation, draw: Draw) -> Step:
    return RegionRecovers(region_of(now, draw, lambda region: bool(region.faults)))


def answers(now: Situation, draw: Draw) -> Step:
    return RegionAnswers(region_of(now, draw), one(draw, vocabulary.ANSWERS))


def certificate(now: Situation, draw: Draw) -> Step:
    return Certificate(region_of(now, draw), one(draw, ("expired", "good", "unknown-ca", "wrong-name")))


def stack_becomes(now: Situation, draw: Draw) -> Step:
    states = one(draw, (*vocabulary.NO_BRIDGES, vocabulary.BRIDGES))
    return StackBecomes(region_of(now, draw, lambda region: region.stack is None), one(draw, states))


def stack_fails(now: Situation, draw: Draw) -> Step:
    return StackFails(region_of(now, draw), (Planned(one(draw, vocabulary.STACK_FAULTS)),))


def stack_hangs(now: Situation, draw: Draw) -> Step:
    return StackFails(region_of(now, draw), (Planned(one(draw, vocabulary.WAITING_STACK_FAULTS)),))


def stack_restored(now: Situation, draw: Draw) -> Step:
    return StackRestored(region_of(now, draw, lambda region: region.stack is not None or region.stack_faults))


def redeploys(now: Situation, draw: Draw) -> Step:
    return Redeploy(region_of(now, draw, lambda region: region.stack is None))


def time(_: Situation, draw: Draw) -> Step:
    return TimePasses(one(draw, vocabulary.SECONDS))


def frozen(_: Situation, draw: Draw) -> Step:
    return Frozen(one(draw, ("ended", "reset", None)), one(draw, (0.0, 60.0, 600.0)))


def restarts(_: Situation, __: Draw) -> Step:
    return Restart()


def rotates(_: Situation, __: Draw) -> Step:
    return RotateCredentials()


def arrive(now: Situation, draw: Draw) -> Step:
    return Arrive(() if now.state.arrival else draw(st.permutations(tuple(now.state.regions)).map(tuple)))
