"""The aggregator over real TLS on loopback, with regions that misbehave (contract sections 3 and 5)."""

from __future__ import annotations

import gzip
import json
import re
import socket
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("botocore", reason="needs gco-conformance[aggregator]")
pytest.importorskip("trustme", reason="needs gco-conformance[aggregator]")

import trustme

from gco_reference.aggregator import cloudformation, invocation, regional

GOOD = "us-east-1"
JOBS, HEALTH = "/api/v1/global/jobs", "/api/v1/global/health"
REDACTED = "Authenticated regional API request failed"
TOKEN = "planted-session-token"
API = "plantedapi1"
Answer = Callable[[ssl.SSLSocket], bool | None]  # of one request; False closes the connection
REAL_CONNECT = socket.create_connection


def reply(body: Any = None, status: int = 200, *headers: str, raw: bytes | None = None) -> bytes:
    data = json.dumps({} if body is None else body).encode() if raw is None else raw
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def say(data: bytes, goes_on: bool = True) -> Answer:
    def answer(connection: ssl.SSLSocket) -> bool:
        connection.sendall(data)
        return goes_on

    return answer


def drip(data: bytes) -> Answer:
    def answer(connection: ssl.SSLSocket) -> bool:
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
        return False

    return answer


def hang(connection: ssl.SSLSocket) -> bool:
    """Reads on until the client has enough."""
    while connection.recv(1024):
        pass
    return False


def say_and_hang(data: bytes) -> Answer:
    def answer(connection: ssl.SSLSocket) -> bool:
        connection.sendall(data)
        return hang(connection)

    return answer


def reset(connection: ssl.SSLSocket) -> bool:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def stack(region: str, status: str = "CREATE_COMPLETE") -> bytes:
    return reply(
        raw=(
            "<DescribeStacksResponse><DescribeStacksResult><Stacks><member>"
            f"<StackName>gco-regional-api-{region}</StackName><StackStatus>{status}</StackStatus>"
            "<Outputs><member><OutputKey>RegionalApiEndpoint</OutputKey>"
            f"<OutputValue>https://{API}.execute-api.{region}.amazonaws.com/prod</OutputValue></member></Outputs>"
            "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
        ).encode()
    )


