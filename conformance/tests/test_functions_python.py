"""A Python handler is imported afresh in a process of its own for each cold start."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.function import Instance
from gco_conformance.adapters.function_python import PythonFunction

from .implementations.processes import is_running, wait_for_pids, wait_until_gone

HANDLING = Path(__file__).parent / "implementations" / "handling.py"

Cold = Callable[..., Instance]


@pytest.fixture
def clock_file(tmp_path: Path) -> Path:
    file = tmp_path / "clock"
    file.write_text("+0.000000\n")
    return file


@pytest.fixture(scope="module")
def function() -> Iterator[PythonFunction]:
    """A handler that does what its event says."""
    function = PythonFunction(str(HANDLING), "does", timeout=20, cwd=Path.cwd())
    function.start()
    yield function
    function.close()


@pytest.fixture
def cold(function: PythonFunction, clock_file: Path) -> Iterator[Cold]:
    """Starts an instance, and ends it with the test."""
    instances: list[Instance] = []

    def start(**environment: str) -> Instance:
        instances.append(function.cold(environment, clock_file))
        return instances[-1]

    yield start
    for instance in instances:
        instance.close()


def test_it_says_what_it_is() -> None:
    function = PythonFunction("app", "handler", timeout=1, cwd=Path.cwd())
    assert (function.door, function.moves_time, function.starts_cold) == ("python", "", "")
    assert function.identity == Identity(language="Python")
    function.close()


def test_an_event_is_handed_over_and_answered(cold: Cold) -> None:
    instance = cold()
    event = {"do": "echoes", "path": "/é\ud800", "query": None, "list": [1, 2.5, True]}
    invocation = instance.invoke(event)
    assert (invocation.ending, invocation.payload, invocation.error) == (Ending.EXITED, event, "")
    assert 0 < invocation.seconds < 5
    assert "echoing {'do'" in instance.log()


def test_what_a_function_keeps_lasts_as_long_as_its_instance(cold: Cold) -> None:
    first, second = cold(), cold()
    assert [one.invoke({"do": "counts"}).payload for one in (first, first, second, first)] == [1, 2, 1, 3]


def test_instances_are_used_from_several_threads(cold: Cold) -> None:
    def life(_: int) -> list[object]:
        instance = cold()
        told = [instance.invoke({"do": "counts"}).payload for _ in range(3)]
        instance.close()
        return told

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(life, range(8))) == [[1, 2, 3]] * 8


def test_the_environment_is_what_was_given_and_what_lambda_sets(
    cold: Cold, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "somebody")
    told = cold(PROJECT_NAME="gco", AWS_REGION="eu-west-1", LANG="C").invoke({"do": "tells_environment"}).payload
    assert told["PROJECT_NAME"] == "gco"
    assert (told["AWS_REGION"], told["AWS_DEFAULT_REGION"], told["LANG"]) == ("eu-west-1", "eu-west-1", "C")
    assert told["LAMBDA_TASK_ROOT"] == str(HANDLING.parent)
    ours = {"PROJECT_NAME", "PATH", "LANG", "TZ", "HOME", "TMPDIR", "LAMBDA_TASK_ROOT", "AWS_REGION"}
    assert {name for name in told if not name.startswith("AWS_LAMBDA_")} == {*ours, "AWS_DEFAULT_REGION"}


def test_a_context_comes_with_the_event(cold: Cold) -> None:
    told = cold(AWS_REGION="eu-west-1").invoke({"do": "tells_context"}, time_limit=20).payload
    assert 15_000 < told.pop("remaining") <= 20_000
    assert len(told.pop("aws_request_id")) == 36
    assert told == {
        "function_name": "global-aggregator",
        "function_version": "$LATEST",
        "memory_limit_in_mb": "512",
        "invoked_function_arn": "arn:aws:lambda:eu-west-1:123456789012:function:global-aggregator",
    }


@pytest.mark.parametrize(
    ("handler", "ending", "error"),
    [
        ("raises", Ending.EXITED, "LookupError: no region found"),
        ("exits", Ending.DIED, "Runtime.ExitError: the process ended with exit status 3 without an answer"),
        ("leaves", Ending.DIED, "Runtime.ExitError: the process ended with exit status 4 without an answer"),
        ("crashes", Ending.DIED, "Runtime.ExitError: the process ended by signal SIGSEGV without an answer"),
        ("babbles", Ending.BABBLED, "printed more than 8 MiB"),
        ("gives_nan", Ending.EXITED, "the answer isn't JSON: NaN is no JSON value"),
        ("gives_bytes", Ending.EXITED, "Runtime.MarshalError: the result isn't JSON: TypeError"),
        ("gives_too_much", Ending.EXITED, "Function.ResponseSizeTooLarge: the answer has 6291658 bytes"),
    ],
)
def test_a_failure_is_told_in_one_line(cold: Cold, handler: str, ending: Ending, error: str) -> None:
    invocation = cold().invoke({"do": handler})
    assert (invocation.ending, invocation.payload) == (ending, None)
    assert invocation.error.startswith(error)
    assert "\n" not in invocation.error


@pytest.mark.parametrize(
    ("at_import", "ending", "error"),
    [
        ("raise", Ending.EXITED, "Runtime.ImportModuleError: importing it failed: RuntimeError: no such table"),
        ("exit", Ending.DIED, "Runtime.ExitError: the process ended with exit status 3 without an answer"),
    ],
)
def test_a_failure_to_begin_is_an_invocation_each_time(
    cold: Cold, at_import: str, ending: Ending, error: str
) -> None:
    instance = cold(AT_IMPORT=at_import)
    for _ in range(2):
        invocation = instance.invoke({"do": "echoes"})
        assert invocation.ending is ending
        assert invocation.error.startswith(error)


def test_an_error_doesnt_end_the_instance(cold: Cold) -> None:
    instance = cold()
    assert instance.invoke({"do": "raises"}).error == instance.invoke({"do": "raises"}).error
    assert instance.invoke({"do": "counts"}).payload == 1
    assert "Traceback" in instance.log()


@pytest.mark.parametrize(("handler", "at_import"), [("hangs", ""), ("echoes", "hang")])
def test_a_function_that_never_answers_is_ended(cold: Cold, handler: str, at_import: str) -> None:
    instance = cold(AT_IMPORT=at_import)
    invocation = instance.invoke({"do": handler}, time_limit=0.2)
    assert (invocation.ending, invocation.payload) == (Ending.HUNG, None)
    assert invocation.seconds >= 0.1
    again = instance.invoke({"do": "echoes"}, time_limit=20)
    assert (again.ending, again.seconds < 1) == (Ending.DIED, True)
    assert again.error.startswith("its process was killed, since an earlier call no answer within")


@pytest.mark.parametrize(("handler", "length"), [("gives_text", 12), ("gives_much", 5 * 2**20)])
def test_an_answer_arrives_whole(cold: Cold, handler: str, length: int) -> None:
    assert len(cold().invoke({"do": handler}).payload) == length


def test_a_decimal_is_a_number(cold: Cold) -> None:
    assert cold().invoke({"do": "gives_decimal"}).payload == {"value": 1.5}


def test_its_clocks_are_moved_between_invocations(cold: Cold, clock_file: Path) -> None:
    instance = cold()
    before = instance.invoke({"do": "tells_time"}).payload
    clock_file.write_text("+3600.500000\n")
    after = instance.invoke({"do": "tells_time"}, time_limit=30).payload
    for name in before.keys() - {"remaining"}:
        assert 3600 <= after[name] - before[name] < 3700, name
    assert 25_000 < after["remaining"] <= 30_000
    assert abs(before["time"] - time.time()) < 60


def test_a_signature_carries_the_moved_time(cold: Cold, clock_file: Path) -> None:
    pytest.importorskip("botocore", reason="signing is botocore's")
    clock_file.write_text("+864000.000000\n")
    dates = {time.strftime("%Y%m%dT", time.gmtime(time.time() + ahead)) for ahead in (864_000, 864_060)}
    assert cold().invoke({"do": "signs"}).payload[:9] in dates


def test_waiting_takes_real_time_whatever_the_clock_says(cold: Cold, clock_file: Path) -> None:
    clock_file.write_text("+3600.000000\n")
    assert cold().invoke({"do": "waits"}, time_limit=20).payload == [True]


@pytest.mark.parametrize("then", ["close", "crash"])
def test_nothing_that_it_started_outlives_it(cold: Cold, tmp_path: Path, then: str) -> None:
    instance = cold()
    instance.invoke({"do": "starts_processes", "pids": str(tmp_path / "pids"), "then": then})
    pids = wait_for_pids(tmp_path / "pids")
    instance.close()
    wait_until_gone(*pids)


def test_a_function_takes_its_instances_and_its_files_with_it(clock_file: Path, tmp_path: Path) -> None:
    function = PythonFunction(str(HANDLING), "does", timeout=20, cwd=tmp_path)
    function.start()
    instance = function.cold({}, clock_file)
    home = instance.invoke({"do": "tells_environment"}).payload["HOME"]
    instance.invoke({"do": "starts_processes", "pids": str(tmp_path / "pids")})
    pids = wait_for_pids(tmp_path / "pids")
    assert all(is_running(pid) for pid in pids)
    assert Path(home).is_dir()
    function.close()
    wait_until_gone(*pids)
    assert not Path(home).parent.exists()
    assert instance.invoke({}).ending is Ending.DIED
    assert not (HANDLING.parent / "__pycache__" / f"handling.{sys.implementation.cache_tag}.pyc").exists()


def test_closing_ends_an_invocation_that_is_going_on(cold: Cold) -> None:
    instance = cold()
    closing = threading.Timer(0.1, instance.close)
    closing.start()
    assert instance.invoke({"do": "hangs"}, time_limit=30).ending is Ending.DIED
    closing.join()
    instance.close()


@pytest.mark.parametrize(
    ("target", "message"),
    [("absent.py", "there is no file absent.py"), ("absent_module.app", "there is no module")],
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
