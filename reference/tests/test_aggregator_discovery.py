"""How long the map of regions is good for (contract section 2), on a clock that the test moves."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from gco_reference.aggregator.budget import Deadline
from gco_reference.aggregator.configuration import Configuration
from gco_reference.aggregator.discovery import DiscoveryFailedError, HostMap, discover

CONFIGURATION = Configuration("gco", ("eu-west-1", "us-east-1"), "amazonaws.com")


@dataclass
class World:
    """A clock, and a discovery that finds `hosts` or, without them, fails."""

    now: float = 1000.0
    hosts: Mapping[str, str] | None = field(default_factory=lambda: {"eu-west-1": "old"})
    discoveries: int = 0

    def __post_init__(self) -> None:
        self.map = HostMap(lambda: self.now)

    def discover(self) -> Mapping[str, str]:
        self.discoveries += 1
        if self.hosts is None:
            raise DiscoveryFailedError("eu-west-1")
        return self.hosts

    def ask(self, after: float = 0.0, configuration: Configuration = CONFIGURATION) -> Mapping[str, str]:
        self.now += after
        return self.map.hosts(configuration, self.discover)


@pytest.fixture
def known() -> World:
    """A world whose map was found now."""
    world = World()
    world.ask()
    return world


@pytest.mark.parametrize(("age", "discoveries"), [(0.0, 1), (299.999, 1), (300.0, 2), (300.001, 2)])
def test_a_map_younger_than_300_s_is_used_without_asking(known: World, age: float, discoveries: int) -> None:
    known.ask(after=age)
    assert known.discoveries == discoveries


def test_a_success_replaces_map_and_age(known: World) -> None:
    known.hosts = {"eu-west-1": "new"}
    assert known.ask(after=300.0) == {"eu-west-1": "new"}
    assert known.ask(after=299.0) == {"eu-west-1": "new"}
    assert known.discoveries == 2


@pytest.mark.parametrize("age", [300.0, 900.0, 3599.999])
def test_the_old_map_is_used_when_discovery_fails(known: World, age: float) -> None:
    known.hosts = None
    assert known.ask(after=age) == {"eu-west-1": "old"}


def test_at_3600_s_the_old_map_is_no_longer_used(known: World) -> None:
    known.hosts = None
    with pytest.raises(DiscoveryFailedError):
        known.ask(after=3600.0)


def test_a_fallback_makes_the_map_no_younger(known: World) -> None:
    known.hosts = None
    known.ask(after=3000.0)
    known.ask(after=1.0)
    assert known.discoveries == 3
    with pytest.raises(DiscoveryFailedError):
        known.ask(after=599.0)
    known.hosts = {"eu-west-1": "new"}
    assert known.ask() == {"eu-west-1": "new"}


def test_a_failure_without_a_map_leaves_none_behind() -> None:
    world = World(hosts=None)
    for _ in range(2):
        with pytest.raises(DiscoveryFailedError):
            world.ask()
    assert world.discoveries == 2


def test_a_map_of_another_configuration_is_none(known: World) -> None:
    known.hosts = None
    with pytest.raises(DiscoveryFailedError):
        known.ask(configuration=Configuration("gco", ("us-east-1",), "amazonaws.com"))


def test_every_region_is_looked_for_at_once_and_all_must_be_found() -> None:
    regions = ("eu-west-1", "us-east-1", "ap-south-1")
    start = time.monotonic()

    def find(region: str) -> str:
        time.sleep(0.1)
        return f"host of {region}"

    assert discover(regions, find, Deadline.after(5.0)) == {region: f"host of {region}" for region in regions}
    assert time.monotonic() - start < 0.25


def test_one_region_that_isnt_found_fails_all_without_waiting_for_the_rest() -> None:
    def find(region: str) -> str:
        if region == "eu-west-1":
            raise OSError("no such host")
        time.sleep(1.0)
        return "host"

    start = time.monotonic()
    with pytest.raises(DiscoveryFailedError, match="eu-west-1"):
        discover(("us-east-1", "eu-west-1"), find, Deadline.after(5.0))
    assert time.monotonic() - start < 0.9


def test_a_region_that_stalls_is_cut_off() -> None:
    def stall(_: str) -> str:
        time.sleep(0.5)
        return "late"

    with pytest.raises(DiscoveryFailedError):
        discover(("us-east-1",), stall, Deadline.after(0.05))
