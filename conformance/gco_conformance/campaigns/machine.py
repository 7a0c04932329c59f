"""The Hypothesis state machine whose runs are the runs of a campaign.

It takes no step in any world: it imagines the world, so that the same seed gives the same steps whatever an
aggregator does, and writes down what must be answered. Those who play the steps come later.
"""

from __future__ import annotations

import hashlib
import threading

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from gco_conformance.campaigns import dealing, vocabulary
from gco_conformance.campaigns.dealing import Hand
from gco_conformance.campaigns.focuses import KINDS
from gco_conformance.campaigns.plan import Plan
from gco_conformance.campaigns.question import PATHS
from gco_conformance.campaigns.situation import Situation
from gco_conformance.campaigns.state import WorldState
from gco_conformance.scenarios.step import RegionRecovers, Request, StackRestored, Step

_ONE_AT_A_TIME = threading.Lock()
_ATTEMPTS = 20
_TRIES = 4


def plan(seed: int, run: int, steps: int) -> Plan:
    """The run of this number in the campaign with this seed: so many steps."""
    for attempt in range(_ATTEMPTS):
        found = _last_example(seed, run, attempt, steps)
        if len(found.steps) == steps:
            return found
    raise RuntimeError(f"seed {seed} gives no run {run} of {steps} steps")


def _derived(seed: int, run: int, attempt: int) -> int:
    digest = hashlib.sha256(f"{seed}/{run}/{attempt}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def _last_example(seed: int, run: int, attempt: int, steps: int) -> Plan:
    """What Hypothesis makes of a seed. Its first example is the simplest of all, and of no interest."""
    found: list[Plan] = []

    class Run(CampaignMachine):
        about = dealing.focus(seed, run)
        length = steps

        def hand(self) -> Hand:
            return dealing.hand(seed, run)

        def teardown(self) -> None:
            found.append(self.plan())

    settings = hypothesis.settings(
        max_examples=2,
        stateful_step_count=steps + 1,  # the beginning counts as one
        database=None,
        deadline=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with _ONE_AT_A_TIME:
        run_state_machine_as_test(hypothesis.seed(_derived(seed, run, attempt))(Run), settings=settings)
    return found[-1]


class CampaignMachine(RuleBasedStateMachine):
    """Every rule is a step. At most one request of a run makes its caller wait."""

    about = "everything"
    length = 0
    """How many steps it will be."""

    def __init__(self) -> None:
        super().__init__()
        state = WorldState(vocabulary.REGIONS[:1], rotating=False)
        self.now = Situation(state, self.hand(), self.length)
        self.steps: list[Step] = []

    def hand(self) -> Hand:
        """What the run is dealt."""
        raise NotImplementedError

    def plan(self) -> Plan:
        """The steps so far."""
        state = self.now.state
        return Plan(tuple(state.regions), state.rotating, tuple(self.steps))

    @initialize(regions=st.integers(1, len(vocabulary.REGIONS)), rotating=st.booleans())
    def begin(self, regions: int, rotating: bool) -> None:
        # One region that can't be discovered is enough; but each that fails is tried by every request.
        count = {"discovery": min(regions, 2), "regions": len(vocabulary.REGIONS)}.get(self.about, regions)
        self.now.state = WorldState(vocabulary.REGIONS[:count], rotating=rotating)

    @rule(data=st.data())
    def step(self, data: st.DataObject) -> None:
        """One step of those that are possible; requests are nearly half of all."""
        # One rule, since Hypothesis leaves rules out of whole runs: those without requests would show nothing.
        drawn = (data.draw(KINDS[self.about])(self.now, data.draw) for _ in range(_TRIES))
        made = next(filter(self.now.possible, drawn), None) or self._anything()
        self.steps.append(self.now.take(made))

    def _anything(self) -> Step:
        """A step that is possible: a request, or what makes one possible."""
        regions = tuple(self.now.state.regions)
        well: list[Step] = [
            Request("GET", PATHS["status"]),
            *map(RegionRecovers, regions),
            *map(StackRestored, regions),
        ]
        return next(step for step in well if self.now.possible(step))
