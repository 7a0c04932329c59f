"""Events that follow the document's links on one warm process: no answer may depend on what was asked before."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import HealthCheck, Phase

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.model.json_equality import equal
from gco_conformance.suite.described.document import SCHEMATHESIS, Described
from gco_conformance.suite.described.judgement import DOCUMENTED, conforms, response_of
from gco_conformance.suite.described.request import Request, request_of

if TYPE_CHECKING:
    from schemathesis import Case, Response

TRIES = 4
"""How many events that came before are tried, each by itself, for the one that an answer depends on."""


@dataclass(frozen=True)
class Story:
    """What one process answered, in order, from its cold start on."""

    replies: Sequence[Reply]

    @property
    def reproduction(self) -> str:
        """The events, each with what was seen while it was answered."""
        return "".join(reply.reproduction for reply in self.replies)

    def contradiction(self) -> tuple[Reply, Reply] | None:
        """The first two answers to the same event that aren't the same."""
        first: dict[str, Reply] = {}
        for reply in self.replies:
            before = first.setdefault(_key(reply), reply)
            if not _same(before, reply):
                return before, reply
        return None


def walk(aws: Stage, document: Described, *, scenarios: int, steps: int) -> Sequence[tuple[Request, Reply]]:
    """Have Schemathesis follow the links of the document, a few steps at a time; it draws by the world's seed."""
    taken: list[tuple[Request, Reply]] = []

    def call(_: object, case: Case[Any], **__: Any) -> Response:
        request = request_of(case)
        reply = aws.event(request.event)
        taken.append((request, reply))
        return response_of(request, reply, as_json=True)

    def accept(*_: Any, **__: Any) -> None:
        """The answers are judged together, when all are there."""

    members = {"call": call, "validate_response": accept}
    machine: Any = type("Walk", (document.schema.as_state_machine(),), members)
    with SCHEMATHESIS:
        hypothesis.seed(aws.seed)(machine).run(
            settings=hypothesis.settings(
                max_examples=scenarios,
                stateful_step_count=steps,
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
        )
    return taken


def remembers_nothing(aws: Stage, taken: Sequence[tuple[Request, Reply]]) -> None:
    """The same event has the same answer whatever came in between, and what is answered as documented alone is so
    after others. Each event is asked once more for that, the last one first.
    """
    _is_documented_throughout(aws, taken)
    events = {_key(reply): reply.event for _, reply in taken}
    again = [aws.event(event) for event in reversed(events.values())]
    _is_answered_alike(aws, Story([*(reply for _, reply in taken), *again]))


def _is_documented_throughout(aws: Stage, taken: Sequence[tuple[Request, Reply]]) -> None:
    for number, (request, reply) in enumerate(taken):
        found = _misfit(request, reply)
        if found is None:
            continue
        if _misfit(request, _from_cold(aws, request.event).replies[-1]) is not None:
            return  # so it is alone, which is a matter of other requirements
        story = Story([each for _, each in taken[: number + 1]])
        for before in list({_key(each): each.event for each in reversed(story.replies[:-1])}.values())[:TRIES]:
            shorter = _from_cold(aws, before, request.event)
            misfit = _misfit(request, shorter.replies[-1])
            if misfit is not None:
                story, found = shorter, misfit
                break
        raise Violation(
            f"after other events: {found.message}", expected=found.expected, actual=found.actual, observation=story
        )


def _misfit(request: Request, reply: Reply) -> Violation | None:
    try:
        conforms(request, reply, DOCUMENTED)
    except Violation as violation:
        return violation
    return None


def _is_answered_alike(aws: Stage, story: Story) -> None:
    found = story.contradiction()
    if found is None:
        return
    first, second = found
    last = story.replies[[reply is second for reply in story.replies].index(True) - 1]
    with contextlib.suppress(NotTested):  # where there is no cold start, the whole story has to do
        for events in ((first.event, second.event), (first.event, last.event, second.event)):
            shorter = _from_cold(aws, *events)
            contradiction = shorter.contradiction()
            if contradiction is not None:
                story, (first, second) = shorter, contradiction
                break
    raise Violation(
        "the answer depends on what was asked before",
        expected=f"the same answer as before: {first.summary()}",
        actual=second.summary(),
        observation=story,
    )


def _from_cold(aws: Stage, *events: Mapping[str, Any]) -> Story:
    """What a new process answers. Raises `NotTested` where the function can't be started anew."""
    aws.restart()
    return Story([aws.event(event) for event in events])


def _key(reply: Reply) -> str:
    return json.dumps(reply.event, sort_keys=True)


def _same(one: Reply, other: Reply) -> bool:
    if one.body is None or other.body is None:
        return one.summary() == other.summary()
    return one.status == other.status and equal(one.body, other.body)
