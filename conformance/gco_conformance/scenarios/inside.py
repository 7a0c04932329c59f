"""The part of `gco-conformance faults --scenario` that runs inside the sealed network."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gco_conformance.errors import KitError
from gco_conformance.scenarios.file import read
from gco_conformance.scenarios.player import Played
from gco_conformance.scenarios.report import report, scenario
from gco_conformance.scenarios.run import play_all
from gco_conformance.scenarios.text import lines, summary
from gco_conformance.simulation.under_test import aggregator

INTERRUPTED = "interrupted: the report holds what had been played until then"


def main(arguments: Sequence[str]) -> int:
    """Play scenarios and tell how they came out; the one argument is a JSON object of what was asked for."""
    (text,) = arguments
    asked = json.loads(text)
    said = own_output()
    scenarios = [read(Path(file)) for file in asked["scenarios"]]
    played: list[Played] = []
    errors: list[str] = []

    def told(each: Played) -> None:
        played.append(each)
        said(*lines(each))

    began = time.monotonic()
    try:
        with aggregator(asked["aggregator"]) as (stages, _):
            play_all(scenarios, stages, jobs=asked["jobs"], told=told)
    except KeyboardInterrupt:
        errors.append(INTERRUPTED)
    except KitError:
        raise
    except Exception as error:
        errors.append(broken(error))
    seconds = time.monotonic() - began
    found = summary(each.outcome for each in played)
    told_of = [scenario(each) for each in played]
    content = report(asked["aggregator"], seconds=seconds, errors=errors, scenarios=told_of)
    write(asked["report_json"], content)
    tell_errors(content)
    said(f"{found or 'nothing played'} in {seconds:.1f} s")
    return int(content["exit_status"])


def broken(error: Exception) -> str:
    """What is told when the kit itself has gone wrong: nothing is known about the aggregator then."""
    return f"the kit broke: {type(error).__name__}: {error}"


def write(file: str, content: dict[str, Any]) -> None:
    """Write a report, where one is wanted; whoever reads the file meanwhile never sees half of it."""
    if file:
        draft = Path(f"{file}.draft")
        draft.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        draft.replace(file)


def tell_errors(content: dict[str, Any]) -> None:
    """Tell of what went wrong besides what was played."""
    for error in content["errors"]:
        print(f"gco-conformance: {error}", file=sys.stderr)


def own_output() -> Callable[..., None]:
    """What writes lines to standard output, where nothing else goes from now on. SIGTERM then interrupts, too.

    A reader that has seen enough, such as `head`, is no reason to stop.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    output = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def say(*told: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            output.write("\n".join((*told, "")))

    return say
