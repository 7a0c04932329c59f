"""`gco-reference compose` and `serve`: what they print, return and write (contract section 5)."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gco_reference.serve import serve

Make = Callable[..., Any]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def checkout(make_checkout: Make, make_operation: Make) -> Any:
    return make_checkout(alpha={"paths": {"/alpha": {"get": make_operation(description="größer")}}})


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_writing_checking_and_noticing(checkout: Any, run: Run) -> None:
    root, output = checkout.root, checkout.root / "composed.json"
    before = files(root)
    code, stdout, stderr = run("compose", root, "--check")
    assert (code, stdout) == (1, "composed.json: missing\n")
    assert "gco-reference compose" in stderr
    assert files(root) == before
    assert run("compose", root) == (0, "composed.json: written\n", "")
    assert run("compose", root) == (0, "composed.json: unchanged\n", "")
    assert run("compose", root, "--check") == (0, "", "")
    written = output.read_bytes()
    output.write_bytes(written + b"\n")
    assert run("compose", root, "--check")[:2] == (1, "composed.json: stale\n")
    assert output.read_bytes() == written + b"\n"
    assert run("compose", root) == (0, "composed.json: written\n", "")
    assert files(root) == {**before, "composed.json": written}


def test_the_text_is_made_for_a_diff(checkout: Any, run: Run) -> None:
    run("compose", checkout.root)
    text = checkout.read("composed.json")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    assert "gr\\u00f6\\u00dfer" in text


def test_a_refusal_is_one_line_and_leaves_everything(checkout: Any, run: Run) -> None:
    run("compose", checkout.root)
    checkout.edit("manifest.yaml", "port: 443", "port: [443]")
    before = files(checkout.root)
    for options in ([], ["--check"]):
        code, stdout, stderr = run("compose", checkout.root, *options)
        assert (code, stdout) == (2, "")
        assert stderr.startswith("ERROR: manifest.yaml:12: ")
        assert stderr.count("\n") == 1
    assert files(checkout.root) == before


@pytest.mark.parametrize("output", ["manifest.yaml", "services/alpha.json", "gateway-composition.yaml"])
def test_the_output_never_overwrites_an_input(checkout: Any, run: Run, output: str) -> None:
    checkout.edit("gateway-composition.yaml", "output: composed.json", f"output: {output}")
    before = files(checkout.root)
    code, _, stderr = run("compose", checkout.root)
    assert (code, f"overwrite {output}" in stderr) == (2, True)
    assert files(checkout.root) == before


def test_a_directory_where_a_file_is_expected(checkout: Any, run: Run) -> None:
    (checkout.root / "composed.json").mkdir()
    assert run("compose", checkout.root)[::2] == (
        2,
        "ERROR: composed.json: a directory, where the output file is expected\n",
    )
    checkout.edit("gateway-composition.yaml", "manifest: manifest.yaml", "manifest: services")
    assert run("compose", checkout.root)[::2] == (2, "ERROR: services: a directory, where a file is expected\n")


def test_directories_of_the_output_are_made_and_its_mode_is_kept(checkout: Any, run: Run) -> None:
    checkout.edit("gateway-composition.yaml", "output: composed.json", "output: new/deep/composed.json")
    assert run("compose", checkout.root)[0] == 0
    output = checkout.root / "new/deep/composed.json"
    output.chmod(0o640)
    output.write_text("old")
    assert run("compose", checkout.root)[0] == 0
    assert output.stat().st_mode & 0o777 == 0o640


def test_a_linked_output_stays_a_link(checkout: Any, run: Run) -> None:
    (checkout.root / "real.json").write_text("old")
    (checkout.root / "composed.json").symlink_to("real.json")
    assert run("compose", checkout.root)[0] == 0
    assert (checkout.root / "composed.json").is_symlink()
    assert json.loads(checkout.read("real.json"))["openapi"] == "3.1.0"


def test_a_failed_write_leaves_the_old_file_and_no_other(checkout: Any) -> None:
    checkout.write("composed.json", "old")
    before = files(checkout.root)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    command = [sys.executable, "-m", "gco_reference", "compose", str(checkout.root)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, env=environment, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ERROR: composed.json: can't be written: ")
    assert files(checkout.root) == before


@pytest.mark.parametrize(
    "arguments", [[], ["compose"], ["compose", "a", "b"], ["compose", "a", "--chek"], ["mix"]]
)
def test_usage_errors(run: Run, arguments: list[str]) -> None:
    code, stdout, stderr = run(*arguments)
    assert (code, stdout) == (2, "")
    assert "usage: gco-reference" in stderr


def test_a_root_that_is_none(run: Run, tmp_path: Path) -> None:
    assert run("compose", tmp_path / "gone")[::2] == (2, f"ERROR: {tmp_path}/gone: no such directory\n")
    (tmp_path / "file").write_text("")
    assert run("compose", tmp_path / "file")[::2] == (2, f"ERROR: {tmp_path}/file: not a directory\n")


def test_a_full_standard_output_is_one_line(checkout: Any) -> None:
    command = [sys.executable, "-m", "gco_reference", "compose", str(checkout.root)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("ERROR: ")
    assert done.stderr.count("\n") == 1


def answers(*requests: Any) -> list[Any]:
    written = io.StringIO()
    serve((request if isinstance(request, str) else json.dumps(request) for request in requests), written)
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_serving_gives_what_the_command_line_gives(checkout: Any, run: Run) -> None:
    root = str(checkout.root)
    hello, missing, written, current, refused = answers(
        {"protocol": "gco-composer-stdio/1", "id": 0, "call": "hello"},
        {"id": 1, "call": "compose", "root": root, "check": True},
        {"id": 2, "call": "compose", "root": root, "check": False},
        {"id": 3, "call": "compose", "root": root, "check": True},
        {"id": 4, "call": "compose", "root": root + "/gone", "check": False},
    )
    assert (hello["protocol"], hello["id"], hello["language"]) == ("gco-composer-stdio/1", 0, "Python")
    assert (missing["id"], missing["exit"], missing["stdout"]) == (1, 1, "composed.json: missing\n")
    assert written == {"id": 2, "exit": 0, "stdout": "composed.json: written\n", "stderr": ""}
    assert current == {"id": 3, "exit": 0, "stdout": "", "stderr": ""}
    assert (refused["exit"], refused["stderr"]) == run("compose", root + "/gone")[::2]


def test_serving_survives_what_is_no_request() -> None:
    broken, unknown, hello = answers("{", {"id": 1, "call": "sing"}, {"id": 2, "call": "hello"})
    assert (broken["id"], unknown["id"], hello["id"]) == (None, 1, 2)
    assert "error" in broken
    assert "error" in unknown
