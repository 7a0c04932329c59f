"""The outside end of the part that runs inside the sealed network: starts it and hands out its results.

With `Settings.unsealed` it runs in a child process that isn't sealed.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence

import pytest

from gco_conformance.report.model import CheckResult
from gco_conformance.report.outcome import Outcome
from gco_conformance.sealed.reexecute import command, new_folder
from gco_conformance.suite.items import key
from gco_conformance.suite.settings import Settings

GRACE = 10.0
"""Seconds that the part may take to end after its last check, or after a signal."""


class SealedPart:
    """A running part. Start it on the main thread: the kernel ends it with the thread that started it."""

    def __init__(self, settings: Settings, items: Sequence[pytest.Item]) -> None:
        self.start_error = ""
        self.identity: dict[str, str] = {}
        self.extra: list[CheckResult] = []
        self._results: dict[str, CheckResult] = {}
        self._ended = False
        self._stopped = False
        self._changed = threading.Condition()
        self._folder = new_folder()
        self._said = os.memfd_create("sealed-part")
        self._process = subprocess.Popen(
            command(self._folder, ["gco_conformance.suite.inside:main"], unsealed=settings.unsealed),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            process_group=0,
        )
        order = pickle.dumps((settings, [key(item) for item in items]))
        self._reader = threading.Thread(target=self._read, args=(order,), name="sealed-part", daemon=True)
        self._reader.start()

    def result(self, item: pytest.Item) -> CheckResult | None:
        """Wait for a check's result. `None` when the part ended without one."""
        name = key(item)
        with self._changed:
            self._changed.wait_for(lambda: name in self._results or self._ended)
            return self._results.get(name)

    def last_words(self) -> str:
        """What the part said when it ended without all results, in a line."""
        if self.start_error:
            return self.start_error
        lines = os.pread(self._said, 1 << 20, 0).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"the sealed part ended with {self._process.poll()}"

    def wait(self) -> None:
        """Wait until the part has ended by itself, for what it tells last; `GRACE` at most."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended, GRACE)

    def stop(self) -> None:
        """End the part, and all that it started with it. May be called again."""
        if self._stopped:
            return
        self._stopped = True
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        os.close(self._said)
        # Nothing is there unless the part was killed.
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, order: bytes) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:
            stdin.write(order)
        with self._process.stdout as stdout:
            for line in stdout:
                self._take(json.loads(line))
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take(self, message: dict[str, object]) -> None:
        with self._changed:
            if "start_error" in message:
                self.start_error = str(message["start_error"])
            elif isinstance(identity := message.get("identity"), dict):
                self.identity = identity
            elif isinstance(data := message.get("result"), dict):
                result = CheckResult(**{**data, "outcome": Outcome(data["outcome"])})
                if message["key"]:
                    self._results[str(message["key"])] = result
                else:
                    self.extra.append(result)
            self._changed.notify_all()
