"""Who receives a path, and which rules take some of a template's instances (contract section 3)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gco_reference.composer.routes import Route
from gco_reference.composer.routing import Router

NAMES = ["a", "b", "c"]
SERVICES = ["one", "two"]
prefixes = st.lists(st.sampled_from(NAMES), max_size=3).map(lambda names: "/" + "/".join(names))
routers = st.lists(st.builds(Route, prefixes, st.sampled_from(SERVICES), st.just(80)), max_size=8)
templates = st.lists(st.sampled_from([*NAMES, "{x}", "{y}"]), max_size=4).map(lambda names: "/" + "/".join(names))


def split(path: str) -> list[str]:
    return [name for name in path.split("/") if name]


def winner_by_scanning(routes: list[Route], path: str) -> Route | None:
    """The rule with most segments, the first one among equals, found by looking at each."""
    wanted = split(path)
    matching = [route for route in routes if wanted[: len(split(route.prefix))] == split(route.prefix)]
    return max(matching, key=lambda route: len(split(route.prefix)), default=None)


@settings(derandomize=True, deadline=None)
@given(routers, st.lists(st.sampled_from([*NAMES, "aa"]), max_size=4))
def test_the_longest_prefix_wins_and_the_first_of_equals(routes: list[Route], names: list[str]) -> None:
    path = "/" + "/".join(names)
    assert Router(routes).winner(path) == winner_by_scanning(routes, path)


@settings(derandomize=True, deadline=None)
@given(routers, templates, st.sampled_from(SERVICES))
def test_shadows_are_the_rules_that_take_an_instance(routes: list[Route], template: str, service: str) -> None:
    choices = [[*NAMES, "other"] if part.startswith("{") else [part] for part in split(template)]
    instances = ["/" + "/".join(chosen) for chosen in itertools.product(*choices)]
    takers = [winner_by_scanning(routes, instance) for instance in instances]
    expected = {
        (taker.prefix, taker.service) for taker in takers if taker is not None and taker.service != service
    }
    nominal = winner_by_scanning(routes, template)
    if nominal is None or nominal.service != service or "{" not in template:
        return
    found = Router(routes).shadows(template, service)
    assert [(route.prefix, route.service) for route in found] == sorted(expected)


@pytest.mark.parametrize(
    ("template", "prefix", "meets"),
    [
        ("/jobs/{id}:cancel", "/jobs/7:cancel", True),
        ("/jobs/{id}:cancel", "/jobs/7:start", False),
        ("/jobs/{id}:cancel", "/jobs/:cancel", False),
        ("/jobs/{a}-{b}", "/jobs/x-y", True),
        ("/jobs/{a}.json", "/jobs/xjson", False),
    ],
)
def test_a_segment_that_is_partly_a_parameter_meets_only_its_instances(
    template: str, prefix: str, meets: bool
) -> None:
    router = Router([Route("/", "one", 80), Route(prefix, "two", 80)])
    assert bool(router.shadows(template, "one")) is meets


def test_a_rule_that_another_rule_always_beats_casts_no_shadow() -> None:
    router = Router(
        [Route("/", "one", 80), Route("/jobs/archive", "two", 80), Route("/jobs/archive/logs", "one", 80)]
    )
    assert router.shadows("/jobs/{name}/logs", "one") == []
    assert [route.prefix for route in router.shadows("/jobs/{name}/files", "one")] == ["/jobs/archive"]
