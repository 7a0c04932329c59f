"""Which answer of DescribeStacks vouches for a region's API (contract sections 2 and 5)."""

from __future__ import annotations

import pytest

pytest.importorskip("botocore", reason="needs gco-conformance[aggregator]")

from gco_reference.aggregator.cloudformation import NoBridgeError, endpoint_url

STACK = "gco-regional-api-eu-west-1"
URL = "https://abc123.execute-api.eu-west-1.amazonaws.com/prod"
NAMESPACE = ' xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"'


def output(key: str = "RegionalApiEndpoint", value: str = URL) -> str:
    return f"<member><OutputKey>{key}</OutputKey><OutputValue>{value}</OutputValue></member>"


def stack(name: str = STACK, status: str = "CREATE_COMPLETE", outputs: str = output()) -> str:
    return (
        f"<member><StackName>{name}</StackName><StackStatus>{status}</StackStatus>"
        f"<Outputs>{outputs}</Outputs></member>"
    )


def answer(stacks: str = stack(), more: str = "", namespace: str = NAMESPACE) -> bytes:
    return (
        f"<DescribeStacksResponse{namespace}><DescribeStacksResult><Stacks>{stacks}</Stacks>{more}"
        "</DescribeStacksResult></DescribeStacksResponse>"
    ).encode()


@pytest.mark.parametrize(
    "body",
    [
        answer(),
        answer(namespace=""),
        answer(more="<NextToken/>"),
        answer(stack(outputs=output("Other", "x") + output() + output("Other", "y"))),
        b'<?xml version="1.0" encoding="UTF-8"?>\n' + answer(),
    ],
)
def test_the_one_output_of_the_one_stack(body: bytes) -> None:
    assert endpoint_url(body, STACK) == URL


@pytest.mark.parametrize(
    "status",
    ["CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE", "UPDATE_FAILED"],
)
def test_a_stack_that_stands_is_a_bridge(status: str) -> None:
    assert endpoint_url(answer(stack(status=status)), STACK) == URL


@pytest.mark.parametrize(
    "status",
    [
        "CREATE_IN_PROGRESS",
        "CREATE_FAILED",
        "ROLLBACK_IN_PROGRESS",
        "ROLLBACK_COMPLETE",
        "ROLLBACK_FAILED",
        "DELETE_IN_PROGRESS",
        "DELETE_FAILED",
        "DELETE_COMPLETE",
        "REVIEW_IN_PROGRESS",
        "",
    ],
)
def test_a_stack_that_comes_or_goes_is_none(status: str) -> None:
    with pytest.raises(NoBridgeError, match=f"the stack is {status}"):
        endpoint_url(answer(stack(status=status)), STACK)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (answer(""), "0 stacks"),
        (answer(stack() * 2), "2 stacks"),
        (answer(stack("gco-regional-api-us-east-1")), "another stack"),
        (answer(more="<NextToken>more</NextToken>"), "one page of several"),
        (answer(stack(outputs="")), "0 outputs"),
        (answer(stack(outputs=output("regionalapiendpoint"))), "0 outputs"),
        (answer(stack(outputs=output() * 2)), "2 outputs"),
        (b"<ErrorResponse/>", "0 stacks"),
        (b'{"DescribeStacksResponse": {}}', "isn't XML"),
        (b"", "isn't XML"),
        (b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + answer(), "DTD"),
    ],
)
def test_any_other_answer_isnt_that_regions_stack(body: bytes, problem: str) -> None:
    with pytest.raises(NoBridgeError, match=problem):
        endpoint_url(body, STACK)


def test_an_answer_in_another_encoding_is_none() -> None:
    with pytest.raises(ValueError, match="codec can't decode"):
        endpoint_url(answer().decode().encode("utf-16"), STACK)
