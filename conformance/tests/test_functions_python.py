"""A Python handler is imported afresh in a process of its own for each cold start."""

from __future__ import annotations

from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.function_python import PythonFunction

from .implementations.processes import wait_until_gone

HANDLING = Path(__file__).parent / "implementations" / "handling.py"


@pytest.fixture
def clock_file(tmp_path: Path) -> Path:
    file = tmp_path / "clock"
    file.write_text("+0.000000\n")
    return file


def test_it_says_what_it_is() -> None:
    function = PythonFunction("app", "handler", timeout=1, cwd=Path.cwd())
    assert (function.door, function.moves_time, function.starts_cold) == ("python", "", "")
    assert function.identity == Identity(language="Python")
    function.close()


def test_a_handler_of_a_module_sees_nothing_but_what_lambda_sets(tmp_path: Path, clock_file: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "app.py").write_text(
        "import os\ndef handler(event, context): return dict(os.environ)\n"
    )
    function = PythonFunction("package.app", "handler", timeout=20, cwd=tmp_path)
    function.start()
    told = function.cold({"PROJECT_NAME": "gco"}, clock_file).invoke({}).payload
    function.close()
    ours = {"PROJECT_NAME", "PATH", "LANG", "TZ", "HOME", "TMPDIR", "LAMBDA_TASK_ROOT"}
    regions = {"AWS_REGION", "AWS_DEFAULT_REGION"}
    assert {name for name in told if not name.startswith("AWS_LAMBDA_")} == ours | regions
    assert told["LAMBDA_TASK_ROOT"] == str(tmp_path)
    assert not list(tmp_path.rglob("__pycache__"))


LEAVING = """
import os, signal, time

def handler(event, context):
    if event["do"] == "kill the parent":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    read, write = os.pipe()
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.write(write, str(os.getpid()).encode())
            time.sleep(60)
        os._exit(0)
    return int(os.read(read, 100))
"""


def test_a_daemon_ends_with_the_function_at_the_latest(tmp_path: Path, clock_file: Path) -> None:
    (tmp_path / "app.py").write_text(LEAVING)
    function = PythonFunction("app.py", "handler", timeout=20, cwd=tmp_path)
    function.start()
    daemon = function.cold({}, clock_file).invoke({"do": "leave a daemon"}).payload
    function.close()
    wait_until_gone(daemon)


def test_without_its_host_everything_ends(tmp_path: Path, clock_file: Path) -> None:
    (tmp_path / "app.py").write_text(LEAVING)
    function = PythonFunction("app.py", "handler", timeout=20, cwd=tmp_path)
    function.start()
    other = function.cold({}, clock_file)
    assert function.cold({}, clock_file).invoke({"do": "kill the parent"}).ending is Ending.DIED
    with pytest.raises(StartError, match="the process that forks instances"):
        function.cold({}, clock_file)
    assert other.invoke({}).ending is Ending.DIED
    function.close()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("absent.py", "there is no file absent.py"),
        ("absent_module.app", "python:absent_module.app:handler: there is no module absent_module.app"),
    ],
)
def test_a_handler_that_isnt_there_cant_be_started(target: str, message: str, tmp_path: Path) -> None:
    function = PythonFunction(target, "handler", timeout=20, cwd=tmp_path)
    with pytest.raises(StartError, match=message):
        function.start()
    function.close()


def test_a_handler_that_the_module_hasnt_is_an_error_of_the_first_invocation(clock_file: Path) -> None:
    function = PythonFunction(str(HANDLING), "missing", timeout=20, cwd=Path.cwd())
    function.start()
    invocation = function.cold({}, clock_file).invoke({})
    function.close()
    assert invocation.ending is Ending.EXITED
    assert invocation.error.endswith("handling.py has no function 'missing'")
