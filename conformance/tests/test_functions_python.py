"""A Python handler is imported afresh in a process of its own for each cold start."""

from __future__ import annotations

from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.function_python import PythonFunction

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
