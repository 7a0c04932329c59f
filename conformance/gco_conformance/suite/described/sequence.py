"""Events that follow the document's links on one warm process: no answer may depend on what was asked before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import HealthCheck, Phase

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.model.json_equality import equal
from gco_conformance.suite.described.document import Described
from gco_conformance.suite.described.judgement import DOCUMENTED, conforms, response_of
from gco_conformance.suite.described.request import Request, request_of

if TYPE_CHECKING:
    from schemathesis import Case, Response


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
        try:
            conforms(request, reply, DOCUMENTED)
        except Violation as found:
            aws.restart()
            try:
                conforms(request, aws.event(request.event), DOCUMENTED)
            except Violation:
                return  # so it is alone, which is a matter of other requirements
            raise Violation(
                f"after other events: {found.message}",
                expected=found.expected,
                actual=found.actual,
                observation=Story([reply for _, reply in taken[: number + 1]]),
            ) from None


def _is_answered_alike(aws: Stage, story: Story) -> None:
    found = story.contradiction()
    if found is None:
        return
    for shorter in _shorter(aws, story, *found):
        short = shorter.contradiction()
        if short is not None:
            story, found = shorter, short
            break
    before, after = found
    raise Violation(
        "the answer depends on what was asked before",
        expected=f"the same answer as before: {before.summary()}",
        actual=after.summary(),
        observation=story,
    )


def _shorter(aws: Stage, story: Story, before: Reply, after: Reply) -> Iterator[Story]:
    """The event twice, and with that in between which came just before, each from a cold start."""
    last = story.replies[[reply is after for reply in story.replies].index(True) - 1]
    for events in ((before.event, after.event), (before.event, last.event, after.event)):
        try:
            aws.restart()
        except NotTested:
            return  # this function can't be started anew, so that the whole story has to do
        yield Story([aws.event(event) for event in events])


def _key(reply: Reply) -> str:
    return json.dumps(reply.event, sort_keys=True)


def _same(one: Reply, other: Reply) -> bool:
    if one.body is None or other.body is None:
        return one.summary() == other.summary()
    return one.status == other.status and equal(one.body, other.body)
