"""Where a run stands: what steps are chosen by."""

from __future__ import annotations

from dataclasses import dataclass, field

from gco_conformance.campaigns.dealing import Hand
from gco_conformance.campaigns.question import PATHS, question_of
from gco_conformance.campaigns.state import WorldState
from gco_conformance.campaigns.vocabulary import WITH_JOBS
from gco_conformance.scenarios.scenario import makes_wait, planned_in
from gco_conformance.scenarios.step import RegionAnswers, RegionFails, Request, StackBecomes, StackFails, Step


@dataclass
class Situation:
    """The world, what the run is to try in it, and what has been asked since something was last broken."""

    state: WorldState
    hand: Hand
    steps_left: int
    waits_left: int = 1
    """So many requests may still make their caller wait."""
    asked: set[str] = field(default_factory=set)
    """The routes that were asked since."""
    broken: set[str] = field(default_factory=set)
    """The regions that were broken since all routes had been asked."""
    jobs: bool = False
    """Whether a region has answered with more than one job."""
    owed: str = ""
    """A route whose answer changed, and that wasn't asked since."""

    @property
    def all_asked(self) -> bool:
        """Whether every route has met all that is broken."""
        return self.asked == PATHS.keys()

    def possible(self, step: Step) -> bool:
        """Whether a step can come next."""
        affordable = not isinstance(step, Request) or not self.state.next_waits or self.waits_left > 0
        return affordable and self.state.allows(step)

    def take(self, step: Step) -> Step:
        """Have a step happen; give it with what must then be true."""
        self.hand.played(step)
        self.steps_left -= 1
        match step:
            case Request():
                self.waits_left -= self.state.next_waits
                question = question_of(step)
                self.asked |= {question.route} if question is not None else set()
                self.owed = "" if question is not None and question.route == self.owed else self.owed
            case RegionFails(region, _) if not any(makes_wait(planned.fault) for planned in planned_in(step)):
                self.broken = {region} if self.all_asked else {*self.broken, region}
                self.asked = set()
            case StackBecomes() | StackFails():
                self.asked = set()
            case RegionAnswers(_, answers):
                (self.owed,) = answers
                self.jobs |= answers in WITH_JOBS
        return self.state.take(step)