class World:
    """All CloudFormations and regional APIs behind one port; answers are taken one by one, the last one stays."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[tuple[str, str]] = []  # host and text
        self.connected: list[str] = []  # hosts, also where no request followed
        self.resolved = threading.Event()
        self._answers: dict[str, list[Answer]] = {}
        self._authority, stranger = trustme.CA(), trustme.CA()
        self._authority.cert_pem.write_to_path(str(folder / "ca.pem"))
        names = ("*.us-east-1.amazonaws.com", "*.execute-api.us-east-1.amazonaws.com")
        self._contexts = {
            "unknown": self._context(stranger.issue_cert(*names)),
            "wrong-name": self._context(self._authority.issue_cert("example.com")),
        }
        self._by_host: dict[str, ssl.SSLContext] = {}
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        self.port = self._listener.getsockname()[1]

    def api(self, region: str, *answers: Answer, certificate: str = "good") -> None:
        self._serve(f"{API}.execute-api.{region}.amazonaws.com", answers, certificate)

    def cloudformation(self, region: str, *answers: Answer) -> None:
        self._serve(f"cloudformation.{region}.amazonaws.com", answers or (say(stack(region)),), "good")

    def asked(self, region: str) -> list[str]:
        return [text for host, text in self.requests if host == f"{API}.execute-api.{region}.amazonaws.com"]

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10.0)

    def _serve(self, host: str, answers: tuple[Answer, ...], certificate: str) -> None:
        self._answers[host] = list(answers)
        if certificate == "good":
            self._by_host[host] = self._context(self._authority.issue_cert(host))
        else:
            self._by_host[host] = self._contexts[certificate]

    def _context(self, certificate: Any) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.sni_callback = self._choose
        certificate.configure_cert(context)
        return context

    def _choose(self, connection: Any, host: str | None, _: ssl.SSLContext) -> None:
        self.connected.append(host or "")
        connection.context = self._by_host[host or ""]

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._converse, args=(accepted,), daemon=True))
            self._threads[-1].start()

    def _converse(self, accepted: socket.socket) -> None:
        accepted.settimeout(10.0)
        try:
            with self._contexts["wrong-name"].wrap_socket(accepted, server_side=True) as connection:
                while (text := receive(connection)) and self._answer(connection, text) is not False:
                    pass
        except OSError:  # the client had enough
            accepted.close()

    def _answer(self, connection: ssl.SSLSocket, text: str) -> bool | None:
        host = re.findall(r"(?im)^host: (\S+)", text)[0]
        self.requests.append((host, text))
        answers = self._answers[host]
        return (answers.pop(0) if len(answers) > 1 else answers[0])(connection)


def receive(connection: ssl.SSLSocket) -> str:
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: ([0-9]+)", head)
        if end and len(body) == (int(length[1]) if length else 0):
            return data.decode()
        piece = connection.recv(65536)
        if not piece:
            return ""
        data += piece


class Invoke:
    """The handler of a cold process in a world."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        self.world = world
        self._set = monkeypatch.setenv
        self.aggregator = invocation.Aggregator()
        monkeypatch.setattr(invocation, "_aggregator", self.aggregator)

    def __call__(
        self, path: str = JOBS, method: str = "GET", seconds: float = 20.0, **event: Any
    ) -> tuple[int, Any]:
        """Status and body; nothing planted may be in it. Regions are those of the world's APIs."""

        class Context:
            def get_remaining_time_in_millis(self) -> int:
                return int(seconds * 1000)

        result = invocation.handler({"httpMethod": method, "path": path, **event}, Context())
        assert result["headers"]["Content-Type"] == "application/json"
        for secret in (API, TOKEN, "amazonaws.com", "AKIDEXAMPLE"):
            assert secret not in json.dumps(result)
        return result["statusCode"], json.loads(result["body"])


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World(tmp_path)

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        assert address[1] == 443
        if address[0].startswith(f"{API}.execute-api.xx-unresolving-1"):
            world.resolved.wait(10.0)  # as a look-up does: for as long as it likes
        return REAL_CONNECT(("127.0.0.1", world.port), timeout)

    monkeypatch.setattr(socket, "create_connection", connect)
    yield world
    world.close()


@pytest.fixture
def invoke(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[int, Any]]]:
    environment = {
        "SSL_CERT_FILE": str(tmp_path / "ca.pem"),
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "planted-secret-key",
        "AWS_SESSION_TOKEN": TOKEN,
        "AWS_URL_SUFFIX": "amazonaws.com",
        "TARGET_REGIONS": json.dumps([GOOD]),
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cloudformation, "PAUSE", (0.0, 0.0))
    monkeypatch.delenv("PROJECT_NAME", raising=False)
    world.api(GOOD, say(reply({"jobs": [{"metadata": {"name": "good"}}]})))
    world.cloudformation(GOOD)
    invoke = Invoke(world, monkeypatch)
    yield invoke
    world.resolved.set()
    for thread in threading.enumerate():
        if thread.name.startswith("ask "):
            thread.join(10.0)
    invoke.aggregator.close()


