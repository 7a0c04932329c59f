"""The host of a `python:` handler, but with the handler imported before instances are forked.

An import costs more than most checks. Only for a handler that keeps nothing of the process in which it was
imported; and only the copy in the current directory will do.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from gco_conformance.adapters import function_python_host


def preload() -> None:
    sys.path.insert(0, str(Path.cwd()))
    module = importlib.import_module(sys.argv[1])
    if not Path(str(module.__file__)).is_relative_to(Path.cwd()):
        sys.exit(f"{module.__file__} isn't in {Path.cwd()}")


if __name__ == "__main__":
    function_python_host.preload = preload
    function_python_host.main(*sys.argv[1:])
