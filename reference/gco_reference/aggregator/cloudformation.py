"""Asking CloudFormation for a region's stack (contract sections 2 and 5).

One signed DescribeStacks by hand instead of boto3's client: it takes the deadline and the trust of all other
requests, works in every partition, and 34 clients cost more CPU than 34 requests. No DTD is ever parsed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode
from xml.etree import ElementTree

from gco_reference.aggregator.budget import Deadline
from gco_reference.aggregator.configuration import Configuration
from gco_reference.aggregator.connections import Connections
from gco_reference.aggregator.endpoints import regional_host
from gco_reference.aggregator.exchange import Answer, ExchangeError, Limits, Request, exchange
from gco_reference.aggregator.signing import Credentials, sign

_OUTPUT = "RegionalApiEndpoint"
PAUSE = (0.2, 0.6)  # seconds before the second attempt, so that regions don't come back in step


class NoBridgeError(Exception):
    """CloudFormation doesn't vouch for an API of the region; the text is for the log."""


def find_host(
    region: str,
    *,
    configuration: Configuration,
    credentials: Credentials | None,
    connections: Connections,
    deadline: Deadline,
) -> str:
    """The host of the region's API. Raises `NoBridgeError`, `ExchangeError`, `OSError` or `ValueError`."""
    stack = configuration.stack(region)
    request = Request(
        method="POST",
        host=f"cloudformation.{region}.{configuration.suffix}",
        target="/",
        body=urlencode({"Action": "DescribeStacks", "Version": "2010-05-15", "StackName": stack}).encode(),
        headers={"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"},
    )
    signed = partial(sign, credentials=credentials, service="cloudformation", region=region)

    def attempt() -> Answer:
        connection = connections.open(request.host, deadline)
        answer, reusable = exchange(connection, request, signed, Limits(deadline, deadline), lambda _: True)
        if reusable:
            connection.close()  # the next discovery is minutes away
        return answer

    answer = _twice_if_transient(attempt, deadline)
    if answer.status != 200:
        raise NoBridgeError(f"DescribeStacks: HTTP {answer.status}")
    return regional_host(endpoint_url(answer.body, stack), region, configuration.suffix)


def _twice_if_transient(attempt: Callable[[], Answer], deadline: Deadline) -> Answer:
    """A second attempt, signed anew, where the first was throttled, broke off or met a fault of the server."""
    try:
        answer = attempt()
        if answer.status < 500 and answer.status != 429 and b"<Code>Throttling" not in answer.body:
            return answer
    except (ExchangeError, OSError):
        if deadline.remaining() == 0.0:
            raise
    time.sleep(min(random.uniform(*PAUSE), deadline.remaining()))
    return attempt()


def endpoint_url(body: bytes, stack: str) -> str:
    """The output that is to be the region's URL, of exactly the stack that was asked for.

    Raises `NoBridgeError`, or `ValueError` where the answer isn't UTF-8.
    """
    text = body.decode("utf-8")
    if "<!DOCTYPE" in text:
        raise NoBridgeError("DescribeStacks: the answer has a DTD")
    try:
        result = ElementTree.fromstring(text).find("./{*}DescribeStacksResult")
    except ElementTree.ParseError as error:
        raise NoBridgeError(f"DescribeStacks: the answer isn't XML: {error}") from error
    stacks = [] if result is None else result.findall("./{*}Stacks/{*}member")
    if result is None or len(stacks) != 1:
        raise NoBridgeError(f"DescribeStacks: {len(stacks)} stacks")
    if result.findtext("./{*}NextToken"):
        raise NoBridgeError("DescribeStacks: the answer is one page of several")
    (found,) = stacks
    if found.findtext("./{*}StackName") != stack:
        raise NoBridgeError("DescribeStacks: another stack")
    status = found.findtext("./{*}StackStatus", "")
    if status != "CREATE_COMPLETE" and not status.startswith("UPDATE_"):
        raise NoBridgeError(f"the stack is {status}")
    values = [
        output.findtext("./{*}OutputValue", "")
        for output in found.findall("./{*}Outputs/{*}member")
        if output.findtext("./{*}OutputKey") == _OUTPUT
    ]
    if len(values) != 1:
        raise NoBridgeError(f"the stack has {len(values)} outputs {_OUTPUT}")
    return values[0]