@pytest.fixture
def with_regions(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`with_regions({region: answer})`: beside the good region stand these, each with its stack."""

    def add(others: dict[str, Answer]) -> None:
        for region, answer in others.items():
            world.api(region, answer)
            world.cloudformation(region)
        monkeypatch.setenv("TARGET_REGIONS", json.dumps([GOOD, *others]))

    return add


def errors_of(answer: Any) -> dict[str, str]:
    return {entry["region"]: entry["error"] for entry in answer["errors"] or []}


def test_a_request_is_signed_for_its_region_and_carries_the_token(invoke: Any, world: World) -> None:
    status, answer = invoke(queryStringParameters={"namespace": "a b"})
    assert (status, answer["count"], answer["errors"]) == (200, 1, None)
    (asked,) = world.asked(GOOD)
    assert asked.startswith("GET /prod/api/v1/jobs?limit=100&namespace=a%20b HTTP/1.1\r\n")
    headers = {name.lower(): value for name, value in re.findall(r"(?m)^([\w-]+): (.*?)\r$", asked)}
    assert headers["content-type"] == "application/json"
    assert headers["x-amz-security-token"] == TOKEN
    assert f"/{GOOD}/execute-api/aws4_request" in headers["authorization"]
    assert "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token" in headers["authorization"]


def test_a_warm_process_keeps_map_and_connections(invoke: Any, world: World) -> None:
    for _ in range(3):
        assert invoke()[0] == 200
    assert len(world.connected) == 2  # CloudFormation and the API


def test_whatever_hangs_or_drips_is_cut_off_while_others_answer(
    invoke: Any, with_regions: Callable[..., None]
) -> None:
    hanging: dict[str, Answer] = {
        "xx-hangs-1": hang,
        "xx-head-1": drip(b"HTTP/1.1 200 OK\r\n" + b"X-Drip: drop\r\n" * 1000),
        "xx-body-1": drip(reply(raw=b"{" + b" " * 1000)),
        "xx-chunk-1": drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1;" + b"x" * 1000),
        "xx-stops-1": say_and_hang(reply({"jobs": []})[:-5]),
        "xx-unresolving-1": hang,
    }
    with_regions(hanging)
    start = time.monotonic()
    status, answer = invoke(seconds=2.0)
    assert time.monotonic() - start < 2.0
    assert (status, answer["count"], answer["regions_successful"]) == (200, 1, 1)
    assert errors_of(answer) == dict.fromkeys(hanging, REDACTED)


def test_each_way_to_break_off_or_to_mislead_is_that_regions_failure(
    invoke: Any, world: World, with_regions: Callable[..., None]
) -> None:
    whole = reply({"jobs": [], "total": 0})
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    huge = b'{"jobs": [], "x": "' + b"x" * (8 * 1024 * 1024) + b'"}'
    bomb = zlib.compressobj(wbits=31)
    packed = bomb.compress(b" " * 50_000_000) + bomb.flush()
    broken: dict[str, Answer] = {
        "xx-reset-1": reset,
        "xx-closed-1": say(b"", goes_on=False),
        "xx-cut-1": say(whole[:-3], goes_on=False),
        "xx-garbage-1": say(b"\x00\x01garbage\r\n\r\n", goes_on=False),
        "xx-lengths-1": say(whole.replace(b"Length: 24", b"Length: 24\r\nContent-Length: 2"), goes_on=False),
        "xx-length-1": say(whole.replace(b"Length: 24", b"Length: +24"), goes_on=False),
        "xx-both-1": say(chunked.replace(b"\r\n\r\n", b"\r\nContent-Length: 2\r\n\r\n") + b"2\r\n{}\r\n0\r\n\r\n"),
        "xx-chunk-1": say(chunked + b"zz\r\n{}\r\n0\r\n\r\n", goes_on=False),
        "xx-nochunk-1": say(chunked + b"2\r\n{}\r\n", goes_on=False),
        "xx-minus-1": say(chunked + b"-1\r\n{}", goes_on=False),
        "xx-huge-1": say(reply(raw=huge)),
        "xx-packed-1": say(reply(None, 200, "Content-Encoding: gzip", raw=packed)),
        "xx-halfzip-1": say(reply(None, 200, "Content-Encoding: gzip", raw=gzip.compress(b'{"jobs": []}')[:-9])),
        "xx-nozip-1": say(reply({"jobs": []}, 200, "Content-Encoding: gzip")),
        "xx-brotli-1": say(reply({"jobs": []}, 200, "Content-Encoding: br")),
        "xx-nan-1": say(reply(raw=b'{"jobs": [], "total": NaN}')),
        "xx-list-1": say(reply([])),
        "xx-shape-1": say(reply({"jobs": [], "total": None})),
    }
    with_regions(broken)
    status, answer = invoke()
    assert (status, answer["total"], answer["regions_successful"]) == (200, 1, 1)
    assert errors_of(answer) == dict.fromkeys(broken, REDACTED)
    assert len(world.asked("xx-cut-1")) == 1


def test_unusual_answers_are_answers(invoke: Any, with_regions: Callable[..., None]) -> None:
    body = b'{"jobs": [], "total": 2}'
    unusual: dict[str, Answer] = {
        "xx-early-1": say(
            b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + reply(raw=body)
        ),
        "xx-chunk-1": say(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5\r\n"
            + body[:5]
            + b"\r\n13;x=y\r\n"
            + body[5:]
            + b"\r\n0\r\nX-Trailer: y\r\n\r\n"
        ),
        "xx-zip-1": say(reply(None, 200, "Content-Encoding: gzip", raw=gzip.compress(body))),
        "xx-close-1": say(b"HTTP/1.0 200 OK\r\n\r\n" + body, goes_on=False),
        "xx-large-1": say(reply(raw=body + b" " * (8 * 1024 * 1024 - len(body)))),
        "xx-more-1": say(reply(raw=body) + b"HTTP/1.1 200 OK\r\n\r\n"),
    }
    with_regions(unusual)
    for _ in range(2):  # and none of them spoils the next answer
        _, answer = invoke()
        assert answer["errors"] is None
        assert answer["total"] == 1 + 2 * len(unusual)


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 308, 401, 403, 422, 429, 500, 503])
def test_another_status_is_all_that_is_said_and_nothing_is_followed_or_repeated(
    invoke: Any, world: World, with_regions: Callable[..., None], status: int
) -> None:
    elsewhere = f"Location: https://{API}.execute-api.{GOOD}.amazonaws.com/prod/api/v1/jobs"
    with_regions({"xx-odd-1": say(reply({"detail": "x"}, status, elsewhere, "Retry-After: 30"))})
    start = time.monotonic()
    assert errors_of(invoke()[1]) == {"xx-odd-1": f"HTTP {status}"}
    assert time.monotonic() - start < 5.0
    assert (len(world.asked("xx-odd-1")), len(world.asked(GOOD))) == (1, 1)


def test_503_is_a_report_on_the_health_path_alone(invoke: Any, with_regions: Callable[..., None]) -> None:
    with_regions(
        {
            "xx-ill-1": say(reply({"status": "degraded"}, 503, "Retry-After: 30")),
            "xx-down-1": say(reply(None, 503, raw=b"<html>")),
            "xx-list-1": say(reply([], 503)),
        }
    )
    rows = {row["region"]: row for row in invoke(HEALTH)[1]["regions"]}
    assert rows["xx-ill-1"]["status"] == "degraded"
    for region in ("xx-down-1", "xx-list-1"):
        assert rows[region] == {"region": region, "status": "unreachable", "error": "HTTP 503"}
    assert errors_of(invoke()[1])["xx-ill-1"] == "HTTP 503"


@pytest.mark.parametrize("ending", [hang, reset, say(b"", goes_on=False), say(reply({})[:-1], goes_on=False)])
def test_a_delete_is_sent_once_whatever_becomes_of_it(
    invoke: Any, world: World, with_regions: Callable[..., None], ending: Answer
) -> None:
    with_regions({"xx-lost-1": ending})
    world.api("xx-lost-1", say(reply({"jobs": []})), ending)
    invoke()  # leaves a kept connection behind
    status, answer = invoke(method="DELETE", seconds=1.0, body='{"namespace": "a"}')
    assert (status, errors_of(answer)) == (200, {"xx-lost-1": REDACTED})
    assert [row["region"] for row in answer["region_results"]] == [GOOD]
    sent = [text for text in world.asked("xx-lost-1") if text.startswith("DELETE ")]
    assert [text.partition("\r\n\r\n")[2] for text in sent] == ['{"namespace": "a", "dry_run": true}']


@pytest.mark.parametrize("death", [hang, reset, say(b"", goes_on=False)])
def test_a_kept_connection_that_is_dead_is_no_failed_region(
    invoke: Any, world: World, monkeypatch: pytest.MonkeyPatch, death: Answer
) -> None:
    monkeypatch.setattr(regional, "KEPT_PATIENCE", 0.2)
    whole = say(reply({"jobs": [], "total": 3}))
    world.api(GOOD, whole, death, whole)
    invoke()
    _, answer = invoke()
    assert (answer["total"], answer["errors"]) == (3, None)
    assert len(world.asked(GOOD)) == 3


def test_each_attempt_is_signed_when_it_is_sent(
    invoke: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regional, "KEPT_PATIENCE", 1.1)  # a signature says the second in which it was made
    whole = say(reply({"jobs": []}))
    world.api(GOOD, whole, hang, whole)
    invoke()
    invoke()
    second, third = (re.findall(r"(?im)^x-amz-date: (\S+)", text)[0] for text in world.asked(GOOD)[1:])
    assert second < third


def test_a_connection_that_was_closed_meanwhile_isnt_used(invoke: Any, world: World) -> None:
    world.api(GOOD, say(reply({"jobs": []}), goes_on=False))
    invoke()
    time.sleep(0.1)
    assert invoke(method="GET")[1]["errors"] is None
    assert len(world.asked(GOOD)) == 2


@pytest.mark.parametrize("certificate", ["unknown", "wrong-name"])
def test_nothing_is_sent_to_a_server_that_isnt_the_regions(invoke: Any, world: World, certificate: str) -> None:
    world.api(GOOD, say(reply({"jobs": []})), certificate=certificate)
    assert errors_of(invoke()[1]) == {GOOD: REDACTED}
    assert world.asked(GOOD) == []


UNAVAILABLE = (503, {"error": "Regional aggregation is temporarily unavailable"})


@pytest.mark.parametrize(
    "trouble",
    [
        say(reply(raw=b"<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>", status=400)),
        say(reply(raw=b"<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>", status=403)),
        say(reply(status=301)),
        say(reply(status=500)),
        say(stack(GOOD, "DELETE_IN_PROGRESS")),
        say(stack("eu-west-1")),
        reset,
        hang,
        drip(stack(GOOD)),
    ],
)
def test_without_a_map_trouble_at_cloudformation_is_a_503_and_with_one_it_isnt_seen(
    invoke: Any, world: World, monkeypatch: pytest.MonkeyPatch, trouble: Answer
) -> None:
    world.cloudformation(GOOD, trouble)
    start = time.monotonic()
    assert invoke(seconds=1.5) == UNAVAILABLE
    assert time.monotonic() - start < 1.5
    assert world.asked(GOOD) == []

    world.cloudformation(GOOD)
    assert invoke()[0] == 200
    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + 400.0)
    world.cloudformation(GOOD, trouble)
    status, answer = invoke(seconds=1.5)
    assert (status, answer["count"]) == (200, 1)


def test_one_throttled_call_is_made_again(invoke: Any, world: World) -> None:
    throttled = reply(raw=b"<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>", status=400)
    world.cloudformation(GOOD, say(throttled), say(stack(GOOD)))
    assert invoke()[0] == 200


def test_credentials_are_read_at_each_invocation(
    invoke: Any, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    invoke()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDROTATED")
    invoke()
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", "/nonexistent")
    assert errors_of(invoke()[1]) == {GOOD: REDACTED}
    keys = [re.findall(r"Credential=(\w+)/", text)[0] for text in world.asked(GOOD)]
    assert keys == ["AKIDEXAMPLE", "AKIDROTATED"]


def test_no_regions_ask_nobody(invoke: Any, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARGET_REGIONS", "[]")
    status, answer = invoke()
    assert (status, answer["regions_queried"]) == (200, 0)
    assert world.connected == []


@pytest.mark.parametrize(
    ("event", "status", "answer"),
    [
        ({"path": "/nope"}, 404, {"error": "Not found", "path": "/nope"}),
        ({"path": HEALTH, "method": "POST"}, 405, {"error": "Method not allowed"}),
        (
            {"method": "DELETE", "body": '{"older_than_days": 0}'},
            400,
            {"error": "older_than_days must be an integer from 1 to 365"},
        ),
    ],
)
def test_what_is_refused_asks_nobody(
    invoke: Any, world: World, event: dict[str, Any], status: int, answer: dict[str, Any]
) -> None:
    assert invoke(**event) == (status, answer)
    assert world.connected == []


def test_what_nobody_foresaw_is_a_500_without_details(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(TOKEN)

    monkeypatch.setattr(invocation, "ask_all", fail)
    assert invoke() == (500, {"error": "Internal server error"})


def test_the_log_has_the_reason_and_no_secret(
    invoke: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    invoke()
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN + "\nX-Injected: 1")
    caplog.set_level("DEBUG")
    assert errors_of(invoke()[1]) == {GOOD: REDACTED}
    assert f"{GOOD}: NoAnswerError" in caplog.text
    assert TOKEN not in caplog.text
