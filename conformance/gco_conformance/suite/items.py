"""What a check's pytest item is called, inside the sealed network and outside, and what its mark says of it."""

from __future__ import annotations

import pytest


def key(item: pytest.Item) -> str:
    """What names an item inside and outside alike."""
    return f"{item.path.name}::{item.name}"


def waits(item: pytest.Item) -> bool:
    """Whether nearly all of a check's time goes by while it, and the aggregator, do nothing."""
    marker = item.get_closest_marker("requirement")
    return marker is not None and bool(marker.kwargs.get("waits"))


def moves_time(item: pytest.Item) -> bool:
    """Whether a check moves the clock by minutes, which takes as long where that can only be waited for."""
    marker = item.get_closest_marker("requirement")
    return marker is not None and bool(marker.kwargs.get("moves_time"))


def needs(item: pytest.Item) -> str:
    """The optional part of the distribution without which a check can't judge, if any."""
    marker = item.get_closest_marker("requirement")
    return str(marker.kwargs.get("needs", "")) if marker is not None else ""
