"""What must hold of each operation when a composed document is used. Each raises `Violation` when it doesn't."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.gateway import routed
from gco_conformance.gateway.answers import valid
from gco_conformance.gateway.description import Operation
from gco_conformance.gateway.service import UNUSABLE, Service, error_line, is_json
from gco_conformance.http_messages import Reply, Request
from gco_conformance.importing import ALONE
from gco_conformance.model.routing import segments
from gco_conformance.suite.property import for_each
from gco_conformance.suite.routed.exercise import Exercise
from gco_conformance.suite.routed.requests import Asked
from gco_conformance.suite.routed.variations import of_value

if TYPE_CHECKING:
    from gco_conformance.suite.routed.exercise import Made

OF_AN_ANSWER = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
VALUES = 2
"""How many data of each schema are compared, with all their variations."""


def reaches_its_service(exercise: Exercise, label: str) -> None:
    """A right request gets to the service that `x-gco-route` names, through the rule that it names."""
    said = exercise.described(label).get("x-gco-route")
    if not isinstance(said, dict):
        raise exercise.violation(f"{label} has no x-gco-route", expected="an object", actual=said)

    def judge(_: Asked, request: Request) -> None:
        reply = exercise.verdict(request)
        expected = {name: said.get(name) for name in ("rule", "service", "namespace", "port")}
        actual = {
            "rule": reply.header(routed.RULE),
            "service": reply.header(routed.SERVICE),
            "namespace": reply.header(routed.NAMESPACE),
            "port": int(reply.header(routed.PORT) or 0),
        }
        if _comparable(expected) != _comparable(actual):
            raise exercise.violation(
                f"x-gco-route of {label} isn't where its requests go",
                expected=expected,
                actual=actual,
                request=request,
            )

    _each(exercise, label, judge)


def accepts_what_is_documented(exercise: Exercise, label: str) -> None:
    """The service accepts a request exactly when the composed document allows it.

    Requests are made of both documents, right ones and wrong ones. Whether the composed document allows one is
    found as the service finds out by its own document, so that they can differ only in what they say.
    """
    exercise.described(label)
    judged = 0

    def judge(request: Request) -> None:
        nonlocal judged
        signed = exercise.signed(request)
        if exercise.goes_where_its_template_goes(signed, label):
            judged += _accepts_as_documented(exercise, label, signed)

    for made in exercise.every(label):
        _judge_all(exercise, made, lambda asked: judge(asked.request))
    for request in exercise.varied(label):
        judge(request)
    if not judged:
        raise NotTested(f"no request for {label} could be made that its own rule takes")


def _accepts_as_documented(exercise: Exercise, label: str, request: Request) -> bool:
    """Raises `Violation` when the service and the composed document differ; tells whether that could be seen."""
    reply = exercise.verdict(request)
    if reply.status == 500:
        return False  # by the service's own document it can't be judged
    wrong = _errors(exercise, label, request)
    accepted = reply.status != 422
    if accepted != (not wrong):
        service = exercise.kept(label).service
        raise exercise.violation(
            f"{label}: the composed document {'forbids' if wrong else 'allows'} a request that {service} "
            f"{'accepts' if accepted else 'refuses'}",
            expected=wrong or "the request accepted, since the composed document has nothing against it",
            actual=f"{reply.status} {_shown(reply)}",
            request=request,
        )
    return True


def _judge_all(exercise: Exercise, made: Made, judge: Callable[[Asked], None]) -> None:
    """Judge all requests, the small ones first."""
    limits, strategy = made
    for asked in sorted(limits, key=lambda asked: len(repr(asked))):
        judge(asked)
    if strategy is not None:
        for_each(exercise.seed, strategy, judge, examples=exercise.examples)


def answers_as_documented(exercise: Exercise, label: str) -> None:
    """Answers conform to the composed document, and it documents no others than the service's own."""
    exercise.described(label)
    for own, composed, place in _same_answers(exercise, label):
        _compare(exercise, label, own, composed, f"{place} can be what the composed document doesn't allow")
        _compare(exercise, label, composed, own, f"{place} is never what the composed document allows")

    def judge(asked: Asked, request: Request) -> None:
        reply = exercise.reply(request)
        if reply.status < 400:
            _conforms(exercise, label, asked, reply)

    _each(exercise, label, judge)


