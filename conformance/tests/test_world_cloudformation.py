"""CloudFormation of the world, as boto3 understands it."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gco_conformance.world.world import World

from .world_harness import EU, US, Played, Sdk, a_world, names_of, outputs_of, playing, signed

ENDPOINT = "RegionalApiEndpoint"


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played, names_of(played):
        yield played


@pytest.fixture(scope="module")
def shared(played: Played) -> Iterator[tuple[World, Sdk]]:
    """One world for all tests, since making a client takes boto3 long."""
    with a_world(played) as world:
        yield world, Sdk(played, world)


@pytest.fixture
def world(shared: tuple[World, Sdk]) -> Iterator[World]:
    world, _ = shared
    yield world
    for region in (US, EU):
        world.stack(region).restored()


@pytest.fixture
def sdk(shared: tuple[World, Sdk]) -> Sdk:
    return shared[1]


def test_every_region_has_a_stack_that_names_its_api(world: World, sdk: Sdk) -> None:
    for region in (US, EU):
        described = sdk.describe(region)
        (stack,) = described["Stacks"]
        assert stack["StackName"] == f"gco-regional-api-{region}"
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        assert f":{region}:{world.account}:stack/" in stack["StackId"]
        assert dict(outputs_of(described))[ENDPOINT] == world.region(region).url


def test_a_stack_is_found_by_its_id_and_among_all(world: World, sdk: Sdk) -> None:
    (stack,) = sdk.describe(US)["Stacks"]
    (by_id,) = sdk.describe(US, stack["StackId"])["Stacks"]
    (listed,) = sdk.client(US).describe_stacks()["Stacks"]
    assert by_id["StackName"] == listed["StackName"] == world.stack(US).name


def test_a_missing_stack_and_another_name_do_not_exist(world: World, sdk: Sdk) -> None:
    assert sdk.error(US, "another") == ("ValidationError", 400)
    world.stack(US).missing()
    assert sdk.error(US) == ("ValidationError", 400)
    assert sdk.client(US).describe_stacks()["Stacks"] == []
    assert outputs_of(sdk.describe(EU))


def test_outputs_are_told_as_they_were_set(world: World, sdk: Sdk) -> None:
    world.stack(US).output("  https://a.example/<&>\"'é\t ")
    assert dict(outputs_of(sdk.describe(US)))[ENDPOINT] == "  https://a.example/<&>\"'é\t "
    assert len(outputs_of(sdk.describe(US))) == 2
    twice = [(ENDPOINT, "a"), ("Other", "b"), (ENDPOINT, "c")]
    world.stack(US).outputs(twice)
    assert outputs_of(sdk.describe(US)) == twice
    world.stack(US).outputs([])
    assert outputs_of(sdk.describe(US)) == []


def test_what_xml_cannot_hold_is_refused_when_it_is_set(world: World) -> None:
    with pytest.raises(ValueError, match="XML"):
        world.stack(US).output("a\0b")


@pytest.mark.parametrize("status", ["ROLLBACK_COMPLETE", "UPDATE_COMPLETE", "DELETE_IN_PROGRESS"])
def test_a_stack_is_in_the_state_that_was_set(world: World, sdk: Sdk, status: str) -> None:
    world.stack(US).status(status)
    (stack,) = sdk.describe(US)["Stacks"]
    assert stack["StackStatus"] == status


def test_an_answer_can_tell_of_several_stacks_of_another_or_of_more(world: World, sdk: Sdk) -> None:
    world.stack(US).several()
    first, second = sdk.describe(US)["Stacks"]
    assert first["StackName"] == second["StackName"]
    assert first["StackId"] != second["StackId"]
    world.stack(US).restored().named("another")
    assert sdk.describe(US)["Stacks"][0]["StackName"] == "another"
    world.stack(US).restored().paged()
    assert sdk.describe(US)["NextToken"]
    world.stack(US).restored()
    assert "NextToken" not in sdk.describe(US)


def test_calls_can_be_refused_for_good_or_for_some_time(world: World, sdk: Sdk) -> None:
    world.stack(US).throttled()
    assert [sdk.error(US) for _ in range(3)] == [("Throttling", 400)] * 3
    world.stack(US).throttled(2)
    assert [sdk.error(US), sdk.error(US)] == [("Throttling", 400)] * 2
    assert sdk.describe(US)["Stacks"]
    world.stack(US).denied()
    assert sdk.error(US) == ("AccessDenied", 403)
    world.stack(US).error("InternalFailure", 500)
    assert sdk.error(US) == ("InternalFailure", 500)
    assert sdk.describe(EU)["Stacks"]


def test_changes_add_up_until_the_stack_is_restored(world: World, sdk: Sdk) -> None:
    world.stack(US).status("UPDATE_COMPLETE").output("https://other").slow(0.1)
    began = time.monotonic()
    described = sdk.describe(US)
    assert time.monotonic() - began >= 0.1
    assert described["Stacks"][0]["StackStatus"] == "UPDATE_COMPLETE"
    assert ("RegionalApiEndpoint", "https://other") in outputs_of(described)


def test_a_connection_can_end_without_an_answer(world: World, sdk: Sdk) -> None:
    exceptions: Any = importlib.import_module("botocore.exceptions")
    world.stack(US).drops()
    with pytest.raises(exceptions.ConnectionClosedError):
        sdk.describe(US)
    assert sdk.describe(EU)["Stacks"]


def test_calls_are_written_down_with_their_connections() -> None:
    with playing() as played, a_world(played) as world:
        played.describe(world, US)
        played.describe(world, US)
        (first, second) = world.stack(US).calls()
        assert first.at < second.at
        assert b"Action=DescribeStacks" in first.body
        assert first.status is None
        assert world.stack(EU).calls() == ()
        kinds = [entry.kind for entry in world.journal.entries(region=US)]
        assert kinds[:3] == ["connection", "tls", "cloudformation"]


def test_a_connection_that_one_world_opened_may_be_used_for_another(played: Played) -> None:
    with a_world(played) as first, a_world(played) as second:
        for world in (first, second, first):
            played.describe(world, US)
        assert len(first.stack(US).calls()) == 2
        assert len(second.stack(US).calls()) == 1
        assert len({call.connection for call in first.stack(US).calls() + second.stack(US).calls()}) == 1


@pytest.mark.parametrize(
    ("region", "service", "code"),
    [(EU, "cloudformation", "SignatureDoesNotMatch"), (US, "execute-api", "SignatureDoesNotMatch")],
)
def test_a_badly_signed_call_is_refused(played: Played, region: str, service: str, code: str) -> None:
    with a_world(played) as world:
        host, body = f"cloudformation.{US}.amazonaws.com", b"Action=DescribeStacks&Version=2010-05-15"
        headers = signed(world, "POST", f"https://{host}/", region=region, service=service, body=body)
        answer = played.send(host, "POST", "/", headers, body)
        assert answer.status == 403
        assert f"<Code>{code}</Code>" in answer.data.decode()
        (call,) = world.stack(US).calls()
        assert call.status == 403


def test_a_call_without_a_key_of_a_world_belongs_to_none(played: Played) -> None:
    with a_world(played) as gone:
        pass
    with a_world(played) as world:
        host = f"cloudformation.{US}.amazonaws.com"
        headers = signed(gone, "POST", f"https://{host}/", region=US, service="cloudformation")
        assert b"InvalidClientTokenId" in played.send(host, "POST", "/", headers).data
        assert b"MissingAuthenticationToken" in played.send(host, "POST", "/", {}).data
        assert world.journal.entries() == ()
        assert [each.status for each in played.servers.strays.entries("cloudformation")][-2:] == [403, 403]


def test_a_region_in_which_the_world_is_not_has_no_stack(played: Played) -> None:
    with a_world(played, US) as world, a_world(played, EU):
        answer = played.describe_in(world, EU, "gco-regional-api-eu-west-1")
        assert b"does not exist" in answer.data
        (call,) = world.journal.entries("cloudformation", EU)
        assert call.status is None
