"""What must be true of an answer in a scenario, and of what was seen while it was made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.seen import body_of, parameters_of
from gco_conformance.evidence.stage import Stage
from gco_conformance.evidence.violation import Violation
from gco_conformance.model.json_equality import equal
from gco_conformance.model.references import Dangling, at
from gco_conformance.scenarios.step import Asked, Expectation
from gco_conformance.world.journal import Seen


def judge(expect: Expectation, reply: Reply, aws: Stage, mark: int) -> None:
    """Raise `Violation` for the first thing that isn't so. `mark` is where the journal was before the request."""
    _is_an_answer(reply)
    aws.nothing_leaks(reply)
    if expect.within is not None:
        reply.came_within(expect.within)
    if expect.status is not None:
        reply.has_status(expect.status)
    for wanted in expect.json:
        reply.is_(reply.status if expect.status is None else expect.status, wanted)
    if expect.any_of and not any(reply.status == w.status and equal(reply.body, w.json) for w in expect.any_of):
        raise Violation(
            "the answer is none of those that are right",
            expected=[{"statusCode": each.status, "body": each.json} for each in expect.any_of],
            actual={"statusCode": reply.status, "body": reply.body},
            observation=reply,
        )
    for pointer, value in expect.equals.items():
        _stands_at(reply, pointer, value)
    for pointer, text in expect.mentions.items():
        _is_mentioned(reply, pointer, text)
    for pointer in expect.absent:
        _nothing_at(reply, pointer)
    for name, text in expect.headers.items():
        _is_in_header(reply, name, text)
    if expect.errors is not None:
        _failed(reply, expect.errors)
    _was_seen(expect, reply, aws, mark)


def _is_an_answer(reply: Reply) -> None:
    """A status and a text that is JSON: what API Gateway can pass on, and a caller can read."""
    status = reply.status
    if not isinstance(status, int) or isinstance(status, bool) or reply.body is None:
        reply.fails("it isn't an answer with a status and valid JSON", "statusCode, and a body that is JSON text")


def _stands_at(reply: Reply, pointer: str, value: Any) -> None:
    try:
        found = at(reply.body, pointer)
    except Dangling:
        found = "nothing there"
    if not equal(found, value):
        raise Violation(
            f"{pointer or 'the body'} of the answer is wrong",
            expected=json.dumps(value),
            actual=f"{found if found == 'nothing there' else json.dumps(found)} in {reply.summary()}",
            observation=reply,
        )


def _is_mentioned(reply: Reply, pointer: str, text: str) -> None:
    try:
        found = at(reply.body, pointer)
    except Dangling:
        found = None
    if not isinstance(found, str) or text not in found:
        raise Violation(
            f"{pointer} of the answer doesn't mention {text}",
            expected=f"text with {text} in it",
            actual=reply.summary(),
            observation=reply,
        )


def _nothing_at(reply: Reply, pointer: str) -> None:
    try:
        found = at(reply.body, pointer)
    except Dangling:
        return
    raise Violation(
        f"{pointer} of the answer shouldn't be there",
        expected="nothing there",
        actual=json.dumps(found),
        observation=reply,
    )


def _is_in_header(reply: Reply, name: str, text: str) -> None:
    found = reply.headers.get(name.lower())
    if not isinstance(found, str) or text.lower() not in found.lower():
        raise Violation(
            f"the header {name} of the answer isn't there, or says something else",
            expected=f"{name} with {text} in it",
            actual=f"{name}: {found}" if found is not None else reply.summary(),
            observation=reply,
        )


def _failed(reply: Reply, errors: Mapping[str, str]) -> None:
    found = reply.errors()
    if not equal(found, dict(errors)):
        raise Violation(
            "other regions failed, or with other errors",
            expected=dict(errors) or "no region failed",
            actual=found or f"no region failed: {reply.summary()}",
            observation=reply,
        )


def _was_seen(expect: Expectation, reply: Reply, aws: Stage, mark: int) -> None:
    def wrong(what: str, expected: str, actual: str) -> Violation:
        return Violation(what, expected=expected, actual=actual, observation=reply)

    for region, span in expect.requests.items():
        sent = aws.requests(region, since=mark)
        if not span.holds(len(sent)):
            said = "; ".join(f"{seen.method} {seen.path}" for seen in sent)
            what = f"{region} got more or fewer requests"
            raise wrong(what, f"{span} to {region}", f"{len(sent)}: {said}" if said else "0")
    for region in expect.given_up:
        if aws.requests(region, since=mark) and aws.region(region).sent_whole:
            raise wrong(f"what {region} sent was read to its end", "an answer that is given up", "all of it read")
    calls = len(aws.descriptions(mark))
    if expect.discoveries is not None and not expect.discoveries.holds(calls):
        raise wrong("CloudFormation got more or fewer calls", f"{expect.discoveries}", f"{calls}")
    if expect.accepted:
        refused = [seen for seen in aws.requests(since=mark) if seen.status is not None]
        if refused:
            said = "; ".join(f"{seen.region}: {seen.status} {seen.detail}" for seen in refused)
            raise wrong("a region turned a request away", "every request signed and valid", said)
    for seen in sorted(aws.requests(since=mark), key=lambda seen: seen.region or ""):
        for what, expected, actual in _otherwise(expect.asked, seen):
            raise wrong(
                "a region was asked for something else", f"{what} {expected}", f"{seen.region}: {what} {actual}"
            )


def _otherwise(asked: Asked, seen: Seen) -> Iterator[tuple[str, str, str]]:
    """What a request has otherwise: where, what it should be, and what it is."""
    found = {(name, value) for name, value in parameters_of(seen) if name in asked.query}
    wanted = {(name, value) for name, value in asked.query.items() if value is not None}
    if found != wanted:
        said = urlencode(sorted(wanted), quote_via=quote)
        yield "query", said or f"without {', '.join(asked.query)}", seen.query or "none"
    for body in asked.json:
        if not equal(body_of(seen), body):
            yield "body", json.dumps(body), seen.body.decode(errors="replace") or "none"
