"""Clears away after a run, from a process of its own: waits until the run's process has let go of a pipe.

Called with the run's folder and the mark that its programs have in their environment.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from gco_conformance.adapters.strays import kill_strays


def main(folder: str, mark: str) -> None:
    sys.stdin.read()
    kill_strays(mark)
    shutil.rmtree(Path(folder), ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
