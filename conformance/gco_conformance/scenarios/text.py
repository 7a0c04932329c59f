"""How scenarios came out, as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from gco_conformance.report.differing import bounded
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
    yield from indented("", played.message)
    if played.outcome is not Outcome.FAILED:
        return
    if scenario.why:
        yield from indented("why:      ", " ".join(scenario.why.split()))
    if scenario.requirements:
        yield from indented("about:    ", ", ".join(scenario.requirements))
    expected, actual = bounded(played.expected or "", played.actual or "")
    yield from indented("expected: ", expected)
    yield from indented("actual:   ", actual)
    story = played.story[-_SHOWN:]
    yield from indented("seen:     ", "\n".join(story) or "nothing reached AWS or a region")


def summary(found: Iterable[Outcome]) -> str:
    """How many came out how, in a line."""
    outcomes = Counter(found)
    return ", ".join(f"{outcomes[outcome]} {outcome.value}" for outcome in Outcome if outcomes[outcome])


def indented(label: str, text: str) -> Iterator[str]:
    """Text behind its label, below a line that it belongs to."""
    first, *rest = text.splitlines() or [""]
    yield f"    {label}{first}"
    for line in rest:
        yield f"    {' ' * len(label)}{line}"
