"""Playing many scenarios side by side: nearly all that they do is wait."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from gco_conformance.evidence.stage import Stages
from gco_conformance.scenarios.player import Played, play
from gco_conformance.scenarios.scenario import Scenario

WAITING_PER_JOB = 4


def play_all(
    scenarios: Sequence[Scenario], stages: Stages, *, jobs: int, told: Callable[[Played], None]
) -> tuple[Played, ...]:
    """Play scenarios and give what came of them; each is `told` when those before it have been.

    Those that wait begin at once, all of them; those that strike CloudFormation itself come last, one by one.
    When this is interrupted, those that haven't begun don't begin.
    """
    together = [scenario for scenario in scenarios if not scenario.needs_cloudformation_alone]
    alone = [scenario for scenario in scenarios if scenario.needs_cloudformation_alone]
    waiting = [scenario for scenario in together if scenario.waits]
    found: list[Played] = []
    with ExitStack() as stack:
        patient, prompt = (
            ThreadPoolExecutor(threads, thread_name_prefix="scenario")
            for threads in (max(1, len(waiting)), jobs * WAITING_PER_JOB)
        )
        for pool in (patient, prompt):
            stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        begun = [(patient if each in waiting else prompt).submit(play, each, stages) for each in together]
        results = (future.result() for future in begun)
        for played in itertools.chain(results, (play(each, stages) for each in alone)):
            found.append(played)
            told(played)
    return tuple(found)
