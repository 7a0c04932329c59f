"""The kit, run on copies of the reference with planted faults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gco_fixtures.planting import PACKAGE

from .sealed_run import REEXECUTE, caller

SERVER = Path(__file__).with_name("kit_server.py")
MEMORY = Path("/dev/shm")
UNSEALED = os.environ.get("GCO_UNSEALED") == "1"
"""Whether aggregators are checked without a sealed network, where they must fare as they do in one."""
OUTSIDE = "import sys, aggregator_checks; sys.exit(aggregator_checks.unsealed())"


@dataclass(frozen=True)
class Verdicts:
    """What a report says: the version that answered, and for each requirement its outcome and failed checks."""

    version: str
    outcomes: dict[str, str]
    failures: dict[str, list[str]]


class Kit:
    """A process that runs the kit for each order."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def verdicts(self, folder: Path, requirements: Iterable[str], *, enough: bool) -> Verdicts:
        """Run the checks of `requirements` on the package that `plant` put into `folder`, and read the report.

        Where that is `enough`, a requirement's checks end with its first failure.
        """
        report, output = folder / "report.json", folder / "output.txt"
        # -P keeps the current directory, which may have a package of this name, out of the way.
        composer = f"stdio:{sys.executable} -P -m {PACKAGE} serve"
        chosen = [f"--requirement={id}" for id in requirements]
        order = {
            # What using a composed document shows has tests of its own, and would take longer than all the rest.
            "arguments": [
                "run",
                "--composer",
                composer,
                "--jobs=2",
                "--examples=0",
                f"--report-json={report}",
                *(["--fail-fast"] if enough else []),
                *chosen,
            ],
            "environment": {"PYTHONPATH": os.pathsep.join([str(folder), *_python_path()]), **_scratch()},
            "output": str(output),
        }
        _input(self._process.stdin).write(json.dumps(order) + "\n")
        _input(self._process.stdin).flush()
        status = _input(self._process.stdout).readline().strip()
        assert status in ("0", "1"), f"exit status {status}: {output.read_text('utf-8')}"
        return _read(json.loads(report.read_text("utf-8")))


@contextmanager
def running_kit() -> Iterator[Kit]:
    """A kit that takes orders, until the end of the block."""
    with subprocess.Popen(
        [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Kit(process)


class Sealed:
    """A process in the sealed network that runs checks of aggregators for each order."""

    def __init__(self, process: subprocess.Popen[str], printed: IO[str]) -> None:
        self._process = process
        self._printed = printed

    def checked(
        self, folder: Path, requirements: Iterable[str], *, share: int, turn: int, wait: bool, enough: bool
    ) -> dict[str, list[tuple[str, str]]]:
        """Check the package that `plant` put into `folder`; see `aggregator_checks`."""
        order = {
            "folder": str(folder),
            "requirements": sorted(requirements),
            "share": share,
            "turn": turn,
            "wait": wait,
            "enough": enough,
        }
        _input(self._process.stdin).write(json.dumps(order) + "\n")
        _input(self._process.stdin).flush()
        line = _input(self._process.stdout).readline()
        self._printed.seek(0)
        assert line, f"the process has ended: {self._printed.read()}"
        found: dict[str, list[tuple[str, str]]] = json.loads(line)
        return found


@contextmanager
def sealed_checks() -> Iterator[Sealed]:
    """A process that takes orders, until the end of the block."""
    code = OUTSIDE if UNSEALED else REEXECUTE
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as printed,
        caller("aggregator_checks:main", stderr=printed, code=code) as process,
    ):
        yield Sealed(process, printed)


def _read(report: dict[str, Any]) -> Verdicts:
    return Verdicts(
        version=report["implementation"]["version"],
        outcomes={entry["id"]: entry["outcome"] for entry in report["requirements"]},
        failures={
            entry["id"]: [
                f"{check['id']}: {check['message']}" for check in entry["checks"] if check["outcome"] != "passed"
            ]
            for entry in report["requirements"]
        },
    )


def _scratch() -> dict[str, str]:
    """Checkouts lie in memory where there is such a place: on a disk, writing safely takes most of the time."""
    return {"TMPDIR": str(MEMORY)} if os.access(MEMORY, os.W_OK) else {}


def _python_path() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


def _input(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
