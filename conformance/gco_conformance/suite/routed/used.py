"""Which checkouts' composed documents are used, and which requirement each operation is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.directory import read_checkout
from gco_conformance.model.surface import read
from gco_fixtures.routed import routed_checkouts

FEW = 3
"""Requests of each kind for an operation of the kit's checkouts, beside a person's own."""
FAITHFUL = "composer.schemas.faithful"


@dataclass(frozen=True)
class Used:
    """A checkout, by the name that reports have for it; a person's own is called by its directory.

    What the core of the contract says is judged where `core` is. `requests` and `answers` say, by operation,
    which requirement is broken when those are misdescribed; `default` is that of the others. `most`, if given,
    is how many requests of each kind are made for an operation however many are asked for.
    """

    name: str
    checkout: Checkout
    core: bool = True
    default: str = FAITHFUL
    requests: tuple[tuple[str, str], ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    most: int | None = None

    def operations(self) -> Iterator[UsedOperation]:
        """Every operation that the gateway of the checkout delivers."""
        requests, answers = dict(self.requests), dict(self.answers)
        for path, method in sorted(read(self.checkout).kept):
            label = f"{method.upper()} {path}"
            default = self.default
            yield UsedOperation(self, label, requests.get(label, default), answers.get(label, default))


@dataclass(frozen=True)
class UsedOperation:
    used: Used
    label: str
    of_requests: str
    of_answers: str

    @property
    def id(self) -> str:
        return f"{self.used.name} {self.label}"


@cache
def written() -> tuple[Used, ...]:
    """The checkouts that come with the kit."""
    return tuple(
        Used(
            one.name,
            Checkout.of(one.files),
            one.core,
            one.default,
            requests=tuple(one.requests.items()),
            answers=tuple(one.answers.items()),
        )
        for one in routed_checkouts()
    )


def used(directories: Sequence[str], examples: int) -> tuple[Used, ...]:
    """The kit's checkouts and a person's own; none when no examples are wanted. Raises `UsageError`.

    Many examples are meant for one's own checkouts where there are some.
    """
    if examples == 0:
        return ()
    kits = tuple(replace(one, most=FEW) for one in written()) if directories else written()
    return (*kits, *(Used(directory, _read(directory)) for directory in directories))


@cache
def _read(directory: str) -> Checkout:
    return read_checkout(Path(directory))