def asks_for_signatures_as_documented(exercise: Exercise, label: str) -> None:
    """Without a signature 403 where `security` says that one is needed, and no 403 with one, or where not."""
    security = exercise.described(label).get("security", exercise.document.get("security", []))
    if not isinstance(security, list) or not all(isinstance(one, dict) for one in security):
        raise exercise.violation(f"security of {label} is no list of objects", expected="a list", actual=security)
    needed = bool(security) and all(security)
    carrier = _carrier(exercise.document, security) if needed else ""

    def judge(asked: Asked, signed: Request) -> None:
        request = asked.request
        reply = exercise.verdict(request)
        if needed != (reply.status == 403):
            raise exercise.violation(
                f"{label}: {'signed' if needed else 'open'} in the composed document, and not through the gateway",
                expected="403 without a signature" if needed else "no 403 without a signature",
                actual=f"{reply.status} {_shown(reply)}; security is {json.dumps(security)}",
                request=request,
            )
        if needed and exercise.verdict(exercise.gateway.envelope.signed(request, carrier)).status == 403:
            raise exercise.violation(
                f"{label}: signed as the composed document says, a request isn't taken for a signed one",
                expected=f"the signature in the header {exercise.gateway.envelope.header}",
                actual=f"the security scheme has it in {carrier or 'no header'}",
                request=signed,
            )

    _each(exercise, label, judge)


def _each(exercise: Exercise, label: str, judge: Callable[[Asked, Request], None]) -> None:
    """Judge right requests, with and without a signature, but for those that are other operations' after all."""
    judged = 0

    def judge_own(asked: Asked) -> None:
        nonlocal judged
        signed = exercise.signed(asked.request)
        if exercise.goes_where_its_template_goes(signed, label):
            judged += 1
            judge(asked, signed)

    _judge_all(exercise, exercise.right(label), judge_own)
    if not judged:
        raise NotTested(f"no request for {label} could be made that its own rule takes")


def _errors(exercise: Exercise, label: str, request: Request) -> list[dict[str, Any]]:
    """What is wrong with a request by the composed document."""
    method, path = label.split(" ", 1)
    try:
        service = exercise.composed_service(path)
        found = service.find(exercise.below(request))
        if found is None or method not in found.methods:
            raise exercise.violation(f"the composed document lacks {label}", expected=label, actual="nothing")
        return service.errors(found.methods[method], request, found.texts)
    except UNUSABLE as error:
        raise _unusable(exercise, label, error, request) from None


def _unusable(exercise: Exercise, label: str, error: Exception, request: Request | None = None) -> Violation:
    return exercise.violation(
        f"what the composed document says about {label} can't be used",
        expected="valid OpenAPI in which every reference resolves",
        actual=error_line(error),
        request=request,
    )


Place = tuple[Service, str]


def _same_answers(exercise: Exercise, label: str) -> Iterator[tuple[Place, Place, str]]:
    """Schemas of the same data of the same answers: the service's own, the composed document's, and whose."""
    method, path = label.split(" ", 1)
    service = exercise.gateway.services[exercise.kept(label).service]
    composed = exercise.composed_service(path)
    try:
        theirs = {answer.status: answer for answer in _operation(exercise, composed, label).answers}
    except UNUSABLE as error:
        raise _unusable(exercise, label, error) from None
    for own in service.by_path[path][method].answers:
        other = theirs.get(own.status)
        if other is None:
            message = f"{label}: the composed document lacks the answer {own.status}"
            raise exercise.violation(message, expected=own.status, actual=list(theirs))
        media = {content.media_type: content.schema for content in other.contents}
        for content in own.contents:
            if content.media_type not in media or bool(content.schema) != bool(media[content.media_type]):
                raise exercise.violation(
                    f"{label}: the composed document has another content of the answer {own.status}",
                    expected=content.media_type,
                    actual=list(media),
                )
            if content.schema and is_json(content.media_type):
                place = f"the answer {own.status}"
                yield (service, content.schema), (composed, media[content.media_type]), place
        for name, schema in own.headers.items():
            if schema and other.headers.get(name):
                yield (service, schema), (composed, other.headers[name]), f"the header {name} of {own.status}"


