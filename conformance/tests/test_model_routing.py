"""The kit's routing model against facts: Gateway API's conformance expectations, the contract's examples."""

from __future__ import annotations

import pytest

from gco_conformance.checkouts.route import Route
from gco_conformance.model.routing import shadows, winner


def routes(**services: str) -> list[Route]:
    """Routes in order, a service for each prefix."""
    return [Route(prefix, service, 80) for service, prefix in services.items()]


@pytest.mark.parametrize(
    ("path", "service"),
    [("/match/prefix/one/any", "v2"), ("/match/prefix/any", "v1"), ("/match/any", "v3")],
)
def test_order_of_prefix_matches_as_in_gateway_api(path: str, service: str) -> None:
    taken = winner(routes(v2="/match/prefix/one", v1="/match/prefix/", v3="/match/"), path)
    assert taken is not None
    assert taken.service == service


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/", "v1"),
        ("/example", "v1"),
        ("/v2", "v2"),
        ("/v2/", "v2"),
        ("/v2/example", "v2"),
        ("/v2example", "v1"),
        ("/foo/v2/example", "v1"),
    ],
)
def test_prefix_beside_a_catch_all_as_in_gateway_api(path: str, service: str) -> None:
    taken = winner(routes(v1="/", v2="/v2"), path)
    assert taken is not None
    assert taken.service == service


@pytest.mark.parametrize("path", ["/api/v1/healthz", "/api/v1", "/health", "/API/v1/health"])
def test_a_path_that_no_prefix_leads_is_delivered_to_nobody(path: str) -> None:
    assert winner(routes(a="/api/v1/health"), path) is None


def test_the_first_of_equals_wins_whatever_their_slashes() -> None:
    taken = winner(routes(first="/jobs/", second="/jobs"), "/jobs/1")
    assert taken is not None
    assert taken.service == "first"


def test_a_template_is_shadowed_by_a_rule_for_one_of_its_instances() -> None:
    found = shadows(routes(a="/", b="/jobs/archive"), "/jobs/{name}")
    assert [(route.prefix, route.service) for route in found] == [("/jobs/archive", "b")]


@pytest.mark.parametrize(
    ("prefix", "template"),
    [
        ("/jobs/archive/old", "/jobs/{name}"),
        ("/jobs/archive", "/jobs/current"),
        ("/queues/archive", "/jobs/{name}"),
    ],
)
def test_no_shadow_where_no_instance_is_led(prefix: str, template: str) -> None:
    assert shadows(routes(a="/", b=prefix), template) == []


def test_no_shadow_by_a_rule_that_never_wins() -> None:
    never = [Route("/", "a", 80), Route("/jobs/archive", "b", 80), Route("/jobs/archive", "c", 80)]
    assert [route.service for route in shadows(never, "/jobs/{name}")] == ["b"]


def test_no_shadow_by_the_winning_service_itself() -> None:
    own = [Route("/", "a", 80), Route("/jobs/archive", "a", 8080)]
    assert shadows(own, "/jobs/{name}") == []
