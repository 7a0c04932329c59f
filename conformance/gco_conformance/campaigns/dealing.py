"""What each run of a campaign is about, and what it is dealt to try.

Chance alone would try a few things often and others never. So all that can be tried is shuffled and dealt out, a
hand to each run: nothing is dealt twice before everything has been dealt once. A run knows its hand from the seed
and its own number, whatever part of the campaign it's played in.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

from gco_conformance.campaigns import vocabulary
from gco_conformance.campaigns.question import PATHS
from gco_conformance.scenarios.step import (
    Planned,
    RegionAnswers,
    RegionFails,
    Request,
    StackBecomes,
    StackFails,
    Step,
)
from gco_conformance.world.faults import WireFault

T = TypeVar("T")
StackCard = str | Mapping[str, Any] | Planned
"""What a stack becomes, or how asking for it fails."""

SHARES: Mapping[str, int] = {"regions": 11, "discovery": 4, "requests": 3, "everything": 2}
"""Of twenty runs, how many are about what."""

FAULTS, STACKS, REQUESTS, ANSWERS = 8, 7, 16, 6
"""How many of each a run is dealt: about as many as it can try."""


@dataclass
class Hand:
    """What a run is to try and hasn't yet: each list begins with what comes next."""

    faults: list[WireFault]
    waiting: list[WireFault]
    """Faults for which callers wait: one request meets them all."""
    waiting_route: str
    """What that request asks for."""
    stacks: list[StackCard]
    requests: list[Request]
    answers: list[Mapping[str, Mapping[str, Any]]]

    def played(self, step: Step) -> None:
        """Put down what a step has tried."""
        match step:
            case RegionFails(_, planned):
                _put_down(self.faults, (each.fault for each in planned))
                _put_down(self.waiting, (each.fault for each in planned))
            case StackBecomes(_, state):
                _put_down(self.stacks, [state])
            case StackFails(_, planned):
                _put_down(self.stacks, planned)
            case RegionAnswers(_, answers):
                _put_down(self.answers, [answers])
            case Request():
                _put_down(self.requests, [step])


def focus(seed: int, run: int) -> str:
    """What a run is about, by its number from 0."""
    return _seat(seed, run)[0]


def hand(seed: int, run: int) -> Hand:
    """What a run is dealt, by its number from 0."""
    _, place = _seat(seed, run)

    def dealt(name: str, cards: Sequence[T], count: int) -> list[T]:
        return _dealt(f"{seed} {name}", cards, place * count, count)

    ((route, waiting),) = dealt("waiting", _waits(seed), 1)
    return Hand(
        faults=dealt("faults", vocabulary.PROMPT_FAULTS, FAULTS),
        waiting=waiting,
        waiting_route=route,
        stacks=dealt("stacks", _STACKS, STACKS),
        requests=dealt("requests", _REQUESTS, REQUESTS),
        answers=dealt("answers", vocabulary.ANSWERS, ANSWERS),
    )


def _seat(seed: int, run: int) -> tuple[str, int]:
    """What a run is about, and how many runs before it are about the same."""
    seats = [about for about, share in SHARES.items() for _ in range(share)]
    round_, place = divmod(run, len(seats))
    order = _shuffled(f"{seed} seats", seats, round_)
    about = order[place]
    return about, round_ * SHARES[about] + order[:place].count(about)


def _dealt(name: str, cards: Sequence[T], first: int, count: int) -> list[T]:
    """The cards at these places of a row in which all come in one order, then all in another, and so on."""
    found: list[T] = []
    for place in range(first, first + count):
        round_, within = divmod(place, len(cards))
        found.append(_shuffled(name, cards, round_)[within])
    return found


def _shuffled(name: str, cards: Sequence[T], round_: int) -> list[T]:
    shuffled = list(cards)
    random.Random(f"{name} {round_}").shuffle(shuffled)
    return shuffled


def _put_down(cards: list[Any], played: Iterable[object]) -> None:
    for each in played:
        if each in cards:
            cards.remove(each)


def _waits(seed: int) -> list[tuple[str, list[WireFault]]]:
    """Each fault for which callers wait with each route: as many to a request as there are regions."""
    found = []
    for route in PATHS:
        faults = _shuffled(f"{seed} {route}", vocabulary.WAITING_FAULTS, 0)
        together = len(vocabulary.REGIONS)
        found += [(route, faults[first : first + together]) for first in range(0, len(faults), together)]
    return found


def _requests() -> list[Request]:
    """Every request of the vocabulary that is more than its route."""
    limits = len(vocabulary.LIMITS)
    bodies = [None if body is None else json.dumps(body) for body in vocabulary.BODIES]
    searches = [
        Request("GET", PATHS["jobs"], dict(filters) | ({} if limit is None else {"limit": limit}))
        for number, (filters, limit) in enumerate(product(vocabulary.FILTERS, vocabulary.LIMITS))
        if number % limits in {number // limits, (number // limits + 2) % limits}  # each limit, each filter
    ]
    deletions = [Request("DELETE", PATHS["deletion"], {}, body) for body in bodies]
    encoded = [Request("DELETE", PATHS["deletion"], {}, body, base64=True) for body in bodies[:2]]
    refused = [
        Request(method, path, query, body)
        for kind in vocabulary.REFUSED
        for method, path, query, body, _mentioned in kind
    ]
    return [*searches, *deletions, *encoded, *refused, *(Request(*each) for each in vocabulary.ELSEWHERE)]


_REQUESTS = _requests()
_STACKS: Sequence[StackCard] = (
    *(state for kind in (*vocabulary.NO_BRIDGES, vocabulary.BRIDGES) for state in kind),
    *(Planned(fault) for fault in (*vocabulary.STACK_FAULTS, *vocabulary.WAITING_STACK_FAULTS)),
)
