"""Running the suite from the command line, where the report is shown instead of pytest's own output."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from collections.abc import Sequence
from importlib.resources import as_file, files

import pytest

from gco_conformance.errors import KitError
from gco_conformance.report.terminal import LiveView, render, terminal_console
from gco_conformance.suite.conformance import Conformance
from gco_conformance.suite.plugin import NAME
from gco_conformance.suite.settings import read

SUITE = "gco_conformance.suite"


class _Front:
    """Puts the run's plugin in, with a live view, before the suite's plugin would make one without."""

    def __init__(self) -> None:
        self.run: Conformance | None = None
        self.usage: KitError | None = None
        # The report may go into a file or a pipe while a person waits at the terminal.
        self.view = LiveView(terminal_console(sys.stderr))

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        try:
            self.run = Conformance(read(config), self.view.advance)
        except KitError as error:
            self.usage = error
            raise pytest.UsageError(str(error)) from None
        config.pluginmanager.register(self.run, NAME)
        # Nobody sees pytest's own rendering of tracebacks, which costs more than the checks.
        config.option.tbstyle = "native"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self.run is not None:
            implementation = self.run.settings.implementation
            specs = "; ".join(filter(None, (implementation.composer, implementation.aggregator)))
            self.view.start(len(session.items), implementation.name or specs)


def launch(options: Sequence[str]) -> int:
    """Run the suite with pytest's command line options; show the report; return the exit status."""
    front = _Front()
    said = io.StringIO()
    with as_file(files("gco_conformance.suite") / "pytest.ini") as configuration:
        arguments = [
            "--pyargs",
            SUITE,
            "-c",
            str(configuration),
            "--rootdir=.",
            "--capture=no",
            "--disable-plugin-autoload",
            *("-p", "gco_conformance.pytest_plugin"),
            *("-p", "no:cacheprovider"),
            *("-p", "no:terminal"),
            # Each of these does something around every check that nobody sees here.
            *("-p", "no:logging"),
            *("-p", "no:threadexception"),
            *("-p", "no:unraisableexception"),
            *options,
        ]
        # An ended run still writes its report and ends what it started, as after Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with contextlib.redirect_stderr(said):
            status = pytest.main(arguments, plugins=[front])
    front.view.finish()
    if front.usage is not None:
        raise front.usage
    if front.run is None or front.run.report is None:
        raise KitError(f"the run broke: {_error_line(said.getvalue()) or f'pytest ended with {status}'}")
    if front.run.start_error is not None:
        raise front.run.start_error
    render(front.run.report, terminal_console())
    return front.run.report.exit_status


def _error_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or [""])[-1]
