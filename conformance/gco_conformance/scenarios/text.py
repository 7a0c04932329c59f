"""How scenarios came out, as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gco_conformance.report.outcome import Outcome
from gco_conformance.scenarios.player import Played

_SHOWN = 40


def lines(played: Played) -> Iterator[str]:
    """What came of one scenario; a failure with its place, what was expected and what was seen."""
    scenario = played.scenario
    name = scenario.name or "scenario"
    yield f"{played.outcome.value:<10} {played.seconds:6.1f} s  {name}: {scenario.title}"
    if played.outcome is Outcome.PASSED:
        return
    yield from _indented("", played.message)
    if played.outcome is not Outcome.FAILED:
        return
    if scenario.why:
        yield from _indented("why:      ", " ".join(scenario.why.split()))
    if scenario.requirements:
        yield from _indented("about:    ", ", ".join(scenario.requirements))
    yield from _indented("expected: ", played.expected or "")
    yield from _indented("actual:   ", played.actual or "")
    story = played.story[-_SHOWN:]
    yield from _indented("seen:     ", "\n".join(story) or "nothing reached AWS or a region")


def summary(played: Sequence[Played]) -> str:
    """How many came out how, in a line."""
    outcomes = Counter(each.outcome for each in played)
    return ", ".join(f"{outcomes[outcome]} {outcome.value}" for outcome in Outcome if outcomes[outcome])


def _indented(label: str, text: str) -> Iterator[str]:
    first, *rest = text.splitlines() or [""]
    yield f"    {label}{first}"
    for line in rest:
        yield f"    {' ' * len(label)}{line}"
