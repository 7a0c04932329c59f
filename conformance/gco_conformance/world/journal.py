"""What happened in a world, with times on one monotonic clock. Judges read nothing else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gco_conformance.http_messages import Headers

Kind = Literal["lookup", "connection", "tls", "cloudformation", "regional", "answer", "invocation"]


@dataclass(frozen=True)
class Seen:
    """One thing that happened. Which fields say something depends on `kind`:

    - lookup: `host` was asked for; `detail` says why it wasn't found, if so.
    - connection: somebody connected to `host`, or tried to.
    - tls: a handshake for `host`; `detail` is empty when it succeeded, else what went wrong.
    - cloudformation, regional: a request, as sent. `status` is None when it went through all checks, else the
      status with which the checks refused it, and `detail` is why.
    - answer: an answer began to be sent: `status`, `headers` and `body` of what was meant; `detail` names the
      fault that was played on it.
    - invocation: what the function under test returned (`status`, `body`).

    `at` is in real seconds since the world began. `headers` keep order, case and repetition. `connection` tells
    connections of one run apart; 0 where there is none.
    """

    at: float
    kind: Kind
    region: str | None = None
    host: str | None = None
    method: str = ""
    path: str = ""
    query: str = ""
    headers: Headers = ()
    body: bytes = b""
    status: int | None = None
    detail: str = ""
    connection: int = 0

    def header(self, name: str) -> str | None:
        """The value of a header, None when it wasn't sent; repeated ones are joined by a comma."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ",".join(values) if values else None


class Journal:
    """Entries from many threads; what was added is never changed or dropped."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self._entries: list[Seen] = []
        self._changed = threading.Condition()

    def add(
        self,
        kind: Kind,
        *,
        region: str | None = None,
        host: str | None = None,
        method: str = "",
        path: str = "",
        query: str = "",
        headers: Headers = (),
        body: bytes = b"",
        status: int | None = None,
        detail: str = "",
        connection: int = 0,
        moment: float | None = None,
    ) -> Seen:
        """Write an entry down. `moment` is when it happened, on `time.monotonic()`; now by default."""
        at = (time.monotonic() if moment is None else moment) - self.began
        entry = Seen(at, kind, region, host, method, path, query, headers, body, status, detail, connection)
        with self._changed:
            self._entries.append(entry)
            self._changed.notify_all()
        return entry

    def entries(self, kind: Kind | None = None, region: str | None = None) -> tuple[Seen, ...]:
        """Everything so far, or all of one kind or region, by time."""
        return self._select(0, kind, region)

    def mark(self) -> int:
        """A point in the journal, for `since`."""
        with self._changed:
            return len(self._entries)

    def since(self, mark: int, kind: Kind | None = None, region: str | None = None) -> tuple[Seen, ...]:
        """What was added after `mark`, by time."""
        return self._select(mark, kind, region)

    def wait_for(self, holds: Callable[[tuple[Seen, ...]], bool], seconds: float) -> bool:
        """Wait until `holds` of all entries, `seconds` at most. Gives whether it does."""
        with self._changed:
            return self._changed.wait_for(lambda: holds(tuple(self._entries)), seconds)

    def _select(self, first: int, kind: Kind | None, region: str | None) -> tuple[Seen, ...]:
        with self._changed:
            entries = self._entries[first:]
        chosen = (
            entry
            for entry in entries
            if (kind is None or entry.kind == kind) and (region is None or entry.region == region)
        )
        return tuple(sorted(chosen, key=lambda entry: entry.at))
