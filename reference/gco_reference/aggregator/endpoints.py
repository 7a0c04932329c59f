"""Which URL is a region's API (contract section 2)."""

from __future__ import annotations

import re

_URL = re.compile(r"(?i:https)://(?P<host>[A-Za-z0-9.-]+)(?::443)?/prod/*")
_API_ID = re.compile(r"[a-z0-9]+")


def regional_host(url: str, region: str, suffix: str) -> str:
    """The host of a region's API, in lower case; the API itself is `https://<host>/prod`.

    A pattern over the whole text rather than a URL parser: parsers repair what they are given (they drop line
    ends, for instance), and nothing here is to be repaired. Raises `ValueError` without the URL in its text.
    """
    match = _URL.fullmatch(url.strip())
    host = match["host"].lower() if match else ""
    api_id, dot, rest = host.partition(".")
    if not dot or not _API_ID.fullmatch(api_id) or rest != f"execute-api.{region}.{suffix}":
        raise ValueError("the stack's output isn't the URL of that region's API")
    return host
