"""What the gate finds, as plain values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from gco_conformance.drift.place import Place

Kind = Literal["delivery", "route", "security", "shadow", "content", "fact"]


class Severity(Enum):
    """`ERROR`: clients get something else than documented. `WARNING`: they may, or the next change may do it."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Rule:
    """A rule of the gate. `id` is stable: suppressions, baselines and dashboards name it."""

    id: str
    severity: Severity
    title: str
    """What is wrong, in one line."""
    client: str
    """What someone who calls the gateway sees."""
    mend: str
    """The smallest change that mends it."""
    sources: tuple[str, ...] = ()
    """Where facts about software outside this project come from."""


@dataclass(frozen=True)
class Subject:
    """What a finding is about, however the files are laid out. Parts that don't apply are ""."""

    path: str = ""
    """A documented path, or the path of a rule's match."""
    service: str = ""
    route: str = ""
    """The HTTPRoute as namespace/name."""


@dataclass(frozen=True)
class Related:
    """Another place that belongs to a finding, such as the rule that takes a path."""

    place: Place
    message: str


@dataclass(frozen=True)
class Change:
    """One difference between the composed document and what the gateway exposes now.

    `operation` is such as "GET /jobs", or the top-level key that differs. `breaking`: clients that rely on the
    composed document may fail. `kind`: whether it is delivered as documented, by which route, with a signature or
    without, shadowed by whom, with which content; or a fact at the top of the document.
    """

    operation: str
    what: str
    breaking: bool
    kind: Kind


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, at one place."""

    rule: Rule
    subject: Subject
    place: Place
    message: str
    client: str
    mend: str
    related: tuple[Related, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Names the finding across changes that only move lines or rename files."""
        subject = self.subject
        parts = "\0".join((self.rule.id, subject.path, subject.service, subject.route))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]
