"""A reply that isn't what it should be tells what it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.function import Invocation
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.violation import Violation

Judge = Callable[[Reply], None]


def reply_of(status: int, body: Any) -> Reply:
    payload = {"statusCode": status, "body": json.dumps(body)}
    return Reply({}, Invocation(Ending.EXITED, payload, "", 0.0), ())


def says(reply: Reply) -> None:
    reply.says(regions_queried=2, regions_successful=2)


def agrees(reply: Reply) -> None:
    reply.agrees(
        {"regions_queried": 2, "errors": [{"region": "a", "error": "x"}]}, "regions_queried", "errors.error"
    )


def actual(judge: Judge, status: int, body: Any) -> Any:
    with pytest.raises(Violation) as violation:
        judge(reply_of(status, body))
    return json.loads(violation.value.actual or "")


@pytest.mark.parametrize("judge", [says, agrees])
def test_an_error_is_told_instead_of_what_it_lacks(judge: Judge) -> None:
    body = {"error": "no region is configured"}
    assert actual(judge, 503, body) == {"statusCode": 503, "body": body}


@pytest.mark.parametrize("judge", [says, agrees])
def test_a_long_answer_with_an_error_is_told_in_short(judge: Judge) -> None:
    body = {"error": "Internal", "regions_queried": 2, "jobs": ["x" * 2000]}
    found = actual(judge, 500, body)
    assert found == {"statusCode": 500, "body": {"error": "Internal", "regions_queried": 2, "...": "..."}}


def test_a_member_that_is_not_there_is_not_told_as_null() -> None:
    assert actual(says, 200, {"regions_queried": 2}) == {"statusCode": 200, "body": {"regions_queried": 2}}
    found = actual(says, 200, {"regions_queried": 2, "regions_successful": None})
    assert found["body"] == {"regions_queried": 2, "regions_successful": None, "...": "..."}


def test_what_differs_in_a_good_answer_is_told_with_its_status() -> None:
    body = {"regions_queried": 2, "regions_successful": 1, "jobs": []}
    told = {"regions_queried": 2, "regions_successful": 1, "...": "..."}
    assert actual(says, 200, body) == {"statusCode": 200, "body": told}
    assert actual(says, 202, body) == {"statusCode": 202, "body": body}


def test_an_answer_without_an_object_is_told_as_it_is() -> None:
    assert actual(says, 502, "bad gateway") == {"statusCode": 502, "body": '"bad gateway"'}


def test_what_is_left_out_is_marked_so_that_it_can_be_read() -> None:
    for judge in (says, agrees, lambda reply: reply.refuses("limit")):
        with pytest.raises(Violation) as violation:
            judge(reply_of(200, {}))
        assert "..." in (violation.value.expected or "")
        assert "u2026" not in (violation.value.expected or "")
