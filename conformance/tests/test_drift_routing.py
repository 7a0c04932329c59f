"""The gate's router, fast among many rules, agrees with the kit's model, which is short and slow."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.checkouts.route import Route
from gco_conformance.drift.gateway_api import Match
from gco_conformance.drift.place import Place
from gco_conformance.drift.router import Router
from gco_conformance.drift.service import Documented
from gco_conformance.drift.templates import Parameters, PathFinder
from gco_conformance.model.routing import segments, shadows, winner

from .drift_checkout import checkout, gated, rules, searched, service

NOWHERE = Place("gateway.yaml", 1, 1)
words = st.sampled_from(["a", "b", "ab", "c"])
prefixes = st.lists(words, max_size=3).map(lambda parts: "/" + "/".join(parts))
templates = st.lists(words | st.sampled_from(["{x}", "{y}"]), max_size=4).map(lambda parts: "/" + "/".join(parts))
routes = st.lists(st.builds(Route, prefixes, st.sampled_from(["alpha", "beta", "gamma"]), st.just(80)), max_size=8)


def match(path: str, service: str, *, exact: bool = False) -> Match:
    return Match(path, segments(path), exact, service, 80, "shop/routes", NOWHERE, NOWHERE, NOWHERE, 0)


def router(routes: list[Route]) -> Router:
    return Router([match(route.prefix, route.service) for route in routes])


@searched
@given(routes, templates)
def test_the_winner_is_the_models(routes: list[Route], path: str) -> None:
    expected = winner(routes, path)
    found = router(routes).winner(segments(path))
    assert (found and (found.path, found.service)) == (expected and (expected.prefix, expected.service))


@searched
@given(routes, templates)
def test_the_takers_of_a_template_are_the_models(routes: list[Route], path: str) -> None:
    own = winner(routes, path)
    taken = router(routes).taken(segments(path), lambda _segment, _text: True)
    found = {
        (one.match.path, one.match.service)
        for one in taken
        if one.match is not None and (own is None or one.match.service != own.service)
    }
    assert found == {(route.prefix, route.service) for route in shadows(routes, path)}


def test_an_exact_path_beats_a_prefix_and_covers_nothing_below() -> None:
    found = Router([match("/a", "prefix"), match("/a", "exact", exact=True)])
    assert found.beaten == {}
    for path, expected in (("/a", "exact"), ("/a/b", "prefix")):
        receiver = found.winner(segments(path))
        assert receiver is not None
        assert receiver.service == expected


def test_of_equal_paths_the_first_wins_and_the_other_is_known_as_beaten() -> None:
    first, second = match("/a", "alpha"), match("/a/", "beta")
    found = Router([first, second])
    assert found.winner(("a",)) is first
    assert found.beaten == {id(second): first}


def documented(schema: object) -> tuple[Documented, dict[str, object]]:
    operation = {"parameters": [{"name": "id", "in": "path", "schema": schema}]}
    document: dict[str, object] = {"components": {"schemas": {"Id": {"type": "integer"}}}}
    return Documented("/jobs/{id}", "/paths/~1jobs~1{id}", ("get",), {"get": operation}), document


@pytest.mark.parametrize(
    ("schema", "text", "allowed"),
    [
        ({}, "archive", True),
        ({"type": "string"}, "archive", True),
        ({"type": "integer"}, "archive", False),
        ({"type": "integer"}, "7", True),
        ({"type": "number"}, "7.5", True),
        ({"$ref": "#/components/schemas/Id"}, "archive", False),
        ({"type": "boolean"}, "archive", False),
        ({"enum": ["a", "b"]}, "archive", False),
        ({"enum": ["a", "archive"]}, "archive", True),
        ({"const": "x"}, "archive", False),
        ({"format": "uuid"}, "archive", False),
        ({"pattern": "^[0-9]+$"}, "archive", False),
        ({"pattern": "^arch"}, "archive", True),
        ({"pattern": "(?<bad"}, "archive", True),
        ({"maxLength": 3}, "archive", False),
        ({"minLength": 30}, "archive", False),
    ],
)
def test_a_schema_that_excludes_a_text_excludes_the_request(schema: object, text: str, allowed: bool) -> None:
    path, document = documented(schema)
    assert Parameters(document, path).allows("{id}", text) is allowed


def test_a_segment_that_is_partly_a_parameter_stands_for_texts_of_its_form() -> None:
    path, document = documented({})
    assert Parameters(document, path).allows("{id}.json", "a.json")
    assert not Parameters(document, path).allows("{id}.json", "a.xml")


def test_a_service_answers_concrete_paths_before_templates() -> None:
    paths = [Documented(text, text, ("get",), {}) for text in ("/{a}/b", "/x/{b}", "/x/y", "/{a}.json")]
    finder = PathFinder(paths)
    for request, expected in (("/x/y", "/x/y"), ("/x/z", "/x/{b}"), ("/z/b", "/{a}/b"), ("/q.json", "/{a}.json")):
        found = finder.find(segments(request))
        assert found is not None
        assert found.path == expected
    assert finder.find(("x",)) is None


@pytest.mark.parametrize(
    ("answering", "said"),
    [
        (service("/web"), "404 from web, which has no such path"),
        (service("/{page}"), "the answer of web's own /{page}"),
        (service("/{page}", method="post"), "405 from web, whose /{page} has no GET"),
    ],
)
def test_a_finding_says_what_the_wrong_service_answers(answering: object, said: str, tmp_path: Path) -> None:
    files = checkout(["/orders orders", "/ web"], {"orders": service("/orders", "/lost"), "web": answering})
    report = gated(files, tmp_path)
    assert [found.client for found in report.findings if found.rule.id == "route.not-delivered"] == [said]


def test_a_rule_without_a_backend_answers_500(tmp_path: Path) -> None:
    files = checkout(["/jobs jobs", "{matches: [{path: {value: /}}]}"], {"jobs": service("/jobs", "/lost")})
    report = gated(files, tmp_path)
    assert rules(report.findings) == ["rule.no-backend", "route.not-delivered"]
    assert report.findings[1].client == "500 from the gateway: the rule that takes it leads nowhere"


def test_routes_of_different_hosts_dont_compete(tmp_path: Path) -> None:
    second = (
        "---\nkind: HTTPRoute\nmetadata: {name: more, namespace: shop}\nspec:\n  hostnames: [b.example]\n"
        "  rules: [{backendRefs: [{name: beta, port: 80}]}]\n"
    )
    files = checkout(["/ alpha"], {"alpha": service("/a"), "beta": service("/b")})
    both = {name: text + (second.encode() if name == "gateway.yaml" else b"") for name, text in files.files}
    assert rules(gated(type(files).of(both), tmp_path).findings) == []
    same_host = {name: text.replace(b"  hostnames: [b.example]\n", b"") for name, text in both.items()}
    found = rules(gated(type(files).of(same_host), tmp_path).findings)
    assert "catch-all.not-unique" in found
    assert "route.not-delivered" in found


def test_templates_that_differ_in_names_only_are_one_path(tmp_path: Path) -> None:
    services = {"alpha": service("/x/{id}"), "beta": service("/x/{name}", "/b")}
    report = gated(checkout(["/b beta", "/ alpha"], services), tmp_path)
    assert rules(report.findings) == ["route.contested"]
    decided = checkout(["/b beta", "/ alpha"], services, "expected_winners: {'/x/{other}': {service: alpha}}\n")
    assert rules(gated(decided, tmp_path).findings) == []


def test_what_depends_on_more_than_the_path_is_not_judged(tmp_path: Path) -> None:
    rewriting = (
        "{matches: [{path: {value: /beta}}], filters: [{type: URLRewrite}], backendRefs: [{name: beta, port: 80}]}"
    )
    files = checkout([rewriting, "/ alpha"], {"alpha": service("/a"), "beta": service("/b", "/c")})
    assert rules(gated(files, tmp_path).findings) == ["rule.not-modelled"]


def test_header_modifiers_change_nothing(tmp_path: Path) -> None:
    modifying = (
        "{matches: [{path: {value: /b}}], filters: [{type: RequestHeaderModifier}], "
        "backendRefs: [{name: beta, port: 80}]}"
    )
    files = checkout([modifying, "/ alpha"], {"alpha": service("/a"), "beta": service("/b")})
    assert gated(files, tmp_path).findings == ()
