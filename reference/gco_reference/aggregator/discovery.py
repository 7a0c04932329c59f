"""Where the regions' APIs are: found together or not at all, and kept for a while (contract section 2)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gco_reference.aggregator.budget import Deadline
from gco_reference.aggregator.configuration import Configuration
from gco_reference.aggregator.details import details
from gco_reference.aggregator.fan_out import ask_all

FRESH = 300.0  # seconds for which a map is used without asking
USABLE = 3600.0  # seconds for which it is used when discovery fails
DISCOVERY = 8.0  # seconds at most for discovery, so that the regions keep their part of the budget

_log = logging.getLogger(__name__)

Hosts = Mapping[str, str]  # region to host


class DiscoveryFailedError(Exception):
    """At least one region's API wasn't found."""


def discover(regions: tuple[str, ...], find_host: Callable[[str], str], deadline: Deadline) -> Hosts:
    """The host of every region, looked for at once. Raises `DiscoveryFailedError` as soon as one is missing."""
    hosts = {}
    for region, outcome in ask_all(regions, find_host, deadline):
        if isinstance(outcome, Exception):
            raise DiscoveryFailedError(region) from outcome
        hosts[region] = outcome
    return hosts


@dataclass(frozen=True)
class _Known:
    configuration: Configuration
    hosts: Hosts
    since: float


class HostMap:
    """The last complete map, for as long as the process lives."""

    def __init__(self, clock: Callable[[], float] = lambda: time.monotonic()) -> None:
        self._clock = clock
        self._known: _Known | None = None

    def hosts(self, configuration: Configuration, discover: Callable[[], Hosts]) -> Hosts:
        """The map to use now. Raises `DiscoveryFailedError` when there is none."""
        known = self._known
        if known is not None and known.configuration != configuration:
            known = None
        age = float("inf") if known is None else self._clock() - known.since
        if known is not None and age < FRESH:
            return known.hosts
        try:
            hosts = discover()
        except DiscoveryFailedError as failure:
            if known is None or age >= USABLE:
                raise
            _log.warning("using the map of %.0f s ago: %s", age, details(failure))
            return known.hosts
        self._known = _Known(configuration, hosts, since=self._clock())
        return hosts
