"""Credentials that rotate: the endpoint that every SDK knows, and what is left of those from before."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3

from gco_conformance.world.world import World

from .world_harness import US, Played, a_world, playing, signed


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


@pytest.fixture
def world(played: Played) -> Iterator[World]:
    with a_world(played, rotating=True) as world:
        yield world


def told(world: World) -> dict[str, Any]:
    variables = world.environment()
    answer = urllib3.request(
        "GET",
        variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"],
        headers={"Authorization": variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"]},
    )
    assert answer.status == 200
    return dict(json.loads(answer.data))


def test_the_environment_has_an_endpoint_and_no_keys(world: World) -> None:
    variables = world.environment()
    assert not {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} & variables.keys()
    assert told(world)["AccessKeyId"] == world.access_key


def test_botocore_takes_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in world.environment().items():
        monkeypatch.setenv(name, value)
    credentials: Any = importlib.import_module("botocore.credentials")
    found = credentials.ContainerProvider().load().get_frozen_credentials()
    assert tuple(found)[:3] == (world.access_key, world.secret_key, world.session_token)


def test_those_from_before_are_worth_nothing(played: Played, world: World) -> None:
    assert played.ask(world, US).status == 200
    old = world.access_key, world.secret_key, world.session_token
    world.rotate_credentials()
    assert told(world)["AccessKeyId"] == world.access_key != old[0]
    assert played.ask(world, US).status == 200
    assert played.describe(world, US).status == 200
    assert set(filter(None, old)) <= set(world.secrets)
    assert world.credentials(old[0]) is None


def test_a_request_with_old_credentials_is_still_this_worlds(played: Played, world: World) -> None:
    api = world.region(US)
    headers = signed(world, "GET", api.url + "/api/v1/jobs", region=US)
    world.rotate_credentials()
    assert played.send(api.host, "GET", "/prod/api/v1/jobs", headers).status == 403
    assert [seen.status for seen in api.refused()] == [403]


def test_nobody_else_gets_them(world: World) -> None:
    url = world.environment()["AWS_CONTAINER_CREDENTIALS_FULL_URI"]
    assert urllib3.request("GET", url).status == 403
    assert urllib3.request("GET", url + "/x", headers={"Authorization": "x"}).status == 403


def test_an_environment_cannot_be_rotated(played: Played) -> None:
    with a_world(played) as world, pytest.raises(ValueError, match="environment"):
        world.rotate_credentials()
