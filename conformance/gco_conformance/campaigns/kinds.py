"""The kinds of steps that a campaign takes, each drawn with its details. The first is the simplest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gco_conformance.campaigns import vocabulary
from gco_conformance.campaigns.question import PATHS
from gco_conformance.campaigns.state import WorldState
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


Kind = Callable[[WorldState, Draw], Step]


def _one(draw: Draw, choices: Sequence[T]) -> T:
    return draw(st.sampled_from(choices))


def _fault(draw: Draw, kinds: Sequence[Sequence[WireFault]]) -> WireFault:
    return _one(draw, _one(draw, kinds))


def _region(state: WorldState, draw: Draw, holds: Callable[[Any], bool] = bool) -> str:
    """A region of which something holds, or any where it holds of none."""
    fitting = [name for name, region in state.regions.items() if holds(region)]
    return _one(draw, fitting or list(state.regions))


def _status(_: WorldState, __: Draw) -> Step:
    return Request("GET", PATHS["status"])


def _health(_: WorldState, __: Draw) -> Step:
    return Request("GET", PATHS["health"])


def _jobs(_: WorldState, draw: Draw) -> Step:
    limit = _one(draw, vocabulary.LIMITS)
    query = dict(_one(draw, vocabulary.FILTERS)) | ({} if limit is None else {"limit": limit})
    return Request("GET", PATHS["jobs"], query)


def _deletion(_: WorldState, draw: Draw) -> Step:
    body = _one(draw, vocabulary.BODIES)
    text = None if body is None else json.dumps(body)
    return Request("DELETE", PATHS["deletion"], {}, text, base64=text is not None and _one(draw, _RARELY))


def _refused(_: WorldState, draw: Draw) -> Step:
    method, path, query, body, _mentioned = _one(draw, _one(draw, vocabulary.REFUSED))
    return Request(method, path, query, body, base64=body is not None and _one(draw, _RARELY))


def _elsewhere(_: WorldState, draw: Draw) -> Step:
    return Request(*_one(draw, vocabulary.ELSEWHERE))


def _fails(state: WorldState, draw: Draw) -> Step:
    alone = _one(draw, (True, True, True, False))  # two faults of one region mostly hide each other
    if alone and all(region.faults for region in state.regions.values()):
        return RegionRecovers(_region(state, draw))
    region = _region(state, draw, lambda region: not (alone and region.faults))
    return RegionFails(region, (Planned(_fault(draw, _PROMPT)),))


def _fails_once(state: WorldState, draw: Draw) -> Step:
    planned = Planned(_fault(draw, _ONE_SHOTS), (_one(draw, (1, 2)),))
    return RegionFails(_region(state, draw, lambda region: not region.faults), (planned,))


def _hangs(state: WorldState, draw: Draw) -> Step:
    return RegionFails(_region(state, draw), (Planned(_fault(draw, _WAITING)),))


def _recovers(state: WorldState, draw: Draw) -> Step:
    return RegionRecovers(_region(state, draw, lambda region: bool(region.faults)))


def _answers(state: WorldState, draw: Draw) -> Step:
    return RegionAnswers(_region(state, draw), _one(draw, vocabulary.ANSWERS))


def _certificate(state: WorldState, draw: Draw) -> Step:
    return Certificate(_region(state, draw), _one(draw, ("expired", "good", "unknown-ca", "wrong-name")))


def _stack_becomes(state: WorldState, draw: Draw) -> Step:
    states = _one(draw, (*vocabulary.NO_BRIDGES, vocabulary.BRIDGES))
    return StackBecomes(_region(state, draw, lambda region: region.stack is None), _one(draw, states))


def _stack_fails(state: WorldState, draw: Draw) -> Step:
    return StackFails(_region(state, draw), (Planned(_one(draw, vocabulary.STACK_FAULTS)),))


def _stack_hangs(state: WorldState, draw: Draw) -> Step:
    return StackFails(_region(state, draw), (Planned(_one(draw, vocabulary.WAITING_STACK_FAULTS)),))


def _stack_restored(state: WorldState, draw: Draw) -> Step:
    return StackRestored(_region(state, draw, lambda region: region.stack is not None or region.stack_faults))


def _redeploys(state: WorldState, draw: Draw) -> Step:
    return Redeploy(_region(state, draw, lambda region: region.stack is None))


def _time(_: WorldState, draw: Draw) -> Step:
    return TimePasses(_one(draw, vocabulary.SECONDS))


def _frozen(_: WorldState, draw: Draw) -> Step:
    return Frozen(_one(draw, ("ended", "reset", None)), _one(draw, (0.0, 60.0, 600.0)))


def _restarts(_: WorldState, __: Draw) -> Step:
    return Restart()


def _rotates(_: WorldState, __: Draw) -> Step:
    return RotateCredentials()


def _arrive(state: WorldState, draw: Draw) -> Step:
    return Arrive(() if state.arrival else draw(st.permutations(tuple(state.regions)).map(tuple)))


FOCUSES: Mapping[str, Mapping[Kind, int]] = {
    "everything": {
        _status: 7,
        _health: 7,
        _jobs: 10,
        _deletion: 10,
        _refused: 6,
        _elsewhere: 3,
        _fails: 11,
        _fails_once: 4,
        _hangs: 2,
        _recovers: 7,
        _answers: 6,
        _certificate: 1,
        _stack_becomes: 3,
        _stack_fails: 2,
        _stack_hangs: 1,
        _stack_restored: 5,
        _redeploys: 2,
        _time: 6,
        _frozen: 3,
        _restarts: 2,
        _rotates: 2,
        _arrive: 2,
    },
    "requests": {
        _status: 4,
        _health: 3,
        _jobs: 14,
        _deletion: 14,
        _refused: 34,
        _elsewhere: 6,
        _answers: 10,
        _fails_once: 3,
        _recovers: 3,
        _rotates: 4,
        _restarts: 2,
        _time: 3,
    },
    "regions": {
        _status: 7,
        _health: 6,
        _jobs: 10,
        _deletion: 13,
        _refused: 3,
        _fails: 36,
        _fails_once: 8,
        _hangs: 4,
        _recovers: 4,
        _answers: 6,
        _certificate: 1,
        _frozen: 2,
        _rotates: 1,
        _arrive: 1,
    },
    "discovery": {
        _status: 30,
        _jobs: 5,
        _deletion: 5,
        _stack_becomes: 15,
        _stack_fails: 4,
        _stack_hangs: 3,
        _stack_restored: 10,
        _redeploys: 5,
        _time: 20,
        _restarts: 5,
    },
}
"""What a run is about: the share of each kind of step. A run about one thing gets further into it."""

CHOICES = ("everything", "requests", "regions", "regions", "discovery", "discovery")
"""What a run may be about, as often as it should be."""

KINDS: Mapping[str, SearchStrategy[Kind]] = {
    focus: st.sampled_from([kind for kind, share in shares.items() for _ in range(share)])
    for focus, shares in FOCUSES.items()
}
