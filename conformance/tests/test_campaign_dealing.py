"""What runs of a campaign are dealt: nothing twice before everything once, and most of it is tried."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from gco_conformance.campaigns.campaign import LENGTH
from gco_conformance.campaigns.dealing import FAULTS, SHARES, Hand, focus, hand
from gco_conformance.campaigns.machine import plan
from gco_conformance.campaigns.question import PATHS, question_of
from gco_conformance.campaigns.vocabulary import PROMPT_FAULTS
from gco_conformance.scenarios.step import RegionFails, RegionRecovers, Request
from gco_conformance.world.faults import WireFault

SEED = 3
RUNS = range(20)


def hands(about: str, seed: int = SEED, runs: int = 200) -> list[Hand]:
    return [hand(seed, run) for run in range(runs) if focus(seed, run) == about]


def test_of_twenty_runs_so_many_are_about_each_thing_whichever_seed() -> None:
    for seed in (1, 2):
        for first in (0, 20, 40):
            assert Counter(focus(seed, run) for run in range(first, first + 20)) == SHARES


def test_no_fault_is_dealt_twice_before_all_have_been_dealt_once() -> None:
    dealt = [fault for each in hands("regions") for fault in each.faults]
    rounds = len(dealt) // len(PROMPT_FAULTS)
    assert rounds > 5
    for number in range(rounds):
        first = number * len(PROMPT_FAULTS)
        assert Counter(dealt[first : first + len(PROMPT_FAULTS)]) == Counter(PROMPT_FAULTS)


def test_the_order_of_every_round_and_seed_is_another() -> None:
    orders = [[fault for each in hands("regions", seed) for fault in each.faults] for seed in (1, 2)]
    size = len(PROMPT_FAULTS)
    assert len({tuple(order[first : first + size]) for order in orders for first in (0, size, 2 * size)}) == 6


def test_each_wait_meets_each_route() -> None:
    dealt = {(each.waiting_route, fault) for each in islice(hands("regions"), 12) for fault in each.waiting}
    faults = {fault for _, fault in dealt}
    assert len(faults) > 10
    assert dealt == {(route, fault) for route in PATHS for fault in faults}


def test_twenty_runs_try_most_faults_on_most_routes() -> None:
    tried: set[tuple[WireFault, str]] = set()
    for run in RUNS:
        standing: dict[str, tuple[WireFault, ...]] = {}
        for step in plan(SEED, run, LENGTH).steps:
            match step:
                case RegionFails(region, planned):
                    standing[region] = tuple(each.fault for each in planned)
                case RegionRecovers(region):
                    standing.pop(region, None)
                case Request():
                    question = question_of(step)
                    route = question.route if question is not None else ""
                    tried |= {(fault, route) for faults in standing.values() for fault in faults}
    wanted = {(fault, route) for fault in PROMPT_FAULTS for route in PATHS}
    assert len(tried & wanted) > len(wanted) * 0.7


@pytest.mark.parametrize("run", [run for run in RUNS if focus(SEED, run) == "regions"][:4])
def test_a_run_plays_its_hand(run: int) -> None:
    broken = [step for step in plan(SEED, run, LENGTH).steps if isinstance(step, RegionFails)]
    planted = {each.fault for step in broken for each in step.faults}
    own = hand(SEED, run)
    assert len(planted.intersection(own.faults)) >= FAULTS / 2
    assert planted.intersection(own.waiting)
