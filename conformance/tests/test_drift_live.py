"""Running services are asked for their documents: within a time limit, and nobody else is asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from .drift_checkout import checkout, gated, rules, service

DOCUMENT = json.dumps(service("/jobs")).encode()


class _Service(BaseHTTPRequestHandler):
    """Answers by path: a document, an error, a redirect, or never."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path in ("/openapi.json", "/api/openapi.json", "/spec.yaml"):
            body = DOCUMENT if self.path != "/spec.yaml" else b"openapi: 3.1.0\npaths: {/jobs: {get: {}}}\n"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        elif self.path == "/moved/openapi.json":
            self.send_response(302)
            self.send_header("Location", "/openapi.json")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/away/openapi.json":
            self.send_response(302)
            self.send_header("Location", "http://else.example/x.json")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/broken/openapi.json":
            self.send_response(200)
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"<p>")
        else:
            self.send_error(503)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(_Service, "asked", [], raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def asked_for(root: Path, url: str, seconds: float = 5.0) -> tuple[list[str], list[str], int]:
    """Problems and rules that are found when `jobs` is asked for at `url` instead of read, and the paths read."""
    files = checkout(["/jobs jobs", "/ web"], {"jobs": service("/elsewhere"), "web": service("/")})
    report = gated(files, root, services={"jobs": url}, seconds=seconds)
    return [str(problem) for problem in report.problems], rules(report.findings), report.checked.paths


@pytest.mark.parametrize("path", ["", "/", "/api", "/openapi.json", "/spec.yaml", "/moved"])
def test_the_document_of_a_running_service_takes_the_place_of_its_file(
    path: str, address: str, tmp_path: Path
) -> None:
    assert asked_for(tmp_path, address + path) == ([], [], 2)


def test_findings_in_a_running_service_name_its_url_and_pointer(address: str, tmp_path: Path) -> None:
    files = checkout(["/other jobs", "/ web"], {"web": service("/")})
    report = gated(files, tmp_path, services={"jobs": address})
    found = {finding.rule.id: finding.place for finding in report.findings}
    assert found["route.not-delivered"].file == f"{address}/openapi.json"
    assert found["route.not-delivered"].pointer == "/paths/~1jobs"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nothing", "/nothing/openapi.json: answers 503 Service Unavailable"),
        ("/broken", "/broken/openapi.json:1:1: isn't JSON: Expecting value"),
        (
            "/away",
            "/away/openapi.json: redirects to http://else.example/x.json; name that address if it is meant",
        ),
    ],
)
def test_what_is_no_document_is_one_line_with_the_url(path: str, said: str, address: str, tmp_path: Path) -> None:
    assert asked_for(tmp_path, address + path) == ([address + said], [], 1)


def test_a_service_that_says_nothing_costs_the_time_limit_and_no_more(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        found, _, _ = asked_for(tmp_path, url, 0.3)
        assert time.monotonic() - start < 3
    [problem] = found
    assert problem in (
        f"{url}: no document of jobs within 0.3 s; see --timeout",
        f"{url}/openapi.json: can't be fetched: timed out",
    )


def test_a_service_that_drips_is_cut_off_by_the_same_limit(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as dripping:
        url = f"http://127.0.0.1:{dripping.getsockname()[1]}"
        stop = threading.Event()
        thread = threading.Thread(target=_drip, args=(dripping, stop))
        thread.start()
        try:
            assert asked_for(tmp_path, url, 0.3)[0] == [f"{url}: no document of jobs within 0.3 s; see --timeout"]
        finally:
            stop.set()
            thread.join()


def _drip(listening: socket.socket, stop: threading.Event) -> None:
    connection, _ = listening.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while not stop.wait(0.05):
            connection.sendall(b" ")


def test_nobody_there_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}"
    assert asked_for(tmp_path, url)[0] == [f"{url}/openapi.json: can't be fetched: Connection refused"]


@pytest.mark.parametrize("url", ["ftp://host/openapi.json", "file:///etc/passwd", "http://"])
def test_only_http_is_asked(url: str, tmp_path: Path) -> None:
    assert asked_for(tmp_path, url)[0] == [f"{url}: the address of jobs must be an http or https URL, or a file"]


def test_a_file_will_do_too(tmp_path: Path) -> None:
    (tmp_path / "jobs.yaml").write_text("openapi: 3.1.0\npaths: {/jobs: {get: {}}}\n")
    assert asked_for(tmp_path / "checkout", str(tmp_path / "jobs.yaml")) == ([], [], 2)


def test_only_what_was_named_is_asked(address: str, tmp_path: Path) -> None:
    asked_for(tmp_path, address)
    assert _Service.asked == ["/openapi.json"]
