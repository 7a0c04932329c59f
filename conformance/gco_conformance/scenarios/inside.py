"""The part of `gco-conformance faults --scenario` that runs inside the sealed network."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from gco_conformance.scenarios.file import read
from gco_conformance.scenarios.player import Played
from gco_conformance.scenarios.report import exit_status, report, scenario
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
        print("\n".join(lines(each)), file=said, flush=True)

    began = time.monotonic()
    try:
        with aggregator(asked["aggregator"]) as (stages, _):
            play_all(scenarios, stages, jobs=asked["jobs"], told=told)
    except KeyboardInterrupt:
        errors.append(INTERRUPTED)
    seconds = time.monotonic() - began
    found = summary(each.outcome for each in played)
    print(f"{found or 'nothing played'} in {seconds:.1f} s", file=said, flush=True)
    for error in errors:
        print(f"gco-conformance: {error}", file=sys.stderr)
    if asked["report_json"]:
        told_of = [scenario(each) for each in played]
        content = report(asked["aggregator"], seconds=seconds, errors=errors, scenarios=told_of)
        Path(asked["report_json"]).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return exit_status([each.outcome for each in played], errors)


def own_output() -> TextIO:
    """Standard output, which from now on nobody else writes to; and SIGTERM interrupts as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    said = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return said
