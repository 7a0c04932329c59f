"""The world's clock: real time plus an offset that lives in a file, so that other processes follow it."""

from __future__ import annotations

import threading
import time
from pathlib import Path


class Clock:
    """Real time, ahead by `offset` seconds.

    The file holds the offset in the form that libfaketime reads from `FAKETIME_TIMESTAMP_FILE`
    (`+300.000000`); a reader never sees half of it.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._offset = 0.0
        self._lock = threading.Lock()
        self._write()

    @property
    def offset(self) -> float:
        return self._offset

    def advance(self, seconds: float) -> None:
        """Move the clock forward. Raises `ValueError` for a move back, which many runtimes don't survive."""
        if seconds < 0:
            raise ValueError(f"a clock moves forward, not by {seconds} s")
        with self._lock:
            self._offset += seconds
            self._write()

    def now(self) -> float:
        """Seconds since the epoch, as the implementation under test sees them."""
        return time.time() + self._offset

    def _write(self) -> None:
        draft = self.file.with_name(self.file.name + ".draft")
        draft.write_text(f"{self._offset:+.6f}\n", encoding="ascii")
        draft.replace(self.file)
