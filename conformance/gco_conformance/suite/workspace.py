"""Where a run keeps its files: a folder that goes when the run ends, however it ends."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from hypothesis.configuration import set_hypothesis_home_dir

from gco_conformance.adapters.strays import kill_strays
from gco_conformance.hypothesis_home import furnish

_MARK: Final = "GCO_CONFORMANCE_RUN"


class Workspace:
    """A new folder, in which temporary files of this process and what Hypothesis keeps go as well until `close`.

    Programs that are started meanwhile have a mark in their environment, by which `close` finds those that are
    left, also what a composer started and forgot. Where this process is killed, one of its own does both.
    """

    def __init__(self) -> None:
        self._before = tempfile.tempdir
        self._mark = secrets.token_hex(16)
        self.folder: Final = Path(tempfile.mkdtemp(prefix="gco-conformance-"))
        self._sweeper = subprocess.Popen(
            [sys.executable, "-P", "-m", "gco_conformance.suite.sweeper", str(self.folder), self._mark],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C isn't for it
        )
        os.environ[_MARK] = self._mark
        tempfile.tempdir = str(self.folder)
        set_hypothesis_home_dir(furnish(self.folder / "hypothesis"))

    def close(self) -> None:
        """End what is left and remove the folder. May be called again."""
        if self._sweeper.stdin is None or self._sweeper.stdin.closed:
            return
        del os.environ[_MARK]
        tempfile.tempdir = self._before
        set_hypothesis_home_dir(None)
        kill_strays(self._mark)
        self._sweeper.stdin.close()
        self._sweeper.wait()
