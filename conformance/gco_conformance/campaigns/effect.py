"""What becomes of a region's answer under faults: the answer, an error, or one of several that are right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gco_conformance.model.aggregation import REDACTED
from gco_conformance.world import faults
from gco_conformance.world.faults import Stage, WireFault

Outcome = Mapping[str, Any] | str
"""A JSON object, or the text of an error."""

BODY_BOUND = 8 * 1024 * 1024
_PATIENCE = 30.0
"""Seconds: an answer that takes longer is none, whatever an aggregator does."""
COUNTS: Mapping[str, frozenset[str]] = {
    "jobs": frozenset({"total", "count"}),
    "status": frozenset({"templates_count", "webhooks_count"}),
    "health": frozenset(),
    "deletion": frozenset({"total_matched", "deleted_count", "failed_count"}),
}
"""By route, the members of a region's answer that are counted."""


@dataclass(frozen=True)
class Answer:
    """What a region answers: a status, and a JSON object, or None for a body that is none."""

    status: int
    body: Mapping[str, Any] | None


def outcomes(route: str, answer: Answer, standing: Iterable[WireFault]) -> tuple[Outcome, ...]:
    """What may become of an answer under faults that strike every request; the last of each stage comes first.

    Usually that is one outcome. Where the body of an answer with another status than 200 can't be read, its status
    may be told or not.
    """
    last = {fault.stage: fault for fault in standing}
    if last.keys() & {Stage.NAME, Stage.LISTEN, Stage.HANDSHAKE, Stage.CERTIFICATE}:
        return (REDACTED,)
    fault = last.get(Stage.REPLY)
    meant = _changed(route, answer, fault)
    match _arrives(last.get(Stage.ANSWER)):
        case "nothing":
            return (REDACTED,)
        case "head":
            known = _taken(route, replace(meant, body=None))
            return (REDACTED,) if known == REDACTED else (REDACTED, known)
        case _:
            known = _taken(route, meant)
            unreadable = isinstance(fault, (faults.HugeBody, faults.CompressionBomb, faults.WrongCoding))
            return (REDACTED, known) if unreadable and known not in (REDACTED, meant.body) else (known,)


def alternatives(choices: Mapping[str, Sequence[Outcome]]) -> Iterable[dict[str, Outcome]]:
    """Each way in which every region may come out, where some have a choice."""
    found: list[dict[str, Outcome]] = [{}]
    for region, outcomes_ in choices.items():
        found = [{**others, region: outcome} for others in found for outcome in outcomes_]
    return found


def _taken(route: str, answer: Answer) -> Outcome:
    """What an aggregator makes of an answer that has arrived."""
    good = answer.status == 200 or (route == "health" and answer.status == 503)
    if good and answer.body is not None:
        return answer.body
    return REDACTED if answer.status == 200 else f"HTTP {answer.status}"


def _changed(route: str, answer: Answer, fault: WireFault | None) -> Answer:
    match fault:
        case faults.Status(code=code):
            return replace(answer, status=code)
        case faults.Redirect(code=code):
            return Answer(code, None)
        case faults.HugeBody(size=size) | faults.CompressionBomb(size=size):
            return answer if size <= BODY_BOUND else replace(answer, body=None)
        case faults.Body() | faults.WrongCoding() | faults.Charset() | faults.DeepNesting():
            return replace(answer, body=None)
        case faults.Member(key=key, text=text):
            return answer if _is_harmless(route, key, text) else replace(answer, body=None)
        case faults.DuplicateMember(key=key):
            return replace(answer, body=None) if answer.body is not None and key in answer.body else answer
    return answer


def _is_harmless(route: str, key: str, text: str) -> bool:
    """Whether a member with this text leaves a region's answer one that can be merged, and as it was."""
    try:
        json.loads(text, parse_constant=_no_json)
    except ValueError:
        return False
    return key not in COUNTS[route] and not (route == "jobs" and key == "jobs")


def _no_json(constant: str) -> None:
    raise ValueError(constant)


def _arrives(fault: WireFault | None) -> str:
    """How much of an answer comes in time: nothing, the head (or its first line, which has the status), or all."""
    match fault:
        case faults.Reset(phase=phase) | faults.End(phase=phase) | faults.Hang(phase=phase):
            return {"headers": "head", "body": "head", "end": "all"}.get(phase, "nothing")
        case faults.Drip(bytes_per_second=speed) if speed < 1:
            return "head"
        case faults.Delay(seconds=seconds, jitter=jitter):
            return "nothing" if seconds + jitter > _PATIENCE else "all"
        case faults.Flood() | faults.CutBody() | faults.WrongLength() | faults.BadChunk():
            return "head"
    return "all"
