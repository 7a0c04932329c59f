"""Whether an answer is what the document says: the checks of Schemathesis, on what API Gateway would pass on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gco_conformance.adapters.answer import Ending
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage
from gco_conformance.evidence.violation import Violation
from gco_conformance.importing import ALONE
from gco_conformance.suite.described.document import SCHEMATHESIS, Described
from gco_conformance.suite.described.request import Request
from gco_conformance.suite.property import for_each

if TYPE_CHECKING:
    from schemathesis import CheckFunction, Response

PROXY_RESULT = "a proxy result: a statusCode that is a number, and a body that is text"

DOCUMENTED = ("not_a_server_error", "status_code_conformance", "response_schema_conformance")
"""A status that the document has, but for a 500, and a body as it says."""
ACCEPTED = (*DOCUMENTED, "positive_data_acceptance")
"""And the status is 200."""
HEADERS = ("response_headers_conformance",)
CONTENT_TYPE = ("content_type_conformance",)


def each(
    aws: Stage,
    document: Described,
    label: str,
    checks: tuple[str, ...],
    *,
    examples: int,
    wrong: bool = False,
    also: Callable[[Stage, Reply], None] | None = None,
) -> None:
    """Judge the answers to some requests for an operation; raises what was found for a small one."""
    judged: set[str] = set()

    def judge(request: Request) -> None:
        if repr(request) in judged:
            return
        reply = aws.event(request.event)
        if reply.invocation.error or reply.invocation.ending is not Ending.EXITED:
            aws.close()  # as Lambda does: the next event has a new process, and isn't blamed for this one
        conforms(request, reply, checks)
        if also is not None:
            also(aws, reply)
        judged.add(repr(request))

    for_each(aws.seed, document.requests(label, aws.seed, examples, wrong=wrong), judge, examples=examples)


def conforms(request: Request, reply: Reply, checks: tuple[str, ...]) -> None:
    """The answer to a request passes these checks of Schemathesis, which go by their names."""
    with ALONE:
        from schemathesis.core.failures import FailureGroup

    if not is_proxy_result(reply):
        reply.fails("there is no answer that API Gateway can pass on", PROXY_RESULT)
    response = response_of(request, reply, as_json=not set(CONTENT_TYPE) & set(checks))
    try:
        with SCHEMATHESIS:
            request.case.validate_response(response, checks=[_known(name) for name in checks])
    except FailureGroup as group:
        found = sorted((failure.title, failure.message) for failure in group.exceptions)
        titles = "; ".join(dict.fromkeys(title for title, _ in found))
        raise Violation(
            f"{request.case.operation.label}: the answer isn't what the document says: {titles}",
            expected="\n".join(message for _, message in found if message) or "what the document says",
            actual=reply.summary(),
            observation=reply,
        ) from None


def response_of(request: Request, reply: Reply, *, as_json: bool) -> Response:
    """What API Gateway makes of the result, which is a 502 where it can't be passed on.

    A header that is missing is a matter of its own, unlike what is said `as_json`.
    """
    with ALONE:
        from schemathesis import Response

    seconds = reply.invocation.seconds
    if not is_proxy_result(reply):
        return Response(502, {}, b"", request.sent, seconds, verify=True)
    headers: dict[str, Any] = {name: [str(value)] for name, value in reply.headers.items()}
    if as_json:
        headers["content-type"] = ["application/json"]
    return Response(
        reply.status, headers, reply.text.encode("utf-8", "surrogatepass"), request.sent, seconds, True
    )


def is_proxy_result(reply: Reply) -> bool:
    """Whether API Gateway can pass the answer on."""
    payload, status = reply.invocation.payload, reply.status
    is_status = type(status) is int and 100 <= status <= 599
    return is_status and isinstance(payload, dict) and isinstance(payload.get("body"), str)


def _known(name: str) -> CheckFunction:
    with ALONE:
        from schemathesis import checks
        from schemathesis.specs.openapi import checks as of_documents

    found: CheckFunction = getattr(of_documents, name, None) or getattr(checks, name)
    return found
