"""Suppressions that have run out or that suppress nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from gco_conformance.drift.finding import Finding, Rule, Severity, Subject
from gco_conformance.drift.readers.suppressions import Suppression

EXPIRED: Final = Rule(
    "suppression.expired",
    Severity.ERROR,
    "a suppression whose date has passed",
    "What the finding says that it had suppressed: it is reported again.",
    "Mend what was suppressed, or set a new date with a reason that still holds.",
)
UNMATCHED: Final = Rule(
    "suppression.unmatched",
    Severity.WARNING,
    "a suppression that suppresses nothing",
    "Nothing yet. The entry would hide the next finding that happens to fit.",
    "Delete the entry, or correct what it names.",
)
RULES: Final = (EXPIRED, UNMATCHED)


def apply(
    suppressions: Sequence[Suppression], findings: Sequence[Finding], today: date, files: dict[str, str]
) -> tuple[list[Finding], list[tuple[Finding, Suppression]], list[Finding]]:
    """What is still reported, what is suppressed and by what, and what is wrong with the suppressions.

    `files` gives the name of each place's file relative to the checkout.
    """
    reported: list[Finding] = []
    suppressed: list[tuple[Finding, Suppression]] = []
    used: set[int] = set()
    for finding in findings:
        fitting = [own for own in suppressions if _fits(own, finding, files)]
        used.update(id(own) for own in fitting)
        holding = next((own for own in fitting if not _expired(own, today)), None)
        if holding is None:
            reported.append(finding)
        else:
            suppressed.append((finding, holding))
    wrong = [_unmatched(own) for own in suppressions if id(own) not in used]
    wrong += [_expired_finding(own) for own in suppressions if id(own) in used and _expired(own, today)]
    return reported, suppressed, wrong


def _fits(suppression: Suppression, finding: Finding, files: dict[str, str]) -> bool:
    return (
        suppression.rule == finding.rule.id
        and suppression.path in ("", finding.subject.path)
        and suppression.service in ("", finding.subject.service)
        and suppression.file in ("", files.get(finding.place.file, finding.place.file))
    )


def _expired(suppression: Suppression, today: date) -> bool:
    return suppression.expires is not None and suppression.expires < today


def _expired_finding(suppression: Suppression) -> Finding:
    return Finding(
        EXPIRED,
        _subject(suppression),
        suppression.expires_place,
        f"the suppression of {_what(suppression)} held until {suppression.expires}",
        "what is suppressed is reported again",
        f"mend it, or set a new date; the reason was: {suppression.reason}",
    )


def _unmatched(suppression: Suppression) -> Finding:
    return Finding(
        UNMATCHED,
        _subject(suppression),
        suppression.place,
        f"nothing is found that the suppression of {_what(suppression)} fits",
        "nothing different",
        "delete the suppression, or correct what it names",
    )


def _subject(suppression: Suppression) -> Subject:
    return Subject(suppression.path, suppression.service, suppression.rule)


def _what(suppression: Suppression) -> str:
    parts = (suppression.rule, suppression.path, suppression.service, suppression.file)
    return " ".join(part for part in parts if part)
