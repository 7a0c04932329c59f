"""One run of the suite, as a pytest plugin: it selects checks, runs them ahead and keeps their results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters import spec
from gco_conformance.adapters.answer import Identity, StartError
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.extras import missing
from gco_conformance.report.json_writer import to_json
from gco_conformance.report.junit import to_junit
from gco_conformance.report.model import CheckResult, Report
from gco_conformance.report.outcome import Outcome
from gco_conformance.report.verdicts import conclusion
from gco_conformance.requirements import COMPONENTS
from gco_conformance.sealed.namespaces import available
from gco_conformance.suite.ahead import Ahead
from gco_conformance.suite.results import assemble, check_result, not_run, requirement_of
from gco_conformance.suite.sealed_part import SealedPart
from gco_conformance.suite.settings import Settings, runs_unsealed
from gco_conformance.suite.workspace import Workspace

ATTRIBUTE = "gco_conformance_check"
"""Where a test report carries its check's result, also from a worker process of pytest-xdist."""

SUITE = Path(__file__).parent
"""Where the checks are, those of each component in a directory of its name."""

Listener = Callable[[CheckResult], None]


class Conformance:
    """A run with its settings. `report` is complete when the pytest session has finished.

    Raises `UsageError` when the settings name an implementation that the kit doesn't know how to ask.
    """

    def __init__(self, settings: Settings, listener: Listener | None = None) -> None:
        self.settings = settings
        self.report: Report | None = None
        self.start_error: StartError | None = None
        self.selected: list[pytest.Item] = []
        self._listener = listener
        self._started = datetime.now(UTC)
        self._began = time.monotonic()
        self._results: dict[str, CheckResult] = {}
        self._errors: list[str] = []
        self._ahead = Ahead(settings.jobs, set() if settings.fail_fast else None)
        named = settings.implementation
        self._composer = (
            None
            if named.composer is None
            else spec.parse(named.composer, jobs=settings.jobs, timeout=settings.timeout)
        )
        if named.aggregator is not None:
            # Only looked at here; the sealed part makes its own.
            spec.parse_aggregator(named.aggregator, timeout=settings.timeout)
        self._sealed: SealedPart | None = None
        self._unsealed = ""
        self._subject: Subject | None = None
        self._workspace: Workspace | None = None
        self._lock = threading.Lock()

    def subject(self) -> Subject:
        """The composer under test, started. Raises `StartError`."""
        with self._lock:
            if self._subject is None:
                if self._composer is None:
                    raise StartError("there is no composer under test")
                self._composer.start()
                settings = self.settings
                self._subject = Subject(self._composer, self._files(), settings.seed, settings.examples)
            return self._subject

    def _files(self) -> Path:
        """Where the run keeps its files."""
        if self._workspace is None:
            self._workspace = Workspace()
        return self._workspace.folder

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        # What checks a component that isn't asked for takes as long to collect as what checks one that is.
        is_component = collection_path.parent == SUITE and collection_path.name in COMPONENTS
        return True if is_component and collection_path.name not in self._components() else None

    def _components(self) -> set[str]:
        """The components that there are and that are asked for."""
        there = {name for name in COMPONENTS if getattr(self.settings.implementation, name) is not None}
        return there & {requirement.component for requirement in self.settings.requirements}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        components = self._components()
        wanted = {entry.id for entry in self.settings.requirements if entry.component in components}
        wanted -= self.settings.unsupported.keys()
        selected = [item for item in items if requirement_of(item) in wanted]
        deselected = set(items) - set(selected)
        config.hook.pytest_deselected(items=[item for item in items if item in deselected])
        items[:] = self.selected = selected

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        # A worker of pytest-xdist isn't told ahead which items will be its own.
        is_worker = hasattr(session.config, "workerinput")
        if is_worker or not session.items or session.config.option.collectonly:
            return None
        sealed = [item for item in session.items if takes(item, "stages")]
        if sealed:
            self._unsealed = missing("aggregator") or self._why_unsealed()
            if not self._unsealed:
                self._sealed = SealedPart(self.settings, sealed)
        own = [item for item in session.items if takes(item, "composer")]
        if own:
            try:
                subject = self.subject()
            except StartError as error:
                self.start_error = error
                self._errors.append(str(error))
                return True
            self._ahead.start(own, {"composer": subject})
        return None

    def _why_unsealed(self) -> str:
        """Why aggregators can't be checked here, and what else can be done; empty where they can."""
        reason = "" if self.settings.unsealed else available()
        offered = reason and runs_unsealed(self.settings.implementation.aggregator)
        return f"{reason}; --unsealed checks a Python handler without" if offered else reason

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        if takes(pyfuncitem, "stages"):
            self._take_from_sealed_part(pyfuncitem)
            return True
        finished = self._ahead.result(pyfuncitem)
        if finished is None:
            return None
        pyfuncitem.stash[SECONDS] = finished.seconds
        if isinstance(finished.error, (NotTested, Violation)):
            # They say all that there is to say; pytest would take long to render where in the kit they arose.
            raise finished.error.with_traceback(None)
        if finished.error is not None:
            raise finished.error
        return True

    def _take_from_sealed_part(self, item: pytest.Item) -> None:
        """Make of a result that came from inside what pytest would have made of it outside."""
        if self._sealed is None:
            raise NotTested(self._unsealed or "needs a run of its own, without workers")
        result = self._sealed.result(item)
        if result is None:
            raise SealedPartEnded(self._sealed.last_words())
        item.stash[RESULT] = result
        if result.outcome is Outcome.FAILED:
            raise Violation(result.message, expected=result.expected, actual=result.actual)
        if result.outcome is Outcome.NOT_TESTED:
            raise NotTested(result.message)
        if result.outcome is not Outcome.PASSED:
            raise SealedPartEnded(result.message)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "call" or call.excinfo is not None:
            error = call.excinfo.value if call.excinfo else None
            seconds = item.stash.get(SECONDS, call.duration)
            result = item.stash.get(RESULT, None) or check_result(item, self.settings, error, seconds)
            setattr(report, ATTRIBUTE, {**result.__dict__, "outcome": result.outcome.value})
            if isinstance(error, NotTested):
                report.outcome = "skipped"
                report.longrepr = (str(item.path), item.location[1] or 0, f"not tested: {error}")
            elif report.failed and result.requirement in self.settings.known_failures:
                report.outcome = "skipped"
                report.wasxfail = self.settings.known_failures[result.requirement].reason
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = getattr(report, ATTRIBUTE, None)
        if data is None:
            return
        result = CheckResult(**{**data, "outcome": Outcome(data["outcome"])})
        self._results[report.nodeid] = result
        if self._listener is not None:
            self._listener(result)

    def pytest_keyboard_interrupt(self) -> None:
        self._errors.append("interrupted: the report holds what had been checked until then")

    def pytest_internalerror(self, excrepr: object) -> None:
        self._errors.append(f"the kit broke: {str(excrepr).strip().splitlines()[-1]}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._errors.append(f"the kit broke: {report.nodeid}: {report.longreprtext.splitlines()[-1]}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput") or session.config.option.collectonly:
            return
        reason = self._errors[-1] if self._errors else "not run"
        for item in self.selected:
            self._results.setdefault(item.nodeid, not_run(item, self.settings, reason))
        self._end_sealed_part()
        seconds = time.monotonic() - self._began
        self.report = assemble(
            self.settings,
            self._identity(),
            list(self._results.values()),
            tuple(self._errors),
            self._started,
            seconds,
        )
        if self.settings.report_json is not None:
            self.settings.report_json.write_text(to_json(self.report), encoding="utf-8")
        if self.settings.report_junit is not None:
            self.settings.report_junit.write_text(to_junit(self.report), encoding="utf-8")
        session.exitstatus = self.report.exit_status

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.report is not None:
            for error in self.report.errors:
                terminalreporter.write_line(f"gco-conformance: {error}")
            run = self.report.run
            verdict = conclusion(self.report).text
            terminalreporter.write_line(f"gco-conformance: {verdict}; profile {run.profile}, seed {run.seed}")

    def _end_sealed_part(self) -> None:
        if self._sealed is not None:
            if not self._errors:
                self._sealed.wait()
            self._sealed.stop()
            if self._sealed.start_error:
                self.start_error = self.start_error or StartError(self._sealed.start_error)
                self._errors.append(self._sealed.start_error)
            wanted = {requirement.id for requirement in self.settings.requirements}
            self._results.update({r.id: r for r in self._sealed.extra if r.requirement in wanted})

    def _identity(self) -> Identity:
        if self._composer is not None and self._composer.identity.name:
            return self._composer.identity
        return Identity(**self._sealed.identity) if self._sealed else Identity()

    def pytest_unconfigure(self) -> None:
        self._ahead.stop()
        if self._composer is not None:
            self._composer.close()
        if self._sealed is not None:
            self._sealed.stop()
        self._ahead.stop(wait=True)
        if self._workspace is not None:
            self._workspace.close()


class SealedPartEnded(Exception):
    """The process inside the sealed network ended before it had a result. The message is its last line."""


def takes(item: pytest.Item, fixture: str) -> bool:
    """Whether a check works with this fixture."""
    return fixture in getattr(item, "fixturenames", ())


RESULT = pytest.StashKey[CheckResult]()
SECONDS = pytest.StashKey[float]()
