"""A Python function is asked in a fork of its own, and its document written where the checkout wants it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Answer, Composer, Ending, Identity, StartError
from gco_conformance.adapters.python import PythonComposer
from gco_conformance.adapters.spec import parse

from .implementations.processes import is_running, wait_for_pids, wait_until_gone

COMPOSING = Path(__file__).parent / "implementations" / "composing.py"

Functions = Callable[..., Composer]


@pytest.fixture
def function() -> Iterator[Functions]:
    """Starts a function of `composing.py`, with an exception or without, and closes it in the end."""
    started: list[Composer] = []

    def start(name: str, *, jobs: int = 1, timeout: float = 5.0) -> Composer:
        composer = parse(f"python:{COMPOSING}:{name}", jobs=jobs, timeout=timeout)
        started.append(composer)
        composer.start()
        return composer

    yield start
    for composer in started:
        composer.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "gateway-composition.yaml").write_text("output: out/composed.json\n")
    return tmp_path


def written(root: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads((root / "out/composed.json").read_text())
    return document


def test_it_says_what_it_is(function: Functions) -> None:
    composer = function("composes")
    assert (composer.door, composer.has_command_line) == ("python", False)
    assert composer.identity == Identity(language="Python")


def test_the_document_is_written_where_the_checkout_wants_it(function: Functions, root: Path) -> None:
    composer = function("composes")
    answer = composer.compose(root)
    assert answer == Answer(Ending.EXITED, 0, "composing out/composed.json: written\n", "")
    text = (root / "out/composed.json").read_text()
    assert text == f'{{\n  "calls": 1,\n  "root": "{root}",\n  "\\u00e9": [\n    1,\n    NaN\n  ]\n}}\n'
    assert composer.compose(root).stdout == "composing out/composed.json: unchanged\n"


@pytest.mark.parametrize("configuration", [None, "", "[", "output: 1", "- output: x", "\x00"])
def test_it_is_written_to_the_default_place_when_the_checkout_names_none(
    function: Functions, tmp_path: Path, configuration: str | None
) -> None:
    if configuration is not None:
        (tmp_path / "gateway-composition.yaml").write_text(configuration)
    assert function("composes").compose(tmp_path).exit == 0
    assert (tmp_path / "docs/openapi/cluster-gateway.json").exists()


def test_it_is_not_written_outside_the_checkout(function: Functions, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "gateway-composition.yaml").write_text("output: ../composed.json\n")
    answer = function("composes").compose(root)
    assert (answer.exit, answer.stderr) == (
        1,
        "../composed.json can't be written: it is outside the checkout\n",
    )
    assert list(tmp_path.iterdir()) == [root]


def test_check_compares_and_writes_nothing(function: Functions, root: Path) -> None:
    composer = function("composes")
    answer = composer.compose(root, check=True)
    assert (answer.exit, answer.stdout) == (1, "composing out/composed.json: missing\n")
    composer.compose(root)
    assert composer.compose(root, check=True).exit == 0
    (root / "out/composed.json").write_text("{}")
    answer = composer.compose(root, check=True)
    assert (answer.exit, answer.stdout) == (1, "composing out/composed.json: stale\n")
    assert written(root) == {}


def test_no_state_is_left_between_calls_in_one_process(function: Functions, root: Path) -> None:
    composer = function("composes")
    for _ in range(3):
        assert composer.compose(root).exit == 0
        assert written(root)["calls"] == 1
    composer = function("pids")
    seen = []
    for _ in range(3):
        composer.compose(root)
        seen.append(written(root))
    assert len({pids["host"] for pids in seen}) == 1
    assert len({pids["call"] for pids in seen}) == 3


def test_a_function_may_be_in_a_class(function: Functions, root: Path) -> None:
    assert function("Grouped.composes").compose(root).exit == 0


def test_it_is_found_by_module_name_from_the_directory_of_the_user(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COMPOSING.parent)
    composer = parse("python:composing:composes", jobs=1, timeout=5)
    composer.start()
    assert composer.compose(root).exit == 0
    composer.close()


def test_a_file_finds_its_neighbours_even_under_a_name_that_is_taken(root: Path, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("import neighbour\ncompose = neighbour.compose\n")
    (tmp_path / "neighbour.py").write_text("def compose(root): return {}\n")
    composer = parse(f"python:{tmp_path / 'json.py'}:compose", jobs=1, timeout=5)
    composer.start()
    assert composer.compose(root).exit == 0
    composer.close()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("refuses", "ERROR: two lines\n"),
        ("refuses:Refused", "ERROR: two lines\n"),
        ("raises_narrower", "ERROR: bad value\n"),
        ("raises_narrower:ValueError", "ERROR: bad value\n"),
        ("raises_narrower:builtins.ValueError", "ERROR: bad value\n"),
        ("raises_value_error:ValueError", "ERROR: bad value\n"),
        ("exits:SystemExit", "ERROR: 2\n"),
    ],
)
def test_a_refusal(function: Functions, root: Path, name: str, message: str) -> None:
    assert function(name).compose(root) == Answer(Ending.EXITED, 2, "", message)
    assert not (root / "out").exists()


@pytest.mark.parametrize(
    ("name", "last"),
    [
        (
            "raises_value_error",
            "ValueError counts as a crash; if the function refuses by ValueError, name it",
        ),
        ("exits", "SystemExit counts as a crash; if the function refuses by SystemExit, name it"),
        (
            "refuses:ValueError",
            "only ValueError counts as a refusal; if the function refuses by Refused, name it",
        ),
    ],
)
def test_any_other_exception_is_a_crash(function: Functions, root: Path, name: str, last: str) -> None:
    answer = function(name).compose(root)
    assert (answer.ending, answer.exit) == (Ending.EXITED, 1)
    assert answer.stderr.startswith("Traceback (most recent call last):\n")
    assert "python_host.py" not in answer.stderr
    assert last in answer.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("returns_a_list", "returned list, not a dict"),
        ("returns_a_set", "returned a dict that isn't JSON: Object of type set is not JSON serializable"),
    ],
)
def test_what_is_no_document_is_told_in_one_line(function: Functions, root: Path, name: str, problem: str) -> None:
    answer = function(name).compose(root)
    assert answer.exit == 1
    assert answer.stderr == f"python:{COMPOSING}:{name} {problem}\n"


def test_crashes_cost_their_own_call_alone(function: Functions, root: Path) -> None:
    hard, dying = function("exits_hard"), function("dies")
    for _ in range(2):
        assert hard.compose(root).exit == 7
        assert dying.compose(root) == Answer(Ending.DIED, None, "", "", "ended by signal SIGSEGV")


@pytest.mark.parametrize(
    ("name", "ending", "detail"),
    [
        ("hangs", Ending.HUNG, "no answer within 0.5 s"),
        ("babbles", Ending.BABBLED, "printed more than 8 MiB"),
    ],
)
def test_what_does_not_end_is_ended(
    function: Functions, root: Path, name: str, ending: Ending, detail: str
) -> None:
    composer = function(name, timeout=0.5 if name == "hangs" else 5.0)
    for _ in range(2):
        answer = composer.compose(root)
        assert (answer.ending, answer.exit, answer.detail) == (ending, None, detail)
        wait_until_gone(*wait_for_pids(root / "pids"))


def test_a_child_that_is_left_behind_is_ended(function: Functions, root: Path) -> None:
    assert function("leaves_a_child").compose(root).exit == 0
    wait_until_gone(*wait_for_pids(root / "pids"))


def test_a_daemon_that_is_left_behind_holds_up_nothing(function: Functions, root: Path) -> None:
    composer = function("leaves_a_daemon")
    began = time.monotonic()
    assert composer.compose(root).exit == 0
    assert composer.compose(root).exit == 0
    composer.close()
    assert time.monotonic() - began < 2


def test_a_reader_of_standard_input_finds_its_end(function: Functions, root: Path) -> None:
    assert function("reads").compose(root).exit == 0
    assert written(root) == {"read": ""}


def test_a_fresh_call_has_a_process_of_its_own(function: Functions, root: Path) -> None:
    composer = function("pids")
    composer.compose(root)
    usual = written(root)["host"]
    composer.compose(root, fresh=True)
    fresh = written(root)["host"]
    assert isinstance(fresh, int)
    assert fresh != usual
    assert not is_running(fresh)


def test_environment_and_size_limit_hold_for_one_call(function: Functions, root: Path) -> None:
    composer = function("environment")
    composer.compose(root, environment={"GREETING": "hello"})
    assert written(root) == {"greeting": "hello"}
    composer.compose(root)
    assert written(root) == {"greeting": ""}
    composer = function("big")
    answer = composer.compose(root, file_size_limit=500)
    assert answer.exit == 1
    assert "out/composed.json can't be written" in answer.stderr
    assert composer.compose(root, file_size_limit=5000).exit == 0


def test_several_threads_ask_at_once(function: Functions, tmp_path: Path) -> None:
    composer = function("composes", jobs=3)
    roots = [tmp_path / str(number) for number in range(24)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(composer.compose, roots))
    assert {answer.exit for answer in answers} == {0}
    for root in roots:
        document = json.loads((root / "docs/openapi/cluster-gateway.json").read_text())
        assert document["root"] == str(root)


def test_closing_ends_a_call_in_another_thread(function: Functions, root: Path) -> None:
    composer = function("hangs", timeout=30)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(composer.compose, root)
        wait_for_pids(root / "pids")
        composer.close()
        assert future.result(2).ending is Ending.DIED
    wait_until_gone(*wait_for_pids(root / "pids"))


@pytest.mark.parametrize("target", [str(COMPOSING), "composing"])
@pytest.mark.parametrize("name", ["composes", "Grouped.composes"])
def test_a_line_to_paste_prints_the_document(
    target: str, name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(COMPOSING.parent)
    line = parse(f"python:{target}:{name}", jobs=1, timeout=5).command_line()
    place = {**os.environ, "root": str(root)}
    done = subprocess.run(line, shell=True, env=place, capture_output=True, text=True, check=True, timeout=5)
    assert json.loads(done.stdout.removeprefix("composing "))["root"] == str(root)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            "import no_such_module",
            "importing it failed: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("x = 1\n1/0", "importing it failed: ZeroDivisionError: division by zero ({file}, line 2)"),
        ("x = (", "importing it failed: SyntaxError: '(' was never closed ({file}, line 1)"),
        ("import sys; sys.exit(4)", "importing it failed: SystemExit: 4"),
        ("import os; os._exit(4)", "ended with exit status 4 without an answer"),
        ("import time; time.sleep(60)", "no answer within 0.3 s"),
        ("compose = 1", "{file} has no function 'compose'"),
        ("", "{file} has no function 'compose'"),
    ],
)
def test_a_function_that_cannot_be_had_is_a_start_error(tmp_path: Path, source: str, problem: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(source)
    limit = 0.3 if "sleep" in source else 5
    composer = PythonComposer(str(file), "compose", "", jobs=1, timeout=limit, cwd=tmp_path, start_timeout=limit)
    with pytest.raises(StartError) as caught:
        composer.start()
    assert problem.format(file=file) in caught.value.message
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_a_start_error(tmp_path: Path) -> None:
    composer = PythonComposer("missing.py", "compose", "", jobs=1, timeout=1, cwd=tmp_path)
    with pytest.raises(StartError, match=r"there is no file missing\.py"):
        composer.start()
