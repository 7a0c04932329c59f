"""Inside the sealed network: runs checks against the global document on one copy of the reference after the other.

A line on standard input is a JSON object with the copy's `folder`, the ids of the `checks` to run, all where it is
empty, and the `seed`. The answer is a line, too: by check id, of those that didn't pass, the outcome, what was
said, and how to see it again.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import pytest

from gco_conformance.evidence.violation import Violation
from gco_conformance.simulation.network import Network, sealed_network
from gco_conformance.suite.ahead import Ahead
from gco_conformance.suite.inside import collect
from gco_conformance.suite.items import needs
from gco_conformance.suite.results import check_id

from .aggregator_checks import ImportedFunction, outcome, said

AT_ONCE = 4


def main(_: Sequence[str]) -> int:
    """Called inside the namespaces."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return collect(DocumentChecks(answers))


class DocumentChecks:
    """A pytest plugin that takes orders instead of running what was collected."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [item for item in session.items if needs(item) == "schemathesis"]
        with sealed_network() as network:
            for line in sys.stdin:
                self._answers.write(json.dumps(judged(json.loads(line), items, network)) + "\n")
        return True


def judged(
    order: Mapping[str, Any], items: Sequence[pytest.Item], network: Network
) -> dict[str, tuple[str, str, str]]:
    chosen = [item for item in items if not order["checks"] or check_id(item) in order["checks"]]
    function = ImportedFunction(Path(order["folder"]), network.trust)
    found = {}
    try:
        function.start()
        ahead = Ahead(AT_ONCE)
        ahead.start(chosen, {"stages": network.stages(function, seed=order["seed"])})
        for item in chosen:
            finished = ahead.result(item)
            assert finished is not None
            error = finished.error
            if error is not None:
                seen = error.observation if isinstance(error, Violation) else None
                again = seen.reproduction if seen is not None else ""
                text = f"{said(item, error)} {getattr(error, 'expected', None) or ''}"
                found[check_id(item)] = (outcome(error), text, again)
        ahead.stop()
    finally:
        function.close()
    return found
