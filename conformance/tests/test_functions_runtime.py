"""A runtime is told and asked what Lambda tells and asks, by the Runtime API of 2018-06-01."""

from __future__ import annotations

import base64
import http.client
import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters.answer import Ending, Identity, StartError
from gco_conformance.adapters.execution_environment import Lost
from gco_conformance.adapters.function import Invocation
from gco_conformance.adapters.function_answer import RESPONSE_BOUND
from gco_conformance.adapters.program_clock import LIBRARIES
from gco_conformance.adapters.runtime import RuntimeFunction
from gco_conformance.adapters.runtime_api import RuntimeApi

BOOTSTRAP = Path(__file__).parent / "implementations" / "bootstrap.mjs"
PREFIX = "/2018-06-01/runtime/"
ARN = "arn:aws:lambda:eu-west-1:123456789012:function:f"

Invoke = Callable[..., "Future[Invocation]"]


class Runtime:
    """The client's side, one connection."""

    def __init__(self, address: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=20)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, http.client.HTTPMessage]:
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        self.connection.request(method, PREFIX + path, content, dict(headers or {}))
        response = self.connection.getresponse()
        return response.status, json.loads(response.read()), response.headers

    def next(self) -> tuple[str, Any]:
        status, event, headers = self.ask("GET", "invocation/next")
        assert status == 200
        return headers["Lambda-Runtime-Aws-Request-Id"], event


@pytest.fixture
def api() -> Iterator[RuntimeApi]:
    api = RuntimeApi()
    yield api
    api.close()


@pytest.fixture
def runtime(api: RuntimeApi) -> Iterator[Runtime]:
    runtime = Runtime(api.address)
    yield runtime
    runtime.connection.close()


@pytest.fixture
def invoke(api: RuntimeApi) -> Iterator[Invoke]:
    """Invokes beside the test, which plays the runtime."""

    def call(event: Mapping[str, Any], time_limit: float) -> Invocation:
        api.wait_until_ready(time.monotonic() + 20, "not ready")
        return api.invoke(event, arn=ARN, now=1_000_000.0, time_limit=time_limit)

    with ThreadPoolExecutor(1) as threads:
        yield lambda event, time_limit=20.0: threads.submit(call, event, time_limit)
        api.close()


