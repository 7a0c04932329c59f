"""Equality of JSON values, which isn't Python's: `true` is not `1`, and `1` is `1.0`."""

from __future__ import annotations

from typing import Any


def equal(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same. The order of keys doesn't matter, that of items does."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)
