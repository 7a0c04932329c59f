"""A world as a whole: what it tells an implementation, what it keeps apart, and what it leaves behind."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gco_conformance.http_messages import Request
from gco_conformance.world.connection import ConnectionLog
from gco_conformance.world.script import Script
from gco_conformance.world.world import World

from .world_harness import EU, US, Played, a_world, playing


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


def test_an_implementation_is_told_where_and_who_it_is(played: Played) -> None:
    with a_world(played, EU, US, EU, project="shop", suffix="amazonaws.eu") as world:
        assert world.environment() == {
            "PROJECT_NAME": "shop",
            "TARGET_REGIONS": json.dumps([EU, US, EU]),
            "AWS_URL_SUFFIX": "amazonaws.eu",
            "AWS_ACCESS_KEY_ID": world.access_key,
            "AWS_SECRET_ACCESS_KEY": world.secret_key,
            "AWS_SESSION_TOKEN": world.session_token,
            "AWS_REGION": EU,
            "AWS_DEFAULT_REGION": EU,
        }
        assert [region.name for region in world.regions] == [EU, US]
        assert world.stack(US).name == f"shop-regional-api-{US}"
        assert played.ask(world, US).status == 200


def test_a_world_without_regions_is_a_world(played: Played) -> None:
    world = World(played.servers, regions=[])
    assert world.environment()["TARGET_REGIONS"] == "[]"
    assert world.regions == ()
    world.close()


def test_two_worlds_share_no_secret(played: Played) -> None:
    with a_world(played) as first, a_world(played) as second:
        shared = set(first.secrets) & set(second.secrets)
        assert shared == {f"cloudformation.{US}.amazonaws.com", f"cloudformation.{EU}.amazonaws.com"}


def test_everything_that_must_not_come_back_is_a_secret(played: Played) -> None:
    with a_world(played) as world:
        region = world.region(US)
        for text in (
            f"no such host: {region.host}",
            f"HTTPSConnectionPool(host='cloudformation.{EU}.amazonaws.com', port=443)",
            f"arn:aws:execute-api:{US}::{region.api_id.upper()}",
            f"Credential={world.access_key}/20260101",
            f"token {world.session_token}",
            f"key {world.secret_key}",
            f"arn:aws:sts::{world.account}:assumed-role/x",
        ):
            assert world.leaks(text), text
        assert world.leaks(json.dumps({"region": US, "error": "HTTP 503", "cluster_id": "gco-us-east-1"})) == []


def test_worlds_come_and_go_side_by_side(played: Played) -> None:
    def live() -> None:
        for _ in range(5):
            with a_world(played) as world:
                assert played.ask(world, US).status == 200
                assert played.describe(world, EU).status == 200
                assert len(world.region(US).requests()) == 1
                assert len(world.stack(EU).calls()) == 1
                done.append(world)

    done: list[World] = []
    threads = [threading.Thread(target=live) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 20
    assert all(played.servers.resolve(world.region(US).host) is None for world in done)


def test_a_closed_world_leaves_no_file(played: Played) -> None:
    with a_world(played) as world:
        file: Path = world.clock.file
        assert file.exists()
    assert not file.parent.exists()


def test_an_error_of_the_kit_itself_is_raised_not_judged() -> None:
    """A region whose server stumbles would else look like a region that failed."""

    def stumble(request: Request, log: ConnectionLog) -> Script:
        raise LookupError(f"nothing for {request.path} on {log.number}")

    with playing() as played:
        with a_world(played) as world, pytest.MonkeyPatch.context() as patch:
            patch.setattr(world.region(US), "answer", stumble)
            with pytest.raises(Exception, match=r"closed|aborted|EOF"):
                played.ask(world, US)
        with pytest.raises(LookupError, match="nothing for /prod/api/v1/jobs"):
            played.servers.check()
        with pytest.raises(LookupError):
            played.servers.close()
