"""Suppressions: findings that somebody decided to live with, why, and until when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem, Unusable, kept_in
from gco_conformance.drift.readers.yaml_tree import Tree

_KEYS = ("rule", "path", "service", "file", "reason", "expires")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Suppression:
    """Findings of one rule, narrowed down by what they are about. Parts that are "" match everything."""

    rule: str
    path: str
    service: str
    file: str
    """The file of the finding's place, relative to the checkout."""
    reason: str
    expires: date | None
    """The last day on which it holds."""
    place: Place
    expires_place: Place


def read_suppressions(tree: Tree) -> tuple[tuple[Suppression, ...], list[Problem]]:
    """The entries of `drift.suppressions` that can be used, and what is wrong with the others."""
    problems: list[Problem] = []
    found = []
    for item in tree.items("drift.suppressions"):
        with kept_in(problems):
            found.append(_suppression(item))
    return tuple(found), problems


def _suppression(tree: Tree) -> Suppression:
    texts = dict.fromkeys(_KEYS, "")
    places = dict.fromkeys(_KEYS, tree.place)
    for key, key_tree, value in tree.entries("a suppression"):
        if key not in texts:
            raise Unusable(
                key_tree.place, f"unknown key '{key}' in a suppression", f"the keys are {', '.join(_KEYS)}"
            )
        texts[key], places[key] = value.text(f"a suppression's {key}").strip(), value.place
    if not texts["rule"]:
        raise Unusable(tree.place, "a suppression names no 'rule'", "'gco-conformance drift --explain' lists them")
    if not texts["reason"]:
        raise Unusable(tree.place, "a suppression has no 'reason'", "say why the finding is acceptable")
    return Suppression(
        rule=texts["rule"],
        path=texts["path"],
        service=texts["service"],
        file=texts["file"],
        reason=texts["reason"],
        expires=_date(texts["expires"], places["expires"]) if texts["expires"] else None,
        place=tree.place,
        expires_place=places["expires"],
    )


def _date(text: str, place: Place) -> date:
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise Unusable(place, f"{text!r} is no date", "write it as 2030-12-31") from None
