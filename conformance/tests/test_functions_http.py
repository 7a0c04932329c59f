"""An aggregator that is an HTTP server gets plain requests, and its responses count as a function's results."""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters.answer import Ending, StartError
from gco_conformance.adapters.function import Instance
from gco_conformance.adapters.function_http import PORT, RIE_PATH, RunningFunction, ServingFunction
from gco_conformance.adapters.http_exchange import Url
from gco_conformance.adapters.loopback import LoopbackServer, Reply, Request

SERVING = Path(__file__).parent / "implementations" / "serving.py"

Cold = Callable[..., Instance]


@pytest.fixture(scope="module")
def function() -> Iterator[ServingFunction]:
    argv = (sys.executable, "-S", SERVING.name, PORT)
    function = ServingFunction(argv, assignments={"PORT": PORT}, timeout=20, cwd=SERVING.parent)
    function.start()
    yield function
    function.close()


@pytest.fixture
def clock_file(tmp_path: Path) -> Path:
    file = tmp_path / "clock"
    file.write_text("+0.000000\n")
    return file


@pytest.fixture
def cold(function: ServingFunction, clock_file: Path) -> Iterator[Cold]:
    """Starts a server, and ends it with the test."""
    instances: list[Instance] = []

    def start(**environment: str) -> Instance:
        instances.append(function.cold(environment, clock_file))
        return instances[-1]

    yield start
    for instance in instances:
        instance.close()


def told(instance: Instance, event: Mapping[str, Any]) -> Any:
    """The JSON document in the body of the result."""
    invocation = instance.invoke(event)
    assert (invocation.ending, invocation.error) == (Ending.EXITED, "")
    return json.loads(invocation.payload["body"])


def test_the_event_becomes_a_plain_request(cold: Cold) -> None:
    event = {
        "httpMethod": "DELETE",
        "path": "/echo/ä b",
        "queryStringParameters": {"a": "1 &2", "b": "é"},
        "headers": {"X-One": "1", "Host": "api.example", "Content-Length": "99"},
        "body": '{"é": 1}',
    }
    method, path, body, headers = told(cold(), event)
    assert (method, path, body) == ("DELETE", "/echo/%C3%A4%20b?a=1%20%262&b=%C3%A9", '{"é": 1}')
    assert (headers["x-one"], headers["content-length"]) == ("1", "9")
    assert headers["host"].startswith("127.0.0.1:")


def test_what_an_event_leaves_out_has_its_default(cold: Cold) -> None:
    nothing = {"queryStringParameters": None, "headers": None, "body": None}
    assert told(cold(), nothing)[:3] == ["GET", "/", ""]


def test_the_lists_of_an_event_and_its_encoded_body_count(cold: Cold) -> None:
    event = {
        "httpMethod": "POST",
        "path": "/echo",
        "queryStringParameters": {"a": "2"},
        "multiValueQueryStringParameters": {"a": ["1", "2"]},
        "multiValueHeaders": {"X-Many": ["1", "2"]},
        "body": base64.b64encode(b"text").decode(),
        "isBase64Encoded": True,
    }
    method, path, body, headers = told(cold(), event)
    assert (method, path, body, headers["x-many"]) == ("POST", "/echo?a=1&a=2", "text", "2")


def test_the_response_becomes_a_result(cold: Cold) -> None:
    payload = cold().invoke({"path": "/teapot"}).payload
    assert payload["statusCode"] == 418
    assert payload["headers"]["X-Twice"] == "a, b"
    assert "Transfer-Encoding" not in payload["headers"]
    assert (base64.b64decode(payload["body"]), payload["isBase64Encoded"]) == (b"\xff\xfe\xfd", True)


def test_a_redirect_isnt_followed(cold: Cold) -> None:
    assert cold().invoke({"path": "/redirect"}).payload["statusCode"] == 302


def test_a_server_keeps_what_it_has_until_the_next_cold_start(cold: Cold) -> None:
    first, second = cold(), cold()
    assert [told(one, {"path": "/counts"}) for one in (first, first, second, first)] == [1, 2, 1, 3]


def test_it_has_the_environment_and_the_clock_that_it_was_given(
    cold: Cold, clock_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "somebody")
    instance = cold(PROJECT_NAME="gco")
    environment = told(instance, {"path": "/environment"})
    assert environment["PROJECT_NAME"] == "gco"
    assert environment["PORT"].isdecimal()
    assert "AWS_PROFILE" not in environment
    before = told(instance, {"path": "/clock"})
    clock_file.write_text("+3600.000000\n")
    assert told(instance, {"path": "/clock"})[0] - before[0] >= 3600


@pytest.mark.parametrize(
    ("path", "ending", "error"),
    [
        ("/crash", Ending.DIED, "Runtime.ExitError: the process ended with exit status 5 without an answer"),
        ("/babble", Ending.BABBLED, "printed more than 8 MiB"),
        ("/much", Ending.EXITED, "Function.ResponseSizeTooLarge"),
        ("/short", Ending.DIED, "no HTTP response: IncompleteRead"),
        ("/nothing", Ending.DIED, "no HTTP response: RemoteDisconnected"),
    ],
)
def test_a_failure_is_told_in_one_line(cold: Cold, path: str, ending: Ending, error: str) -> None:
    invocation = cold().invoke({"path": path})
    assert (invocation.ending, invocation.payload) == (ending, None)
    assert invocation.error.startswith(error)
    assert "\n" not in invocation.error


