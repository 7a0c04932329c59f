"""CloudFormation as moto plays it, and the kit's own answers held against it: the same questions to both."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from gco_conformance.world.moto import Moto
from gco_conformance.world.world import World

from .world_harness import EU, US, Sdk, a_world, names_of, outputs_of, playing

ENDPOINT = "RegionalApiEndpoint"
Pair = tuple[tuple[World, Sdk], tuple[World, Sdk]]


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    moto = Moto()
    moto.start()
    with (
        playing(moto) as real,
        playing() as own,
        names_of(real, own),
        a_world(real) as in_moto,
        a_world(own) as by_kit,
    ):
        in_moto.ready()
        yield (in_moto, Sdk(real, in_moto)), (by_kit, Sdk(own, by_kit))


def plain(described: Any) -> Any:
    """An answer without what differs from world to world and from call to call."""
    if isinstance(described, dict):
        left_out = {"StackId", "CreationTime", "OutputValue", "RequestId", "HTTPHeaders", "x-amzn-requestid"}
        kept = {key: value for key, value in described.items() if key not in left_out}
        return {key: plain(value) for key, value in kept.items()}
    if isinstance(described, list):
        return [plain(each) for each in described]
    return described


def test_a_stack_is_told_of_in_the_same_words(pair: Pair) -> None:
    (in_moto, real), (_, own) = pair
    assert plain(real.describe(US)) == plain(own.describe(US))
    assert outputs_of(real.describe(US)) == [
        ("RegionalApiId", in_moto.region(US).api_id),
        (ENDPOINT, in_moto.region(US).url),
    ]
    assert [key for key, _ in outputs_of(own.describe(US))] == ["RegionalApiId", ENDPOINT]


def test_stacks_are_listed_alike(pair: Pair) -> None:
    (_, real), (_, own) = pair
    assert plain(real.client(EU).describe_stacks()) == plain(own.client(EU).describe_stacks())


def test_errors_are_the_same(pair: Pair) -> None:
    exceptions: Any = importlib.import_module("botocore.exceptions")
    errors = []
    for _, sdk in pair:
        with pytest.raises(exceptions.ClientError) as caught:
            sdk.describe(US, "nothing")
        errors.append(plain(caught.value.response))
    assert errors[0] == errors[1]


def test_moto_follows_every_change(pair: Pair) -> None:
    (in_moto, real), _ = pair
    stack = in_moto.stack(US)
    stack.missing()
    assert real.error(US) == ("ValidationError", 400)
    stack.output("https://changed")
    assert outputs_of(real.describe(US)) == [(ENDPOINT, "https://changed")]
    stack.output("https://again")
    assert outputs_of(real.describe(US)) == [(ENDPOINT, "https://again")]
    stack.status("ROLLBACK_COMPLETE")
    assert real.describe(US)["Stacks"][0]["StackStatus"] == "ROLLBACK_COMPLETE"
    stack.restored()
    assert dict(outputs_of(real.describe(US)))[ENDPOINT] == in_moto.region(US).url


def test_every_answer_has_a_request_id_of_its_own(pair: Pair) -> None:
    (_, real), _ = pair
    ids = {real.describe(US)["ResponseMetadata"]["RequestId"] for _ in range(3)}
    assert len(ids) == 3


def test_other_actions_are_motos(pair: Pair) -> None:
    (in_moto, real), _ = pair
    names = [each["StackName"] for each in real.client(US).list_stacks()["StackSummaries"]]
    assert in_moto.stack(US).name in names


def test_a_region_that_aws_does_not_have_works_too(pair: Pair) -> None:
    (_, real), _ = pair
    played = real.played
    with a_world(played, "xx-nowhere-7") as world:
        assert world.region("xx-nowhere-7").url.encode() in played.describe(world, "xx-nowhere-7").data
