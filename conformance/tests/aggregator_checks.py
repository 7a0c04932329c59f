"""Inside the sealed network: runs checks on one copy of the reference aggregator after the other.

A line on standard input is a JSON object with the copy's `folder`, the `requirements` of which every check is to
run, `share` and `turn`, by which every so-manieth of the other checks runs, whether checks run that `wait`, and
whether one failure of a requirement is `enough`.
The answer is a line, too: for each requirement that was checked its checks that didn't pass, as outcome and text.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import pytest

from gco_conformance.adapters.child import Program
from gco_conformance.adapters.function_python import PythonFunction
from gco_conformance.evidence import stage
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.extras import missing
from gco_conformance.report.outcome import Outcome
from gco_conformance.simulation.network import Network, sealed_network, unsealed_network
from gco_conformance.suite.ahead import Ahead
from gco_conformance.suite.inside import collect, no_other_host
from gco_conformance.suite.items import needs, waits
from gco_conformance.suite.results import check_id, requirement_of

MakeNetwork = Callable[[], AbstractContextManager[Network]]

HANDLER = "gco_reference.aggregator.invocation"
HOST = Path(__file__).parent / "implementations" / "importing_host.py"
START = 60.0
AT_ONCE = 8
"""Checks at the same time: what they do themselves is little."""


def main(_: Sequence[str]) -> int:
    """Called inside the namespaces."""
    return check(sealed_network)


def unsealed() -> int:
    """Called outside."""
    return check(unsealed_network)


def check(make_network: MakeNetwork) -> int:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    stage.TIME_LIMIT = 28.0  # an answer after the contract's 25 s is late however long it takes
    return collect(Checks(answers, make_network))


class Checks:
    """A pytest plugin that takes orders instead of running what was collected."""

    def __init__(self, answers: TextIO, make_network: MakeNetwork) -> None:
        self._answers = answers
        self._make_network = make_network

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        with self._make_network() as network:
            for line in sys.stdin:
                found = judged(json.loads(line), session.items, network)
                self._answers.write(json.dumps(found) + "\n")
        return True


class ImportedFunction(PythonFunction):
    """The handler of a copy, imported before its instances are forked."""

    def __init__(self, folder: Path, trust: Mapping[str, str]) -> None:
        super().__init__(HANDLER, "handler", timeout=START, cwd=folder)
        self._trust = trust

    def _program(self) -> Program:
        program = super()._program()
        python, option, _, *rest = program.argv
        environment = {**program.environment, **self._trust}
        return replace(program, argv=(python, option, str(HOST), *rest), environment=environment)


def judged(
    order: Mapping[str, Any], items: Sequence[pytest.Item], network: Network
) -> dict[str, list[tuple[str, str]]]:
    chosen = list(wanted(order, items))
    found: dict[str, list[tuple[str, str]]] = {requirement_of(item): [] for item in chosen}
    function = ImportedFunction(Path(order["folder"]), network.trust)
    mark = network.mark()
    try:
        function.start()
        patient = sum(waits(item) for item in chosen)
        ahead = Ahead(AT_ONCE + patient, set() if order["enough"] else None)
        ahead.start(sorted(chosen, key=waits, reverse=True), {"stages": network.stages(function, seed=0)})
        for item in chosen:
            finished = ahead.result(item)
            if finished is not None and finished.error is not None:
                found[requirement_of(item)].append((outcome(finished.error), said(item, finished.error)))
        ahead.stop()
    finally:
        function.close()
    other = no_other_host(network.strays(since=mark))
    if other.outcome is Outcome.FAILED:
        found.setdefault(other.requirement, []).append((other.outcome.value, f"{other.id}: {other.actual}"))
    return found


def wanted(order: Mapping[str, Any], items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """All checks of the order's requirements, and its share of the others, as far as they can judge here."""
    able = [item for item in items if not needs(item) or not missing(needs(item))]
    there = [item for item in able if order["wait"] or not waits(item)]
    others = [item for item in there if requirement_of(item) not in order["requirements"]]
    share = set(others[order["turn"] % order["share"] :: order["share"]])
    return (item for item in there if item in share or requirement_of(item) in order["requirements"])


def outcome(error: BaseException) -> str:
    if isinstance(error, NotTested):
        return Outcome.NOT_TESTED.value
    return (Outcome.FAILED if isinstance(error, Violation) else Outcome.ERROR).value


def said(item: pytest.Item, error: BaseException) -> str:
    if isinstance(error, (NotTested, Violation)):
        return f"{check_id(item)}: {error} {getattr(error, 'actual', '') or ''}"
    return f"{check_id(item)}: {''.join(traceback.format_exception(error))}"
