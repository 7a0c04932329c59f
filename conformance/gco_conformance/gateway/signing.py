"""Signatures as the simulated gateway wants them: an HMAC under a key that everybody may know.

Each header of the configured envelope has to be there. The one that carries the signature has the HMAC-SHA256,
in hex, under `TEST_KEY` of these lines, joined by line feeds:

    the method
    the path with its query, as sent
    for each other header of the envelope, in the configured order: its name in lower case, a colon, its value
    the SHA-256 of the body, in hex

Time and nonce may be anything but empty: a request that was signed once can be sent again, so that what was
seen can be seen again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gco_conformance.http_messages import Request

TEST_KEY: Final = b"gco-conformance-test-key"
DEFAULT_HEADER: Final = "x-gco-signature"
DEFAULT_ENVELOPE: Final = ("x-gco-signature-version", "x-gco-timestamp", "x-gco-nonce", "x-gco-signature")
_VALUES: Final[Mapping[str, str]] = {"x-gco-signature-version": "1", "x-gco-timestamp": "1767225600"}


@dataclass(frozen=True)
class Envelope:
    """The header that carries the signature, and the others of the envelope in order, in lower case."""

    header: str
    others: tuple[str, ...]

    @classmethod
    def of(cls, configuration: Mapping[str, Any]) -> Envelope:
        """The envelope that a checkout's configuration names."""
        security = configuration.get("security") or {}
        header = str(security.get("header", DEFAULT_HEADER)).lower()
        names: Sequence[str] = security.get("envelope", DEFAULT_ENVELOPE)
        return cls(header, tuple(name.lower() for name in map(str, names) if name.lower() != header))

    def signed(self, request: Request, carrier: str = "") -> Request:
        """The request with an envelope, its signature in the header `carrier` (default: where it belongs)."""
        own = {self.header, carrier.lower(), *self.others}
        headers = tuple(entry for entry in request.headers if entry[0].lower() not in own)
        headers += tuple((name, _VALUES.get(name, "test")) for name in self.others)
        plain = replace(request, headers=headers)
        return replace(plain, headers=(*headers, (carrier or self.header, self._signature(plain))))

    def refused(self, request: Request) -> str:
        """Why a request isn't taken for a signed one, "" if it is. Tells the signature that it should have."""
        missing = [name for name in (*self.others, self.header) if not request.header(name)]
        if missing:
            return f"Not signed: {', '.join(missing)} missing"
        right, given = self._signature(request), (request.header(self.header) or "").encode()
        # The key is no secret, and whoever signs by hand wants to know.
        return "" if hmac.compare_digest(right.encode(), given) else f"Wrong signature: it should be {right}"

    def _signature(self, request: Request) -> str:
        lines = [request.method, request.target]
        lines += [f"{name}:{request.header(name)}" for name in self.others]
        lines.append(hashlib.sha256(request.body).hexdigest())
        return hmac.digest(TEST_KEY, "\n".join(lines).encode("utf-8", "replace"), "sha256").hex()
