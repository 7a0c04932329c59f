"""What a request tells that AWS or a region saw: when it was signed, and what it asked for."""

from __future__ import annotations

import datetime
import json
from typing import Any
from urllib.parse import unquote

from gco_conformance.world.journal import Seen


def signed_at(seen: Seen) -> float:
    """When a request says that it was signed, in seconds since the epoch."""
    stamp = datetime.datetime.strptime(seen.header("x-amz-date") or "", "%Y%m%dT%H%M%SZ")
    return stamp.replace(tzinfo=datetime.UTC).timestamp()


def body_of(seen: Seen) -> Any:
    """What a request carried: JSON, or the text where it is none."""
    try:
        return json.loads(seen.body)
    except (ValueError, RecursionError):
        return seen.body.decode(errors="replace")


def parameters_of(seen: Seen) -> set[tuple[str, str]]:
    """The query of a request by names and values; a plus is a plus."""
    pairs = (pair.partition("=") for pair in seen.query.split("&") if pair)
    return {(unquote(name), unquote(value)) for name, _, value in pairs}


def told(seen: Seen) -> str:
    """An entry of the journal in a line."""
    parts = [f"{seen.at:7.3f} s", seen.kind, seen.region or "", seen.method, seen.path, seen.query]
    if seen.status is not None:
        parts.append(str(seen.status))
    return " ".join(part for part in (*parts, seen.detail) if part)
