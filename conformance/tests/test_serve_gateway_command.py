"""`gco-conformance serve-gateway`: a checkout's gateway on a port, as a mock for its clients."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.directory import read_checkout
from gco_conformance.checkouts.route import Route
from gco_conformance.errors import UsageError

CONTENT = {"application/json": {"schema": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
JOB = operation("A job", responses={"200": {"description": "ok", "content": CONTENT}})
CHECKOUT = build(
    [Route("/", "alpha", 80), Route("/jobs", "beta", 81)],
    {
        "alpha": service({"/health": {"get": operation("Health")}, "/jobs": {"get": operation("Lost")}}),
        "beta": service({"/jobs/{id}": {"get": JOB}, "/lost": {"get": operation("Lost")}}),
    },
    {"unauthenticated_paths": ["/health"], "server": {"url": "https://gw.example/prod"}},
)
TABLE = """\
/ → alpha:80
    GET  /prod/health  (open)
/jobs → beta:81
    GET  /prod/jobs/{id}  (signed)
not delivered: /jobs of alpha, /jobs takes it to beta
not delivered: /lost of beta, / takes it to alpha
"""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gco_conformance", "serve-gateway", *arguments]


@contextmanager
def serving(root: Path, *arguments: str) -> Iterator[tuple[str, str]]:
    """The table and the address of a running gateway."""
    with subprocess.Popen(
        command(str(root), "--port", "0", *arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            table = ""
            while not (line := process.stdout.readline()).startswith("http:"):
                assert line, "it ended"
                table += line
            yield table, line.split(" ")[0]
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0


def test_it_shows_its_routes_and_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    CHECKOUT.write(tmp_path)
    with serving(tmp_path) as (table, address):
        assert table == TABLE
        with urllib.request.urlopen(f"{address}/health") as answer:
            assert answer.headers["x-gco-simulated-service"] == "alpha"
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            urllib.request.urlopen(f"{address}/jobs/a%2Fb")
        assert refused.value.headers["x-gco-simulated-operation"] == "GET /jobs/{id}"
        refused.value.close()


def test_without_signatures_it_is_a_mock_for_everybody(tmp_path: Path) -> None:
    CHECKOUT.write(tmp_path)
    with serving(tmp_path, "--unsigned", "--seed", "3") as (table, address):
        assert "signed" not in table
        with urllib.request.urlopen(f"{address}/jobs/7") as answer:
            assert isinstance(json.load(answer), dict)


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    CHECKOUT.write(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            command(str(tmp_path), "--port", port), capture_output=True, text=True, check=False, timeout=30
        )
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert port in line
    assert "--port" in line


def test_a_document_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    CHECKOUT.write(tmp_path)
    file = tmp_path / "services" / "beta.json"
    file.write_text(file.read_text().replace('"summary": "A job",', '"parameters": [{"$ref": "#/nowhere"}],'))
    done = subprocess.run(command(str(tmp_path)), capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "the document of beta can't be used: Dangling: /nowhere" in line


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("gateway-composition.yaml", "manifest: manifest.yaml", "", "manifest must name a file"),
        ("gateway-composition.yaml", "manifest: manifest.yaml", "manifest: [", "gateway-composition.yaml:"),
        ("gateway-composition.yaml", "manifest.yaml", "other.yaml", "other.yaml: No such file"),
        ("gateway-composition.yaml", "- beta\n", "", "no document for beta"),
        ("gateway-composition.yaml", "services:\n", "services: alpha\nothers:\n", "must be a list of names"),
        ("manifest.yaml", "kind: HTTPRoute", "kind: GRPCRoute", "there are 0"),
        ("manifest.yaml", "name: routes\n", "name: [\n", "isn't YAML"),
        (
            "manifest.yaml",
            "        value: /jobs",
            "        value: /jobs\n      method: GET",
            "rule 2: matches by more",
        ),
        (
            "manifest.yaml",
            "type: PathPrefix\n        value: /jobs",
            "type: Exact\n        value: /j",
            "rule 2: has",
        ),
        ("manifest.yaml", "port: 81", "weight: 7", "needs a name and a port"),
        ("services/beta.json", '"paths": {', '"paths": [', "services/beta.json: isn't JSON"),
        ("services/beta.json", '"paths"', '"openpaths"', ""),
    ],
)
def test_what_cannot_be_served_is_told_with_its_place(
    file: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    CHECKOUT.write(tmp_path)
    text = (tmp_path / file).read_text()
    assert text.count(old) == 1
    (tmp_path / file).write_text(text.replace(old, new))
    if not said:
        assert read_checkout(tmp_path).services()["beta"]["openapi"] == "3.1.0"
        return
    with pytest.raises(UsageError, match=said.replace("(", r"\(")) as error:
        read_checkout(tmp_path)
    assert file.split("/")[-1] in str(error.value) or "other.yaml" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_directory_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no directory"):
        read_checkout(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"gateway-composition\.yaml: No such file"):
        read_checkout(tmp_path)


def test_what_is_read_is_the_checkout(tmp_path: Path) -> None:
    CHECKOUT.write(tmp_path)
    (tmp_path / "more.txt").write_text("not part of it")
    assert read_checkout(tmp_path) == CHECKOUT
