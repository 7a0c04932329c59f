"""How long a map of regional APIs is good: the aggregator contract's section 2, as short as it can be said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FRESH = 300.0
"""Seconds: a younger map is used without asking."""
STALE = 3600.0
"""Seconds: a younger map is used where discovery fails."""


@dataclass(frozen=True)
class KeptMap:
    """The addresses by region, as they were found at a time in seconds."""

    addresses: Mapping[str, object]
    at: float


@dataclass(frozen=True)
class Use:
    """What becomes of a request: whether there is a discovery, and which map is used; without one it's a 503."""

    discovers: bool
    map: KeptMap | None


def use(kept: KeptMap | None, now: float, found: Mapping[str, object] | None) -> Use:
    """What becomes of a request at a time. `found` is what discovery finds, None where it fails.

    The map that is used is the one that is kept from then on; where there is none, the old one stays.
    """
    age = None if kept is None else now - kept.at
    if age is not None and age < FRESH:
        return Use(False, kept)
    if found is not None:
        return Use(True, KeptMap(found, now))
    return Use(True, kept if age is not None and age < STALE else None)
