"""A handler is the same to the kit, whether it is forked from the kit's own host or run as Lambda runs it."""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Ending, StartError
from gco_conformance.adapters.function import Function, Instance
from gco_conformance.adapters.function_python import PythonFunction
from gco_conformance.adapters.runtime import RuntimeFunction

from .implementations.processes import is_running, wait_for_pids, wait_until_gone

HANDLING = Path(__file__).parent / "implementations" / "handling.py"

Cold = Callable[..., Instance]


def made(door: str) -> Function:
    """`handling.does`, a handler that does what its event says, through a door."""
    if door == "python":
        return PythonFunction(str(HANDLING), "does", timeout=20, cwd=Path.cwd())
    if importlib.util.find_spec("awslambdaric") is None:
        pytest.skip("awslambdaric, the runtime client of AWS, isn't installed")
    argv = (sys.executable, "-m", "awslambdaric", "handling.does")
    return RuntimeFunction(argv, assignments={}, timeout=20, cwd=HANDLING.parent)


@pytest.fixture(scope="module", params=["python", "runtime"])
def function(request: pytest.FixtureRequest) -> Iterator[Function]:
    function = made(request.param)
    function.start()
    yield function
    function.close()


@pytest.fixture
def clock_file(tmp_path: Path) -> Path:
    file = tmp_path / "clock"
    file.write_text("+0.000000\n")
    return file


@pytest.fixture
def cold(function: Function, clock_file: Path) -> Iterator[Cold]:
    """Starts an instance, and ends it with the test."""
    instances: list[Instance] = []

    def start(**environment: str) -> Instance:
        instances.append(function.cold(environment, clock_file))
        return instances[-1]

    yield start
    for instance in instances:
        instance.close()


def test_everything_can_be_asked_of_it(function: Function) -> None:
    assert (function.moves_time, function.starts_cold) == ("", "")


def test_an_event_is_handed_over_and_answered(cold: Cold) -> None:
    instance = cold()
    event = {"do": "echoes", "path": "/é\ud800", "query": None, "list": [1, 2.5, True]}
    invocation = instance.invoke(event)
    assert (invocation.ending, invocation.payload, invocation.error) == (Ending.EXITED, event, "")
    assert 0 < invocation.seconds < 5


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


def test_a_frozen_process_does_nothing_and_then_goes_on(cold: Cold, tmp_path: Path) -> None:
    file = tmp_path / "beats"
    instance = cold()
    instance.invoke({"do": "beats", "file": str(file)})
    assert grows(file)
    instance.freeze()
    assert not grows(file)
    instance.thaw()
    assert grows(file)
    assert instance.invoke({"do": "counts"}).payload == 1
    instance.freeze()
    instance.close()
    assert not grows(file)


def grows(file: Path) -> bool:
    """Whether a file does, after a moment in which what was under way has come to an end."""
    time.sleep(0.05)
    before = file.stat().st_size
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        if file.stat().st_size > before:
            return True
        time.sleep(0.01)
    return False


def test_the_environment_is_built_from_empty(cold: Cold, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "somebody")
    instance = cold(PROJECT_NAME="gco", AWS_REGION="eu-west-1", LANG="C", AWS_LAMBDA_FUNCTION_NAME="mine")
    told = instance.invoke({"do": "tells_environment"}).payload
    assert "AWS_PROFILE" not in told
    assert told["PROJECT_NAME"] == "gco"
    assert (told["AWS_REGION"], told["AWS_DEFAULT_REGION"], told["LANG"]) == ("eu-west-1", "eu-west-1", "C")
    assert told["AWS_LAMBDA_FUNCTION_NAME"] == "global-aggregator"
    assert told["LAMBDA_TASK_ROOT"] == str(HANDLING.parent)


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
        ("gives_set", Ending.EXITED, "Runtime.MarshalError: "),
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
        ("raise", Ending.EXITED, "no such table"),
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
        assert error in invocation.error


def test_an_error_doesnt_end_the_instance(cold: Cold) -> None:
    instance = cold()
    assert instance.invoke({"do": "raises"}).error == instance.invoke({"do": "raises"}).error
    assert instance.invoke({"do": "counts"}).payload == 1
    assert "LookupError" in instance.log()


def test_a_function_that_never_answers_is_ended(cold: Cold) -> None:
    instance = cold()
    instance.invoke({"do": "echoes"})
    invocation = instance.invoke({"do": "hangs"}, time_limit=0.2)
    assert (invocation.ending, invocation.payload) == (Ending.HUNG, None)
    assert invocation.error == "no answer within 0.2 s"
    assert 0.2 <= invocation.seconds < 5
    again = instance.invoke({"do": "echoes"})
    assert again.ending is Ending.DIED
    assert again.error == "its process was killed, since in an earlier invocation: no answer within 0.2 s"


def test_a_function_that_never_gets_ready_is_ended(cold: Cold) -> None:
    invocation = cold(AT_IMPORT="hang").invoke({"do": "echoes"}, time_limit=0.2)
    assert (invocation.ending, invocation.payload) == (Ending.HUNG, None)
    assert invocation.error == "not ready within 0.2 s"


@pytest.mark.parametrize(("handler", "length"), [("gives_text", 12), ("gives_much", 5 * 2**20)])
def test_an_answer_arrives_whole(cold: Cold, handler: str, length: int) -> None:
    assert len(cold().invoke({"do": handler}).payload) == length


def test_a_decimal_is_a_number(cold: Cold) -> None:
    assert cold().invoke({"do": "gives_decimal"}).payload == {"value": 1.5}


def test_what_it_prints_is_its_log(cold: Cold) -> None:
    instance = cold()
    instance.invoke({"do": "echoes"})
    deadline = time.monotonic() + 5
    while "echoing {'do'" not in instance.log() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert "echoing {'do'" in instance.log()


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


def test_times_stay_what_python_programs_expect_of_them(cold: Cold, clock_file: Path) -> None:
    clock_file.write_text("+3600.000000\n")
    told = cold().invoke({"do": "uses_times"}).payload
    assert {name for name, right in told.items() if not right} == set()


@pytest.mark.parametrize("then", ["close", "crash"])
def test_nothing_that_it_started_outlives_it(cold: Cold, tmp_path: Path, then: str) -> None:
    instance = cold()
    instance.invoke({"do": "starts_processes", "pids": str(tmp_path / "pids"), "then": then})
    pids = wait_for_pids(tmp_path / "pids")
    instance.close()
    wait_until_gone(*pids)


@pytest.mark.parametrize("door", ["python", "runtime"])
def test_a_function_takes_its_instances_and_its_files_with_it(door: str, clock_file: Path, tmp_path: Path) -> None:
    function = made(door)
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
    bytecode = HANDLING.parent / "__pycache__" / f"handling.{sys.implementation.cache_tag}.pyc"
    assert not bytecode.exists()
    with pytest.raises(StartError):
        function.cold({}, clock_file)


def test_closing_ends_an_invocation_that_is_going_on(cold: Cold) -> None:
    instance = cold()
    closing = threading.Timer(0.1, instance.close)
    closing.start()
    assert instance.invoke({"do": "hangs"}, time_limit=30).ending is Ending.DIED
    closing.join()
    instance.close()