def test_an_event_comes_with_what_lambda_says_of_it(runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({"path": "/é"}, 20.0)
    status, event, headers = runtime.ask("GET", "invocation/next")
    assert (status, event) == (200, {"path": "/é"})
    assert headers["Content-Type"] == "application/json"
    assert headers["Lambda-Runtime-Deadline-Ms"] == "1000020000"
    assert headers["Lambda-Runtime-Invoked-Function-Arn"] == ARN
    assert headers["Lambda-Runtime-Trace-Id"].startswith("Root=1-000f4240-")
    id_ = headers["Lambda-Runtime-Aws-Request-Id"]
    assert runtime.ask("POST", f"invocation/{id_}/response", {"statusCode": 200})[:2] == (202, {"status": "OK"})
    told = invocation.result(20)
    assert (told.ending, told.payload, told.error) == (Ending.EXITED, {"statusCode": 200}, "")


def test_each_invocation_has_an_id_of_its_own(runtime: Runtime, invoke: Invoke) -> None:
    ids = set()
    for number in range(3):
        invocation = invoke({"number": number})
        id_, event = runtime.next()
        runtime.ask("POST", f"invocation/{id_}/response", event)
        assert invocation.result(20).payload == {"number": number}
        ids.add(id_)
    assert len(ids) == 3


def test_an_error_is_told_in_one_line(runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    error = {"errorType": "LookupError", "errorMessage": "no region\nfound", "stackTrace": []}
    assert runtime.ask("POST", f"invocation/{id_}/error", error)[0] == 202
    assert (invocation.result(20).ending, invocation.result().error) == (
        Ending.EXITED,
        "LookupError: no region found",
    )


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b"[" * 100_000, b"\xff", b'{"errorMessage": 7}'])
def test_an_error_may_have_any_form(runtime: Runtime, invoke: Invoke, body: bytes) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    headers = {"Lambda-Runtime-Function-Error-Type": "Function.Oops"}
    assert runtime.ask("POST", f"invocation/{id_}/error", body, headers)[0] == 202
    assert invocation.result(20).error.startswith("Function.Oops")


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": NaN}', b"Infinity", b"\xff", b"[" * 200_000])
def test_an_answer_that_isnt_json_is_an_error(runtime: Runtime, invoke: Invoke, body: bytes) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    assert runtime.ask("POST", f"invocation/{id_}/response", body)[0] == 202
    told = invocation.result(20)
    assert (told.ending, told.payload) == (Ending.EXITED, None)
    assert told.error.startswith("the answer isn't JSON")


def test_an_answer_over_the_limit_is_refused(runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    status, told, _ = runtime.ask("POST", f"invocation/{id_}/response", b"1" * (RESPONSE_BOUND + 1))
    assert (status, told["errorType"]) == (413, "RequestEntityTooLarge")
    assert invocation.result(20).error.startswith("Function.ResponseSizeTooLarge")


def test_the_first_answer_counts_and_the_second_is_refused(runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    assert runtime.ask("POST", f"invocation/{id_}/response", 1)[0] == 202
    for place in ("response", "error"):
        status, told, _ = runtime.ask("POST", f"invocation/{id_}/{place}", 2)
        assert (status, told["errorType"]) == (403, "InvalidStateTransition")
    assert invocation.result(20).payload == 1


def test_an_answer_to_another_request_is_refused(runtime: Runtime, invoke: Invoke) -> None:
    status, told, _ = runtime.ask("POST", "invocation/0/response", 1)
    assert (status, told["errorType"]) == (400, "InvalidRequestID")
    invocation = invoke({})
    id_, _ = runtime.next()
    assert runtime.ask("POST", f"invocation/{id_}0/response", 1)[0] == 400
    assert runtime.ask("POST", f"invocation/{id_}/response", 2)[0] == 202
    assert invocation.result(20).payload == 2


def test_there_is_no_next_event_before_the_answer(runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    status, told, _ = runtime.ask("GET", "invocation/next")
    assert (status, told["errorType"]) == (403, "InvalidStateTransition")
    runtime.ask("POST", f"invocation/{id_}/response", None)
    assert invocation.result(20).ending is Ending.EXITED


def test_an_error_at_the_start_ends_the_invocation(api: RuntimeApi, runtime: Runtime) -> None:
    error = {"errorType": "Runtime.ImportModuleError", "errorMessage": "no module"}
    assert runtime.ask("POST", "init/error", error)[0] == 202
    api.gone(Lost(Ending.DIED, "Runtime.ExitError"))
    with pytest.raises(Lost, match=r"Runtime\.ImportModuleError: no module") as raised:
        api.wait_until_ready(time.monotonic() + 20, "not ready")
    assert raised.value.ending is Ending.EXITED


def test_an_error_at_the_start_comes_too_late_after_it(runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    assert runtime.ask("POST", "init/error", {})[0] == 403
    runtime.ask("POST", f"invocation/{id_}/response", 1)
    assert invocation.result(20).payload == 1


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "other"), ("POST", "invocation/next"), ("GET", "init/error")]
)
def test_there_is_nothing_elsewhere(runtime: Runtime, method: str, path: str) -> None:
    assert runtime.ask(method, path)[0] == 404


def streamed(id_: str, *lines: str) -> bytes:
    head = [
        f"POST {PREFIX}invocation/{id_}/response HTTP/1.1",
        "Host: x",
        "Transfer-Encoding: chunked",
        "Lambda-Runtime-Function-Response-Mode: streaming",
        "Trailer: Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
    ]
    return "\r\n".join([*head, "", *lines, "", ""]).encode()


def sent(api: RuntimeApi, content: bytes) -> bytes:
    host, _, port = api.address.partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def test_an_answer_may_be_streamed(api: RuntimeApi, runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    assert sent(api, streamed(id_, "2", "[1", "3;x=y", ",2]", "0")).startswith(b"HTTP/1.1 202 Accepted\r\n")
    assert invocation.result(20).payload == [1, 2]


def test_a_streamed_answer_may_end_with_an_error(api: RuntimeApi, runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    error = base64.b64encode(json.dumps({"errorMessage": "no region"}).encode()).decode()
    trailers = ("Lambda-Runtime-Function-Error-Type: Oops", f"Lambda-Runtime-Function-Error-Body: {error}")
    assert sent(api, streamed(id_, "2", "[1", "0", *trailers)).startswith(b"HTTP/1.1 202 ")
    assert invocation.result(20).error == "Oops: no region"


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff\r\n\r\n", b"POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\n1", streamed("0", "x", "1", "0")]
    + [b"POST /x HTTP/1.1\r\nContent-Length: %s\r\n\r\n" % size for size in (b"-1", b"x", b"99999999999")],
)
def test_what_isnt_http_disturbs_nobody(api: RuntimeApi, runtime: Runtime, invoke: Invoke, content: bytes) -> None:
    sent(api, content)
    invocation = invoke({})
    id_, _ = runtime.next()
    runtime.ask("POST", f"invocation/{id_}/response", 1)
    assert invocation.result(20).payload == 1


def test_an_event_goes_to_the_connection_that_is_still_there(api: RuntimeApi, invoke: Invoke) -> None:
    waiting = Runtime(api.address)
    taken: Future[tuple[str, Any]] = Future()
    thread = threading.Thread(target=lambda: taken.set_result(waiting.next()))
    thread.start()
    api.wait_until_ready(time.monotonic() + 20, "not ready")
    gone = Runtime(api.address)
    gone.connection.request("GET", PREFIX + "invocation/next")
    gone.connection.close()
    invocation = invoke({"number": 1})
    id_, event = taken.result(20)
    thread.join()
    waiting.ask("POST", f"invocation/{id_}/response", event)
    waiting.connection.close()
    assert invocation.result(20).payload == {"number": 1}


def test_an_answer_that_was_sent_before_the_process_ended_counts(
    api: RuntimeApi, runtime: Runtime, invoke: Invoke
) -> None:
    invocation = invoke({})
    id_, _ = runtime.next()
    body = b"1" * 1000
    head = f"POST {PREFIX}invocation/{id_}/response HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    host, _, port = api.address.partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head.encode() + body)
    runtime.connection.close()
    api.gone(Lost(Ending.DIED, "Runtime.ExitError"))
    assert invocation.result(20).payload == int(body)


def test_an_instance_that_is_gone_is_a_lost_invocation(api: RuntimeApi, runtime: Runtime, invoke: Invoke) -> None:
    invocation = invoke({})
    runtime.next()
    runtime.connection.close()
    api.gone(Lost(Ending.DIED, "Runtime.ExitError: it crashed"))
    with pytest.raises(Lost, match="it crashed"):
        invocation.result(20)


def test_closing_leaves_no_thread(invoke: Invoke, api: RuntimeApi, runtime: Runtime) -> None:
    before = set(threading.enumerate())
    invocation = invoke({})
    runtime.next()
    api.close()
    with pytest.raises(Lost, match="closed"):
        invocation.result(20)
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "loopback"]


def function(*argv: str, **assignments: str) -> RuntimeFunction:
    return RuntimeFunction(argv, assignments=assignments, timeout=20, cwd=BOOTSTRAP.parent)


@pytest.fixture
def clock_file(tmp_path: Path) -> Path:
    file = tmp_path / "clock"
    file.write_text("+0.000000\n")
    return file


def test_a_program_that_isnt_there_cant_be_started() -> None:
    missing = function("no-such-program-anywhere", "x")
    assert (missing.door, missing.identity) == ("runtime", Identity())
    with pytest.raises(StartError, match="no program named 'no-such-program-anywhere' on PATH"):
        missing.start()
    missing.close()


def test_a_program_that_ends_at_once_is_a_lost_invocation(clock_file: Path) -> None:
    ending = function("sh", "-c", "echo because >&2; exit 7")
    ending.start()
    instance = ending.cold({}, clock_file)
    told = instance.invoke({})
    assert told.ending is Ending.DIED
    assert told.error == "Runtime.ExitError: the process ended with exit status 7 without an answer"
    assert instance.log() == "because\n"
    ending.close()


@pytest.fixture(scope="module")
def node() -> Iterator[RuntimeFunction]:
    if shutil.which("node") is None:
        pytest.skip("Node.js isn't installed")
    node = function("node", BOOTSTRAP.name, _HANDLER="app.handler")
    node.start()
    yield node
    node.close()


def test_a_program_in_another_language_is_asked_too(node: RuntimeFunction, clock_file: Path) -> None:
    instance = node.cold({}, clock_file)
    assert [instance.invoke({"do": "counts"}).payload for _ in range(3)] == [1, 2, 3]
    assert instance.invoke({"do": "tellsHandler"}).payload == "app.handler"
    told = instance.invoke({"do": "raises"})
    assert (told.ending, told.error) == (Ending.EXITED, "RangeError: no region found")
    instance.close()


def test_the_clock_of_a_program_in_another_language_is_moved(node: RuntimeFunction, clock_file: Path) -> None:
    if node.moves_time:
        assert not [path for pattern in LIBRARIES for path in Path("/").glob(pattern[1:])], node.moves_time
        pytest.skip(node.moves_time)
    instance = node.cold({}, clock_file)
    before = instance.invoke({"do": "tellsTime"}).payload
    clock_file.write_text("+3600.500000\n")
    assert instance.invoke({"do": "waits"}).payload == "waited"
    after = instance.invoke({"do": "tellsTime"}).payload
    assert all(3600 <= late - early < 3700 for early, late in zip(before, after, strict=True))
    instance.close()
