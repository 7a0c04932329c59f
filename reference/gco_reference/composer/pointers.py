"""Local references: a `#` and a JSON Pointer (RFC 6901), percent-encoded as a URI fragment (RFC 3986)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, unquote

# What may stand in a fragment; brackets may not, but are what generators of generic names write.
_SAFE = "!$&'()*+,;=:@?~[]"

MISSING = object()


def parse(reference: str) -> tuple[str, ...] | None:
    """The pointer's tokens; `None` when the reference isn't a local pointer (another file, an anchor)."""
    if not reference.startswith("#/"):
        return None
    pointer = reference[2:]
    if "%" in pointer:
        pointer = unquote(pointer)
    tokens = pointer.split("/")
    if "~" in pointer:
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in tokens]
    return tuple(tokens)


def build(tokens: Iterable[str]) -> str:
    """The local reference whose pointer has these tokens."""
    return "#" + "".join("/" + quote(token.replace("~", "~0").replace("/", "~1"), safe=_SAFE) for token in tokens)


def step(value: Any, token: str) -> Any:
    """The member or item of `value` that `token` names; `MISSING` when there is none."""
    if isinstance(value, dict):
        return value.get(token, MISSING)
    if isinstance(value, list) and token.isdecimal() and token.isascii() and str(int(token)) == token:
        return value[int(token)] if int(token) < len(value) else MISSING
    return MISSING


def follow(value: Any, tokens: Iterable[str]) -> Any:
    """What the pointer's tokens lead to in `value`; `MISSING` when they lead nowhere."""
    for token in tokens:
        value = step(value, token)
        if value is MISSING:
            break
    return value
