"""Having functions of the tests called in a sealed process, from a process that the test can do anything to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REEXECUTE = "import sys; from gco_conformance.sealed.reexecute import reexecute; sys.exit(reexecute(sys.argv[1:]))"


def caller(
    *arguments: str, python: Sequence[str] = (sys.executable,), code: str = REEXECUTE, **options: Any
) -> subprocess.Popen[str]:
    """Start a process that reexecutes a function, of `sealed_functions` unless it has the name of a module of the
    tests before it, as in `module:function`. `python` are the words before its options.
    """
    function, *rest = arguments
    if ":" not in function:
        function = f"sealed_functions:{function}"
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= options.pop("environment", {})
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    argv = [*python, "-P", "-c", code, function, *rest]
    return subprocess.Popen(argv, env=environment, text=True, **streams)


def run(*arguments: str, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """The same, to its end."""
    with caller(*arguments, **options) as process:
        try:
            stdout, stderr = process.communicate(stdin, timeout=60)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def told_by(*arguments: str, **options: Any) -> Any:
    """What a function that ends well prints."""
    done = run(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)
