"""Answers of CloudFormation in the XML of its Query protocol."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gco_conformance.http_messages import Reply

NAMESPACE = "http://cloudformation.amazonaws.com/doc/2010-05-15/"


@dataclass(frozen=True)
class Described:
    """A stack, as DescribeStacks tells of it. `created` is in seconds since the epoch."""

    name: str
    arn: str
    status: str
    outputs: tuple[tuple[str, str], ...]
    created: float


def stacks(described: Sequence[Described], next_token: str = "") -> Reply:
    """The answer to DescribeStacks."""
    token = f"<NextToken>{escape(next_token)}</NextToken>" if next_token else ""
    members = "".join(_member(each) for each in described)
    return _reply(
        200,
        f'<DescribeStacksResponse xmlns="{NAMESPACE}"><DescribeStacksResult><Stacks>{members}</Stacks>{token}'
        f"</DescribeStacksResult><ResponseMetadata><RequestId>{uuid.uuid4()}</RequestId></ResponseMetadata>"
        "</DescribeStacksResponse>",
    )


def error(code: str, message: str, status: int) -> Reply:
    """An error: the client's from 400 on, the service's from 500 on."""
    side = "Receiver" if status >= 500 else "Sender"
    return _reply(
        status,
        f'<ErrorResponse xmlns="{NAMESPACE}"><Error><Type>{side}</Type><Code>{escape(code)}</Code>'
        f"<Message>{escape(message)}</Message></Error><RequestId>{uuid.uuid4()}</RequestId></ErrorResponse>",
    )


def does_not_exist(name: str) -> Reply:
    return error("ValidationError", f"Stack with id {name} does not exist", 400)


def _member(stack: Described) -> str:
    created = datetime.datetime.fromtimestamp(stack.created, datetime.UTC)
    outputs = "".join(
        f"<member><OutputKey>{escape(key)}</OutputKey><OutputValue>{escape(value)}</OutputValue></member>"
        for key, value in stack.outputs
    )
    return (
        f"<member><StackId>{escape(stack.arn)}</StackId><StackName>{escape(stack.name)}</StackName><Parameters/>"
        f"<CreationTime>{created:%Y-%m-%dT%H:%M:%S.%f}Z</CreationTime><StackStatus>{stack.status}</StackStatus>"
        f"<DisableRollback>false</DisableRollback><NotificationARNs/><Outputs>{outputs}</Outputs><Tags/>"
        "<EnableTerminationProtection>false</EnableTerminationProtection></member>"
    )


def _reply(status: int, body: str) -> Reply:
    return Reply(status, body.encode("utf-8", "surrogatepass"), (("Content-Type", "text/xml"),))
