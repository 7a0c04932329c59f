"""One run of the suite, as a pytest plugin: it selects checks, runs them ahead and keeps their results."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters import spec
from gco_conformance.adapters.answer import StartError
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.report.json_writer import to_json
from gco_conformance.report.junit import to_junit
from gco_conformance.report.model import CheckResult, Report
from gco_conformance.report.outcome import Outcome
from gco_conformance.report.verdicts import conclusion
from gco_conformance.suite.ahead import Ahead
from gco_conformance.suite.results import assemble, check_result, not_run, requirement_of
from gco_conformance.suite.settings import Settings

ATTRIBUTE = "gco_conformance_check"
"""Where a test report carries its check's result, also from a worker process of pytest-xdist."""

Listener = Callable[[CheckResult], None]


class Conformance:
    """A run with its settings. `report` is complete when the pytest session has finished.

    Raises `UsageError` when the settings name no composer that the kit knows how to ask.
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
        self._ahead = Ahead(settings.jobs)
        self._composer = spec.parse(
            settings.implementation.composer or "", jobs=settings.jobs, timeout=settings.timeout
        )
        self._subject: Subject | None = None
        self._workspace: Path | None = None
        self._lock = threading.Lock()

    def subject(self) -> Subject:
        """The composer under test, started. Raises `StartError`."""
        with self._lock:
            if self._subject is None:
                self._composer.start()
                self._workspace = Path(tempfile.mkdtemp(prefix="gco-conformance-"))
                self._subject = Subject(self._composer, self._workspace, self.settings.seed)
            return self._subject

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        wanted = {requirement.id for requirement in self.settings.requirements}
        wanted -= self.settings.unsupported.keys()
        selected = [item for item in items if requirement_of(item) in wanted]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(selected)])
        items[:] = self.selected = selected

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        # A worker of pytest-xdist isn't told ahead which items will be its own.
        is_worker = hasattr(session.config, "workerinput")
        if is_worker or not session.items or session.config.option.collectonly:
            return None
        try:
            subject = self.subject()
        except StartError as error:
            self.start_error = error
            self._errors.append(str(error))
            return True
        self._ahead.start(session.items, {"composer": subject})
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
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

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "call" or call.excinfo is not None:
            error = call.excinfo.value if call.excinfo else None
            result = check_result(item, self.settings, error, item.stash.get(SECONDS, call.duration))
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
        seconds = time.monotonic() - self._began
        self.report = assemble(
            self.settings,
            self._composer.identity,
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

    def pytest_unconfigure(self) -> None:
        self._ahead.stop()
        self._composer.close()
        if self._workspace is not None:
            shutil.rmtree(self._workspace, ignore_errors=True)


SECONDS = pytest.StashKey[float]()
