"""Making a failing run smaller, as long as it fails in the same way: fewer steps, fewer regions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from gco_conformance.campaigns.plan import Plan

TRIES = 200
SECONDS = 60.0
WAITING_SECONDS = 300.0
"""For runs that wait, each of which takes half a minute."""

Fails = Callable[[Sequence[Plan]], Sequence[Plan | None]]
"""Plays runs side by side; gives each up to the step that fails as it should, None where it doesn't."""


def shrunk(
    plan: Plan, fails: Fails, *, together: int, tries: int = TRIES, seconds: float | None = None
) -> Plan | None:
    """A run that fails like this one, without steps that it can do without; None where it doesn't fail again.

    What is answered to the steps that are left is thought out anew. `together` runs are tried at a time. The
    search ends after so many tries, which are the same on every machine, or so many seconds.
    """
    if seconds is None:
        seconds = WAITING_SECONDS if plan.waits else SECONDS
    search = _Search(fails, together, tries, time.monotonic() + seconds)
    best = search.first_of([plan])
    if best is None:
        return None
    size = len(best.steps)
    while size >= 1:
        smaller = _without_steps(best, size, search)
        if smaller == best or size > 1:
            size //= 2
        best = smaller
    return _without_regions(best, search)


def _without_steps(plan: Plan, size: int, search: _Search) -> Plan:
    """The run without as many groups of so many steps as possible. The last step, which fails, stays."""
    end = len(plan.steps) - 1
    while end > 0 and not search.is_over:
        ends = range(end, 0, -size)[: search.together]
        tried = [plan.without(range(max(0, each - size), each)) for each in ends]
        found = search.first_of(each for each in tried if each is not None)
        plan = found or plan
        end = min(end, len(plan.steps) - 1) if found else ends[-1] - size
    return plan


def _without_regions(plan: Plan, search: _Search) -> Plan:
    for name in reversed(plan.regions[1:]):
        tried = plan.without(regions=[name])
        plan = (search.first_of([tried]) if tried is not None else None) or plan
    return plan


class _Search:
    """Tries runs as long as there are tries and time left."""

    def __init__(self, fails: Fails, together: int, tries: int, ends: float) -> None:
        self.together = together
        self._fails = fails
        self._left = tries
        self._ends = ends
        self._known: dict[str, Plan | None] = {}

    @property
    def is_over(self) -> bool:
        return self._left <= 0 or time.monotonic() > self._ends

    def first_of(self, plans: Iterable[Plan]) -> Plan | None:
        """The first of some runs that still fails, cut after its failing step."""
        wanted = {repr(plan): plan for plan in plans}
        new = {} if self.is_over else {text: plan for text, plan in wanted.items() if text not in self._known}
        self._left -= len(new)
        if new:
            self._known.update(zip(new, self._fails(list(new.values())), strict=True))
        return next((found for text in wanted if (found := self._known.get(text)) is not None), None)
