"""A process that holds the kit ready: for each line on its standard input it forks, and the fork runs the kit.

What takes long is done once, by a first run without a fork: importing pytest, Hypothesis and the validator, and
generating the checkouts of the seed. A line is a JSON object with the command line's `arguments`, additions to
the `environment`, and the file for `output`; the answer is the exit status.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gco_conformance.cli import main


def run(order: Mapping[str, Any]) -> int:
    """Run the kit with its standard output and standard error in the `output` file."""
    os.environ.update(order["environment"])
    with Path(order["output"]).open("wb") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    status = main(order["arguments"])
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def fork(order: Mapping[str, Any]) -> int:
    """The exit status of a fork that runs the kit."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            status = run(order)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def serve() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    for number, line in enumerate(sys.stdin):
        order = json.loads(line)
        answers.write(f"{run(order) if number == 0 else fork(order)}\n")
        if number == 0:
            gc.freeze()  # so that no fork copies what it only looks through for garbage


if __name__ == "__main__":
    serve()