def _operation(exercise: Exercise, composed: Service, label: str) -> Operation:
    method, path = label.split(" ", 1)
    found = composed.by_path.get(path, {}).get(method)
    if found is None:
        raise exercise.violation(f"the composed document lacks {label}", expected=label, actual="nothing")
    return found


def _compare(exercise: Exercise, label: str, of: Place, by: Place, message: str) -> None:
    """Data of one schema must fit another."""
    service, schema = of
    judge, other = by
    try:
        allows, judges = service.validators.at(schema, "answer"), judge.validators.at(other, "answer")
        for drawn in valid(service, schema, f"{exercise.seed} {label} {message}", VALUES):
            for value in of_value(drawn):
                misfit = next(judges.iter_errors(value), None)
                if misfit is not None and allows.is_valid(value):
                    raise exercise.violation(
                        f"{label}: {message}", expected=misfit.message, actual=json.dumps(value)
                    )
    except UNUSABLE as error:
        if judge is not exercise.gateway.services.get(exercise.kept(label).service):
            raise _unusable(exercise, label, error) from None


def _conforms(exercise: Exercise, label: str, asked: Asked, reply: Reply) -> None:
    """The answer passes Schemathesis' checks by the composed document, unless it doesn't by the service's own."""
    found = _failures(asked.case, asked, reply)
    if not found:
        return
    own = exercise.own.requests(exercise.kept(label).service).operation(exercise.own_label(label))
    if not _failures(own.Case(), asked, reply):
        raise exercise.violation(
            f"{label}: the answer isn't what the composed document says",
            expected="\n".join(found),
            actual=f"{reply.status} {_shown(reply)}",
            request=exercise.signed(asked.request),
        )


def _failures(case: Any, asked: Asked, reply: Reply) -> list[str]:
    with ALONE:
        import requests
        from schemathesis import Response
        from schemathesis.core.failures import FailureGroup
        from schemathesis.specs.openapi import checks

    headers: dict[str, list[str]] = {}
    for name, value in reply.headers:
        headers.setdefault(name.lower(), []).append(value)
    sent = requests.Request(asked.request.method, f"http://gateway.example{asked.request.target}").prepare()
    response = Response(reply.status, headers, reply.body, sent, 0.0, verify=True)
    try:
        case.validate_response(response, checks=[getattr(checks, name) for name in OF_AN_ANSWER])
    except FailureGroup as group:
        return sorted(f"{failure.title}: {failure.message}" for failure in group.exceptions)
    except Exception as error:
        # What Schemathesis can't read it can't judge, in the service's own document either.
        return [error_line(error)]
    return []


def _carrier(document: Mapping[str, Any], security: Any) -> str:
    """The header in which the document has the signature, "" where it names none."""
    try:
        scheme = document["components"]["securitySchemes"][next(iter(security[0]))]
        return str(scheme["name"]) if scheme["in"] == "header" else ""
    except (KeyError, TypeError):
        return ""


def _comparable(route: Mapping[str, Any]) -> Any:
    rule = route["rule"]
    return {**route, "rule": segments(rule) if isinstance(rule, str) else rule}


def _shown(reply: Reply) -> str:
    return reply.body.decode("utf-8", "replace")[:300]


JUDGES: Final = (
    reaches_its_service,
    accepts_what_is_documented,
    answers_as_documented,
    asks_for_signatures_as_documented,
)
"""All that a composed document is judged by, for each of its operations."""
