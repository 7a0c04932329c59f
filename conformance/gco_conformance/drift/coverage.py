"""The gate's route coverage for a composed document that an implementation under test wrote."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Final

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.drift.diff.surfaces import differences
from gco_conformance.drift.finding import Change, Kind
from gco_conformance.drift.gate import Request, read
from gco_conformance.drift.project import Project
from gco_conformance.model.references import Document

ROUTES: Final[frozenset[Kind]] = frozenset({"delivery", "route", "security", "shadow", "fact"})
"""All but the content of operations, which faithfulness judges."""


def coverage(document: Document, checkout: Checkout, kinds: Collection[Kind] = ROUTES) -> list[Change]:
    """Where the composed document says something else than the gateway of `checkout` delivers.

    Empty for a right document. `kinds` narrows it down to what one requirement is about. Only for checkouts that
    can be composed.
    """
    return [one.change for one in differences(_project(checkout), document) if one.change.kind in kinds]


@functools.lru_cache(maxsize=256)
def _project(checkout: Checkout) -> Project:
    """The checkout as the gate reads it, once for all kinds."""
    with tempfile.TemporaryDirectory() as folder:
        checkout.write(Path(folder))
        return read(Request(Path(folder)))[0]