@pytest.mark.parametrize("path", ["/hang", "/drip"])
def test_a_server_that_doesnt_answer_in_time_is_ended(cold: Cold, path: str) -> None:
    instance = cold()
    assert told(instance, {"path": "/counts"}) == 1
    invocation = instance.invoke({"path": path}, time_limit=0.3)
    assert (invocation.ending, invocation.error) == (Ending.HUNG, "no answer within 0.3 s")
    assert 0.3 <= invocation.seconds < 5
    assert instance.invoke({"path": "/counts"}).ending is Ending.DIED


@pytest.mark.parametrize(
    ("at_start", "ending", "error"),
    [
        ("exit", Ending.DIED, "Runtime.ExitError: the process ended with exit status 7 without an answer"),
        ("hang", Ending.HUNG, "not ready within 0.3 s"),
    ],
)
def test_a_server_that_never_listens_is_a_failed_invocation(
    cold: Cold, at_start: str, ending: Ending, error: str
) -> None:
    instance = cold(AT_START=at_start)
    invocation = instance.invoke({}, time_limit=0.3 if at_start == "hang" else 20)
    assert (invocation.ending, invocation.error) == (ending, error)
    assert instance.log() == ("because\n" if at_start == "exit" else "")


def test_what_it_prints_is_its_log(cold: Cold) -> None:
    instance = cold()
    told(instance, {"path": "/counts"})
    deadline = time.monotonic() + 5
    while "GET /counts\n" not in instance.log() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert "GET /counts\n" in instance.log()


Respond = Callable[[Callable[[Request], Reply | None]], Url]


@pytest.fixture
def respond() -> Iterator[Respond]:
    """Starts a server of the test's own."""
    servers: list[LoopbackServer] = []

    def start(answer: Callable[[Request], Reply | None]) -> Url:
        servers.append(LoopbackServer(answer))
        return Url("http", "127.0.0.1", servers[-1].port)

    yield start
    for server in servers:
        server.close()


def running(door: str, url: Url, tmp_path: Path) -> Instance:
    function = RunningFunction(door, url, timeout=5)
    function.start()
    assert (function.door, bool(function.moves_time), bool(function.starts_cold)) == (door, True, True)
    return function.cold({}, tmp_path)


def test_a_server_that_runs_already_is_asked_as_it_is(respond: Respond, tmp_path: Path) -> None:
    url = respond(lambda request: Reply(200, request.path.encode()))
    instance = running("http", Url(url.scheme, url.host, url.port, "/base"), tmp_path)
    assert instance.invoke({"path": "/x"}).payload["body"] == "/base/x"
    instance.close()
    assert instance.invoke({"path": "/y"}).payload["body"] == "/base/y"


def test_an_emulator_gets_the_event_itself(respond: Respond, tmp_path: Path) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Reply:
        requests.append(request)
        return Reply(200, b'{"statusCode": 200, "body": "{}"}')

    invocation = running("rie", respond(answer), tmp_path).invoke({"path": "/x"})
    assert (invocation.ending, invocation.payload) == (Ending.EXITED, {"statusCode": 200, "body": "{}"})
    assert [(one.method, one.path, json.loads(one.body)) for one in requests] == [
        ("POST", RIE_PATH, {"path": "/x"})
    ]


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, b'{"errorMessage": "no\\nregion", "errorType": "LookupError"}', "LookupError: no region"),
        (200, b"Task timed out after 3.00 seconds", "the answer isn't JSON"),
        (502, b"{}", "the emulator answered HTTP 502"),
    ],
)
def test_an_error_that_an_emulator_tells_is_an_error(
    respond: Respond, tmp_path: Path, status: int, body: bytes, error: str
) -> None:
    invocation = running("rie", respond(lambda _: Reply(status, body)), tmp_path).invoke({})
    assert (invocation.ending, invocation.payload) == (Ending.EXITED, None)
    assert invocation.error.startswith(error)


@pytest.mark.parametrize("door", ["http", "rie"])
def test_a_running_server_that_drops_the_request_has_died(respond: Respond, tmp_path: Path, door: str) -> None:
    invocation = running(door, respond(lambda _: None), tmp_path).invoke({})
    assert invocation.ending is Ending.DIED
    assert invocation.error.startswith("no HTTP response")


def test_nobody_at_the_url_is_told_with_the_remedy() -> None:
    server = LoopbackServer(lambda _: None)
    server.close()
    function = RunningFunction("http", Url("http", "127.0.0.1", server.port), timeout=5)
    with pytest.raises(StartError, match=rf"nothing answers at 127\.0\.0\.1:{server.port}: Connection refused"):
        function.start()
