"""The part of a run that happens inside the sealed network: checks of aggregators, in a process of their own.

The process reads what to check from standard input and writes a line of JSON for each check that has ended, so
that the pytest session outside can take up the results as if it had run the checks itself.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from importlib.resources import as_file, files
from typing import Any, TextIO

import pytest

from gco_conformance.adapters.answer import StartError
from gco_conformance.adapters.spec import parse_aggregator
from gco_conformance.evidence.stage import Stages
from gco_conformance.extras import missing
from gco_conformance.report.model import CheckResult
from gco_conformance.report.outcome import Outcome
from gco_conformance.simulation.network import sealed_network, unsealed_network
from gco_conformance.suite.ahead import Ahead
from gco_conformance.suite.items import key, moves_time, needs, waits
from gco_conformance.suite.results import check_result, requirement_of
from gco_conformance.suite.settings import Settings

SUITE = "gco_conformance.suite.aggregator"
TARGET = "aggregator.request.target"
UNGUARDED = CheckResult(
    id="unsealed/native-code",
    requirement=TARGET,
    outcome=Outcome.NOT_TESTED,
    message="the run was unsealed: whom native code and started programs reached isn't known",
)
WAITING_PER_JOB = 4
"""Checks at the same time for each job: nearly all that they do is wait."""


def main(_: Sequence[str]) -> int:
    """Run the checks that standard input tells of. Called inside the namespaces."""
    settings, wanted = pickle.load(sys.stdin.buffer)
    # What checks and servers print must not get between the lines of the results.
    results = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return collect(Inside(settings, frozenset(wanted), results))


def collect(plugin: object) -> int:
    """Have pytest collect the checks for a plugin, which runs them; return pytest's exit status."""
    with as_file(files("gco_conformance.suite") / "pytest.ini") as configuration:
        options = ["-c", str(configuration), "--rootdir=.", "--disable-plugin-autoload", "--capture=no"]
        plugins = ["-p", "no:cacheprovider", "-p", "no:terminal"]
        return int(pytest.main(["--pyargs", SUITE, *options, *plugins], plugins=[_Markers(), plugin]))


class _Markers:
    """A pytest plugin: the marks that checks have."""

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line(
            "markers", "requirement(id, waits=False, moves_time=False, needs=''): what a check judges"
        )


class Inside:
    """A pytest plugin: runs the wanted items against the aggregator under test and tells their results."""

    def __init__(self, settings: Settings, wanted: frozenset[str], results: TextIO) -> None:
        self._settings = settings
        self._wanted = wanted
        self._results = results

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if key(item) in self._wanted]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        settings = self._settings
        waiting = [item for item in session.items if waits(item) or (settings.real_time and moves_time(item))]
        others = [item for item in session.items if item not in waiting]
        failed: set[str] | None = set() if settings.fail_fast else None
        at_once = len({requirement_of(item) for item in waiting}) if settings.fail_fast else len(waiting)
        patient = Ahead(max(1, at_once), failed)
        ahead = Ahead(settings.jobs * WAITING_PER_JOB if settings.jobs > 1 else 1, failed)
        with ExitStack() as stack:
            try:
                stages, strays = stack.enter_context(_stages(settings, {needs(item) for item in session.items}))
            except StartError as error:
                self._tell({"start_error": str(error)})
                return True
            # What only waits costs nothing: it begins first, all of it, and is over by the time that the rest is.
            for threads, items in ((patient, waiting), (ahead, others)):
                stack.callback(threads.stop)
                threads.start(items, {"stages": stages})
            for item in (*others, *waiting):
                finished = ahead.result(item) or patient.result(item)
                if finished is not None:
                    self._tell_result(key(item), check_result(item, settings, finished.error, finished.seconds))
            self._tell({"identity": stages.function.identity.__dict__})
            self._tell_result("", no_other_host(strays(), stages.patience.lost))
            if settings.unsealed:
                self._tell_result("", UNGUARDED)
        return True

    def _tell_result(self, name: str, result: CheckResult) -> None:
        self._tell({"key": name, "result": {**result.__dict__, "outcome": result.outcome.value}})

    def _tell(self, message: dict[str, Any]) -> None:
        self._results.write(json.dumps(message) + "\n")
        self._results.flush()


@contextmanager
def _stages(settings: Settings, needed: Set[str]) -> Iterator[tuple[Stages, Callable[[], list[str]]]]:
    """The network with AWS in it, sealed unless told otherwise, and the aggregator. Raises `StartError`.

    What is `needed` of the distribution's optional parts, and takes long to import, is imported meanwhile.
    """
    from gco_conformance.suite.described import document
    from gco_conformance.world.moto import Moto

    with ExitStack() as stack:
        moto = Moto()
        starting = [threading.Thread(target=moto.start, name="moto", daemon=True)]
        if document.EXTRA in needed and not missing(document.EXTRA):
            starting.append(threading.Thread(target=document.prepare, name="document", daemon=True))
        for thread in starting:
            thread.start()
        function = parse_aggregator(settings.implementation.aggregator or "", timeout=max(settings.timeout, 30.0))
        function.start()
        stack.callback(function.close)
        network = stack.enter_context((unsealed_network if settings.unsealed else sealed_network)(moto))
        # Nothing is timed while a processor is busy with that.
        for thread in starting:
            thread.join()
        yield network.stages(function, settings.seed, real_time=settings.real_time), network.strays


def no_other_host(strays: list[str], lost: str = "") -> CheckResult:
    """The check that is made once at the end: nobody but AWS and the regions was looked for, in all the run.

    Of an aggregator that was `lost` before it did anything, that shows nothing.
    """
    good = Outcome.NOT_TESTED if lost else Outcome.PASSED
    return CheckResult(
        id="sealed-network/no-other-host",
        requirement=TARGET,
        outcome=Outcome.FAILED if strays else good,
        message="other hosts were looked for" if strays else lost,
        expected="look-ups of CloudFormation and of the regional APIs only" if strays else None,
        actual=", ".join(strays) or None,
        why="An aggregator that talks to anyone else, within a request or beside it, leaks what it knows.",
    )
