"""The routed system: who answers is decided by the rules, signatures are asked for, and all of it is told."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from typing import Any

import pytest

from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.route import Route
from gco_conformance.gateway import routed
from gco_conformance.gateway.routed import Gateway, server_path
from gco_conformance.gateway.signing import TEST_KEY, Envelope
from gco_conformance.gateway.wsgi import application
from gco_conformance.http_messages import Reply, Request

ROUTES = [Route("/", "alpha", 80), Route("/jobs", "beta", 81), Route("/jobs/{id}/logs", "alpha", 82)]
SERVICES = {
    "alpha": service({"/health": {"get": operation("Health")}, "/jobs": {"get": operation("Never reached")}}),
    "beta": service({"/jobs/{id}": {"get": operation("A job"), "delete": operation("Away")}}),
}


def gateway(**configuration: Any) -> Gateway:
    return Gateway(build(ROUTES, SERVICES, {"unauthenticated_paths": ["/health", "/jobs/{id}"], **configuration}))


def told(reply: Reply) -> tuple[str | None, ...]:
    return tuple(reply.header(name) for name in (routed.SERVICE, routed.RULE, routed.PORT, routed.OPERATION))


@pytest.mark.parametrize(
    ("method", "target", "status", "expected"),
    [
        ("GET", "/health?x=1", 200, ("alpha", "/", "80", "GET /health")),
        ("GET", "/jobs/7", 200, ("beta", "/jobs", "81", "GET /jobs/{id}")),
        ("GET", "/j%6Fbs/7", 200, ("beta", "/jobs", "81", "GET /jobs/{id}")),
        ("PUT", "/jobs/7", 405, ("beta", "/jobs", "81", None)),
        ("GET", "/jobs", 403, ("beta", "/jobs", "81", None)),
        ("GET", "/nothing", 403, ("alpha", "/", "80", None)),
    ],
)
def test_an_answer_tells_who_gave_it(method: str, target: str, status: int, expected: tuple[str | None]) -> None:
    reply = gateway().answer(Request(method, target, ()))
    assert (reply.status, told(reply)) == (status, expected)
    assert reply.header(routed.NAMESPACE) == "shop"


def test_a_signed_request_for_nothing_is_the_receivers_404() -> None:
    found = gateway()
    reply = found.answer(found.envelope.signed(Request("GET", "/jobs", ())))
    assert (reply.status, told(reply)) == (404, ("beta", "/jobs", "81", None))


def test_where_no_rule_matches_the_gateway_answers() -> None:
    reply = Gateway(build(ROUTES[1:], SERVICES)).answer(Request("GET", "/health", ()))
    assert (reply.status, told(reply)) == (404, (None, None, None, None))


def test_the_gateway_is_where_the_configured_server_is() -> None:
    found = gateway(server={"url": "https://{host}/{stage}", "variables": {"stage": {"default": "prod"}}})
    assert found.answer(Request("GET", "/prod/health", ())).status == 200
    assert found.answer(Request("GET", "/health", ())).status == 404


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://{host}", ""),
        ("https://a.example/", ""),
        ("https://a.example:{port}/v1/", "/v1"),
        ("/v1", "/v1"),
        ("", ""),
        ("v1", ""),
    ],
)
def test_a_servers_path(url: str, path: str) -> None:
    assert server_path({"url": url}) == path


def test_only_the_test_key_signs() -> None:
    envelope = Envelope.of({})
    signed = envelope.signed(Request("POST", "/a?b=1", (("Content-Type", "text/plain"),), b"body"))
    assert envelope.refused(signed) == ""
    # The documented form, by hand: openssl dgst -sha256 -hmac gco-conformance-test-key
    assert TEST_KEY == b"gco-conformance-test-key"
    assert signed.header("x-gco-signature") == ("113645985535005670e257adbcfddfa622a57ce0da30b3a16b49bb5a06b252ac")
    for other in (
        replace(signed, body=b"other"),
        replace(signed, method="PUT"),
        replace(signed, target="/a?b=2"),
        replace(signed, headers=(*signed.headers[:-1], ("x-gco-signature", "0" * 64))),
        replace(signed, headers=tuple(entry for entry in signed.headers if entry[0] != "x-gco-nonce")),
        replace(
            signed,
            headers=tuple((k, "2" if k == "x-gco-timestamp" else v) for k, v in signed.headers),
        ),
    ):
        assert envelope.refused(other) != ""


def test_another_envelope_has_other_headers() -> None:
    found = gateway(security={"header": "X-Seal", "envelope": ["X-When", "X-Seal"]})
    signed = found.envelope.signed(Request("GET", "/jobs", ()))
    assert [name for name, _ in signed.headers] == ["x-when", "x-seal"]
    assert found.answer(signed).status == 404
    elsewhere = found.envelope.signed(Request("GET", "/jobs", ()), "x-gco-signature")
    assert found.answer(elsewhere).status == 403


def test_the_same_request_gets_the_same_answer_and_another_seed_another() -> None:
    content = {"application/json": {"schema": {"type": "integer"}}}
    get = operation("Count", responses={"200": {"description": "ok", "content": content}})
    checkout = build([Route("/", "alpha", 80)], {"alpha": service({"/count/{id}": {"get": get}})})
    first, second, other = Gateway(checkout, 1), Gateway(checkout, 1), Gateway(checkout, 2)
    requests = [first.envelope.signed(Request("GET", f"/count/{number}", ())) for number in range(5)]
    answers = [first.answer(request).body for request in requests]
    assert answers == [second.answer(request).body for request in reversed(requests)][::-1]
    assert answers != [other.answer(request).body for request in requests]
    assert len(set(answers)) > 1


@pytest.mark.parametrize("raw", [True, False])
def test_a_wsgi_server_can_serve_it(raw: bool) -> None:
    started: list[Any] = []

    def start(status: str, headers: Any, _: Any = None) -> Any:
        started.extend([status, headers])

    environment: dict[str, Any] = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/jobs/a b",
        "QUERY_STRING": "x=1",
        "wsgi.input": io.BytesIO(b""),
        "HTTP_X_TRACE": "1",
    }
    if raw:
        environment |= {"REQUEST_URI": "/jobs/a%2Fb?x=1", "PATH_INFO": "/jobs/a/b"}
    body = application(gateway())(environment, start)
    assert started[0] == "200 OK"
    assert (routed.OPERATION, "GET /jobs/{id}") in started[1]
    assert list(body) == [b""]


# Facts of Gateway API's conformance tests for HTTPRoute, those about path prefixes: rules in order, then who
# gets a request ("" for nobody, which is 404).
FACTS = {
    "HTTPRouteMatching": (["/ v1", "/v2 v2"], {"/": "v1", "/example": "v1", "/v2": "v2", "/v2/": "v2",
                          "/v2/example": "v2", "/v2example": "v1", "/foo/v2/example": "v1"}),
    "HTTPRoutePathMatchOrder": (["/match/prefix/one v2", "/match/prefix/ v1", "/match/ v3"],
                                {"/match/prefix/one/any": "v2", "/match/prefix/any": "v1", "/match/any": "v3"}),
    "HTTPRouteSimpleSameNamespace": (["/ v1"], {"/": "v1"}),
    "PathPrefix as the API describes it": (["/abc v1"], {"/abc": "v1", "/abc/": "v1", "/abc/def": "v1",
                                           "/abcd": "", "/ABC": "", "/": ""}),
    "of equal matches the first": (["/a v1", "/a/ v2"], {"/a": "v1", "/a/": "v1", "/a/b": "v1"}),
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_gateway_api(name: str) -> None:
    rules, expected = FACTS[name]
    routes = [Route(prefix, name, 80) for prefix, name in map(str.split, rules)]
    found = Gateway(build(routes, {route.service: service({}) for route in routes}))
    answers = {path: found.answer(Request("GET", path, ())) for path in expected}
    assert {path: reply.header(routed.SERVICE) or "" for path, reply in answers.items()} == expected


def by_the_text_of_gateway_api(routes: list[Route], path: str) -> Route | None:
    """The text, word for word: every match is tried, "element by element", and "the longest" one taken."""
    best: Route | None = None
    for route in routes:
        # "A trailing slash in the path is ignored": of the prefix, and so of the path that equals it.
        prefix = route.prefix.rstrip("/")
        matches = path.rstrip("/") == prefix or path[: len(prefix) + 1] == prefix + "/"
        # "Precedence must be given to the match having the largest number of characters in a matching path";
        # "if ties still exist ... the FIRST matching rule (in list order)".
        if matches and (best is None or len(prefix) > len(best.prefix.rstrip("/"))):
            best = route
    return best


def test_ten_thousand_requests_get_where_the_text_of_gateway_api_sends_them() -> None:
    chance = random.Random(20260101)
    words = ["a", "b", "ab", "a-b", "A", "v1", "v10", "%41", "a%2Fb"]

    def path(most: int) -> str:
        text = "".join("/" + chance.choice(words) for _ in range(chance.randint(0, most)))
        return (text or "/") + ("/" if text and chance.random() < 0.3 else "")

    for _ in range(100):
        prefixes = [path(3) for _ in range(chance.randint(1, 8))]
        routes = [Route(prefix.replace("%41", "c"), chance.choice("xyz"), n) for n, prefix in enumerate(prefixes)]
        found = Gateway(build(routes, {name: service({}) for name in "xyz"}))
        for _ in range(100):
            asked = (chance.choice(prefixes) if chance.random() < 0.5 else "") + path(3)
            asked = asked.replace("//", "/")
            expected = by_the_text_of_gateway_api(routes, asked.replace("%41", "A"))
            reply = found.answer(Request("GET", asked, ()))
            actual = (reply.header(routed.SERVICE), reply.header(routed.PORT))
            assert actual == ((expected.service, str(expected.port)) if expected else (None, None)), (
                routes,
                asked,
            )
