"""A campaign: so many runs, each of which its number and the seed give, played side by side."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass

from gco_conformance.campaigns.execution import Cell, Execution, Failure, Pair, execute
from gco_conformance.campaigns.machine import plan
from gco_conformance.campaigns.plan import Plan
from gco_conformance.campaigns.shrink import shrunk
from gco_conformance.evidence.stage import Stages
from gco_conformance.report.outcome import Outcome

LENGTH = 25
"""Steps of a run."""
TOGETHER = 6
"""Runs that are played at the same time, for each job: much of what they do is wait."""
WAITING = 64
"""Runs in which somebody waits for a region, beside these: they do next to nothing meanwhile."""
SHRUNK = 3
"""So many failing runs are made smaller; further ones are told as they are."""


@dataclass(frozen=True)
class Campaign:
    """Which runs: those of a seed until there are so many steps, or of these every n-th from the i-th on."""

    seed: int
    steps: int
    shard: tuple[int, int] = (1, 1)

    @property
    def runs(self) -> range:
        """The numbers of all runs of the campaign, whatever the shard."""
        return range(-(-self.steps // LENGTH))

    @property
    def own(self) -> range:
        """The numbers of the shard's runs."""
        first, shards = self.shard
        return self.runs[first - 1 :: shards]


@dataclass(frozen=True)
class Run:
    """A run that was played. `smallest` is the failing run made smaller; None where it didn't fail again."""

    number: int
    plan: Plan
    execution: Execution
    smallest: Plan | None = None
    smallest_failure: Failure | None = None

    @property
    def outcome(self) -> Outcome:
        if self.execution.failure is not None:
            return Outcome.FAILED
        return Outcome.NOT_TESTED if self.execution.untested else Outcome.PASSED

    @property
    def failing(self) -> Plan | None:
        """What shows the failure: the smallest run that is known, else the run up to where it failed."""
        if self.execution.failure is None:
            return None
        return self.smallest or self.plan.until(self.execution.failure.step)


Told = Callable[[Run], None]


def play(campaign: Campaign, stages: Stages, *, jobs: int, told: Told) -> None:
    """Play a campaign. Each run is `told` when it has been played; some that failed again, when they are smaller.

    Raises `StartError` when the aggregator can't be started.
    """
    function = stages.function
    plans = {
        number: plan(campaign.seed, number, LENGTH).feasible(
            moves_time=not function.moves_time, starts_cold=not function.starts_cold
        )
        for number in campaign.own
    }
    failed: list[Run] = []
    with _threads(jobs * TOGETHER) as threads, _threads(WAITING) as patient, _threads(SHRUNK) as searches:
        begun = {
            (patient if plans[number].waits else threads).submit(execute, plans[number], stages): number
            for number in plans
        }
        for future in as_completed(begun):
            number = begun[future]
            run = Run(number, plans[number], future.result())
            failed += [run] if run.outcome is Outcome.FAILED else []
            told(run)
        chosen = _different(failed)[:SHRUNK]
        for run in searches.map(lambda run: _smaller(run, stages, patient, jobs), chosen):
            told(run)


def _different(failed: Sequence[Run]) -> list[Run]:
    """Runs that failed, the first that failed in each way before the others."""
    seen = Counter[str]()
    ranked: list[tuple[int, int, Run]] = []
    for run in sorted(failed, key=lambda run: run.number):
        message = run.execution.failure.message if run.execution.failure else ""
        ranked.append((seen[message], run.number, run))
        seen[message] += 1
    return [run for _, _, run in sorted(ranked, key=lambda each: each[:2])]


def _smaller(run: Run, stages: Stages, threads: ThreadPoolExecutor, jobs: int) -> Run:
    """The failing run with the smallest one that fails in the same way."""
    wanted = run.execution.failure
    assert wanted is not None
    failures: dict[str, Failure] = {}

    def fails(plans: Sequence[Plan]) -> list[Plan | None]:
        found: list[Plan | None] = []
        for plan_, execution in zip(plans, threads.map(lambda each: execute(each, stages), plans), strict=True):
            failure = execution.failure
            alike = failure is not None and failure.message == wanted.message
            found.append(plan_.until(failure.step) if failure is not None and alike else None)
            if found[-1] is not None and failure is not None:
                failures[repr(found[-1])] = failure
        return found

    begun = run.plan.until(wanted.step)
    smallest = shrunk(begun, fails, together=jobs * (4 if begun.waits else 1))
    if smallest is None:
        return run
    return dataclasses.replace(run, smallest=smallest, smallest_failure=failures[repr(smallest)])


def coverage(runs: Sequence[Run]) -> tuple[Counter[Cell], Counter[Pair]]:
    """What was tried in runs, and during how many requests."""
    cells, pairs = Counter[Cell](), Counter[Pair]()
    for run in runs:
        cells.update(run.execution.cells)
        pairs.update(run.execution.pairs)
    return cells, pairs


@contextmanager
def _threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that aren't waited for when this is interrupted; they end with the aggregator that they wait for."""
    threads = ThreadPoolExecutor(count, thread_name_prefix="run")
    try:
        yield threads
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
