"""A route: which Service a path prefix leads to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Route:
    """One match of a rule: its prefix as the manifest has it, and the Service that it leads to."""

    prefix: str
    service: str
    port: int
