"""Composer cases as the kit judges them: a checkout, its positive control, and the checks on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.edit import Edit, from_data
from gco_fixtures import ComposerCase, composer_cases


@dataclass(frozen=True)
class Expectation:
    """What the composed document must say. Each part is checked only where it is given.

    `equals` asks for a value, `means` for a schema with the same meaning: references are followed in both.
    """

    equals: tuple[tuple[str, Any], ...] = ()
    means: tuple[tuple[str, Any], ...] = ()
    absent: tuple[str, ...] = ()
    operations: frozenset[str] | None = None
    holds: tuple[str, ...] = ()
    says: tuple[tuple[str, frozenset[str]], ...] = ()


@dataclass(frozen=True)
class Refusal:
    """What the refusing line must mention: of each entry any alternative; `in_order` one after the other."""

    mentions: tuple[tuple[str, ...], ...] = ()
    in_order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """One check on a case.

    `twin` is the checkout that must be composed, with the paths of `composes` in it: the positive control of
    a refusal, and the checkout itself of an expectation. A check has an `expectation`, a `refusal`, or both
    where the contract admits either.
    """

    id: str
    requirement: str
    why: str
    twin: Checkout
    checkout: Checkout
    composes: tuple[str, ...]
    expectation: Expectation | None
    refusal: Refusal | None


@cache
def checks() -> tuple[Check, ...]:
    """The checks of every composer case, by case and in the order of its file."""
    return tuple(_check(case, data) for case in composer_cases() for data in case.about["checks"])


def _check(case: ComposerCase, data: Mapping[str, Any]) -> Check:
    plain = Checkout.of(case.files)
    checkout = plain.edited(_edits(data.get("edit", ())))
    expectation = _expectation(data["expect"]) if "expect" in data else None
    twin = plain.edited(_edits(data["twin"])) if "twin" in data else plain
    refusal = _refusal(data["refused"]) if "refused" in data else None
    if data.get("or_refused"):
        refusal = Refusal()
    elif expectation is not None:
        twin = checkout
    return Check(
        id=f"{case.name}/{data['name']}",
        requirement=data["requirement"],
        why=data["why"],
        twin=twin,
        checkout=checkout,
        composes=tuple(data.get("composes", case.about["composes"])),
        expectation=expectation,
        refusal=refusal,
    )


def _edits(data: Any) -> tuple[Edit, ...]:
    return tuple(from_data(edit) for edit in data)


def _expectation(data: Mapping[str, Any]) -> Expectation:
    operations = data.get("operations")
    return Expectation(
        equals=tuple(data.get("equals", {}).items()),
        means=tuple(data.get("means", {}).items()),
        absent=tuple(data.get("absent", ())),
        operations=None if operations is None else frozenset(operations),
        holds=tuple(data.get("holds", ())),
        says=tuple((place, frozenset(names)) for place, names in data.get("says", {}).items()),
    )


def _refusal(data: Mapping[str, Any]) -> Refusal:
    mentions = tuple((m,) if isinstance(m, str) else tuple(map(str, m)) for m in data.get("mentions", ()))
    return Refusal(mentions=mentions, in_order=tuple(data.get("in_order", ())))
