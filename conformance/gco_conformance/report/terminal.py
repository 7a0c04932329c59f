"""The report on a terminal: a progress line while checks run, and the final text in colour."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.segment import Segment, Segments
from rich.style import Style
from rich.table import Column

from gco_conformance.report.model import CheckResult, Outcome, Report
from gco_conformance.report.text import Line, Role, Span, report_lines

_STYLES: Final[Mapping[Role, Style]] = MappingProxyType(
    {
        "plain": Style(),
        "quiet": Style(dim=True),
        "strong": Style(bold=True),
        "good": Style(bold=True, color="green"),
        "bad": Style(bold=True, color="red"),
        "expected": Style(color="green"),
        "actual": Style(color="red"),
    }
)


class _Console(Console):
    """A reader that leaves (`| head`) doesn't change the exit status."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def terminal_console(stream: TextIO | None = None) -> Console:
    """A console on `stream`, or on standard output. It heeds NO_COLOR, FORCE_COLOR and COLUMNS."""
    return _Console(file=stream or sys.stdout)


def render(report: Report, console: Console) -> None:
    """Print the final text: failures first, the verdict last."""
    for line in report_lines(report, console.width, console.encoding):
        _print(line, console)


class LiveView:
    """How far a run is, on a terminal. Elsewhere it prints nothing.

    `advance` may be called from any thread, `finish` more than once.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._task = TaskID(0)
        self._counts = {Outcome.FAILED: 0, Outcome.ERROR: 0}

    def start(self, total: int, header: str) -> None:
        """Begin with the number of checks to come, and a line that says what runs."""
        # FORCE_COLOR makes rich take a log file for a terminal, and a progress line would fill it.
        if not (self._console.is_interactive and self._console.file.isatty()):
            return
        _print((Span(header),), self._console)
        self._progress = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[trouble]}", style="bold red", markup=False),
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            console=self._console,
            expand=True,
            transient=True,
            # The suite captures these streams itself, and would put rich's stand-ins back after the run.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=total, trouble="")
        self._progress.start()

    def advance(self, check: CheckResult) -> None:
        """Count a check that has ended."""
        if self._progress is None:
            return
        with self._lock:
            if check.outcome in self._counts:
                self._counts[check.outcome] += 1
            trouble = ", ".join(f"{count} {outcome}" for outcome, count in self._counts.items() if count)
            self._progress.update(self._task, advance=1, description=check.requirement, trouble=trouble)

    def finish(self) -> None:
        """Take the progress line away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _print(line: Line, console: Console) -> None:
    # Segments bypass markup, emoji, highlighting, folding and tab stops: text stays what it was.
    segments = [Segment(_encodable(span.text, console.encoding), _STYLES[span.role]) for span in line]
    console.print(Segments([*segments, Segment.line()]), soft_wrap=True, end="")


def _encodable(text: str, encoding: str) -> str:
    return text.encode(encoding, "backslashreplace").decode(encoding)
