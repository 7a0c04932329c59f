"""A long-lived process is asked line by line, and one that misbehaves costs its call alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters.answer import Answer, Ending, Identity, StartError
from gco_conformance.adapters.schema import schema, validator
from gco_conformance.adapters.spec import parse
from gco_conformance.adapters.stdio import StdioComposer

from .implementations.processes import is_reaped, wait_until_gone

SPEAKING = Path(__file__).parent / "implementations" / "speaking.py"
ROOT = Path("/the root")

Speaker = Callable[..., StdioComposer]


@pytest.fixture
def speaker() -> Iterator[Speaker]:
    """Starts `speaking.py` with a behaviour, and closes it in the end."""
    started: list[StdioComposer] = []

    def start(behaviour: str = "answers", *, jobs: int = 1, timeout: float = 5.0) -> StdioComposer:
        argv = [sys.executable, "-IS", str(SPEAKING), behaviour]
        composer = StdioComposer(argv, jobs=jobs, timeout=timeout, cwd=Path.cwd(), bound=100_000)
        started.append(composer)
        composer.start()
        return composer

    yield start
    for composer in started:
        composer.close()


def process_of(answer: Answer) -> int:
    assert answer.ending is Ending.EXITED, answer
    return int(answer.stdout.split()[0])


def test_the_handshake_tells_who_it_is(speaker: Speaker) -> None:
    assert speaker().identity == Identity("speaking", "1.0", "Python", "https://speaking.example")


def test_an_answer_is_what_a_command_line_would_give(speaker: Speaker) -> None:
    assert speaker("refuses").compose(ROOT) == Answer(Ending.EXITED, 2, "", "ERROR: no\n")


def test_one_process_answers_all_calls_of_a_thread(speaker: Speaker) -> None:
    composer = speaker(jobs=4)
    assert len({process_of(composer.compose(ROOT)) for _ in range(20)}) == 1


def test_threads_are_answered_by_no_more_processes_than_jobs(speaker: Speaker) -> None:
    composer = speaker(jobs=3)
    roots = [Path(f"/root/{number}") for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(composer.compose, roots))
    assert [answer.stdout.split()[1] for answer in answers] == [str(root) for root in roots]
    assert len({process_of(answer) for answer in answers}) <= 3


def test_requests_keep_to_the_published_schema(speaker: Speaker) -> None:
    requests = validator("composer-stdio-1.request")
    for check in (False, True):
        request = json.loads(speaker("echoes the request").compose(ROOT, check=check).stdout)
        requests.validate(request)
        assert (request["root"], request["check"]) == ("/the root", check)


@pytest.mark.parametrize("name", ["composer-stdio-1.request", "composer-stdio-1.response"])
def test_the_published_schemas_are_schemas(name: str) -> None:
    validator(name).check_schema(schema(name))


def test_a_line_to_paste_repeats_the_call(speaker: Speaker) -> None:
    line = speaker().command_line()
    root = {**os.environ, "root": "/the root"}
    done = subprocess.run(line, shell=True, env=root, capture_output=True, text=True, check=True, timeout=5)
    hello, answer = map(json.loads, done.stdout.splitlines())
    assert hello["name"] == "speaking"
    assert answer["stdout"].endswith("/the root\n")


@pytest.mark.parametrize("how", [{"fresh": True}, {"environment": {"GREETING": "x"}}, {"file_size_limit": 5000}])
def test_a_fresh_call_has_a_process_of_its_own(speaker: Speaker, how: dict[str, Any]) -> None:
    composer = speaker()
    first = process_of(composer.compose(ROOT))
    fresh, again = (process_of(composer.compose(ROOT, **how)) for _ in range(2))
    last = process_of(composer.compose(ROOT))
    assert first == last
    assert len({first, fresh, again}) == 3
    assert is_reaped(fresh)


def test_the_environment_of_a_call_is_added(speaker: Speaker) -> None:
    composer = speaker("echoes the environment")
    assert composer.compose(ROOT, environment={"GREETING": "hello"}).stdout == "hello"
    assert composer.compose(ROOT).stdout == ""


def test_the_size_limit_of_a_call_applies_to_its_process(speaker: Speaker, tmp_path: Path) -> None:
    composer = speaker("writes 1000 bytes")
    assert composer.compose(tmp_path, file_size_limit=1000).ending is Ending.EXITED
    answer = composer.compose(tmp_path, file_size_limit=999)
    assert answer.ending is Ending.DIED
    assert "File too large" in answer.detail
    assert composer.compose(tmp_path).ending is Ending.EXITED


def test_a_hung_process_is_ended_with_its_descendants_and_replaced(speaker: Speaker) -> None:
    composer = speaker("hangs with a child", timeout=0.4)
    began = time.monotonic()
    first = composer.compose(ROOT)
    second = composer.compose(ROOT)
    assert time.monotonic() - began < 3
    for answer in (first, second):
        assert (answer.ending, answer.exit, answer.detail) == (Ending.HUNG, None, "no answer within 0.4 s")
    assert first.stderr != second.stderr
    wait_until_gone(int(first.stderr), int(second.stderr))


MISBEHAVIOUR = {
    "dies": "ended with exit status 3 without an answer; its standard error ends with 'out of luck'",
    "is killed": "ended by signal SIGSEGV without an answer",
    "says no JSON": "answered compose with 'composed it', which isn't a JSON object",
    "says a list": "answered compose with '[]': [] is not of type 'object'",
    "says another id": "where id ",
    "says no exit": "'exit' is a required property",
    "says a wrong exit": "at $.exit: 256 is greater than the maximum of 255",
    "says it twice": "gave more than one line for an answer: '",
    "never ends its line": "gave a line of more than 100000 bytes for an answer: 'xxx",
    "closes its output": "closed its standard output without an answer",
}


@pytest.mark.parametrize(("behaviour", "detail"), MISBEHAVIOUR.items())
def test_a_broken_conversation_is_told_in_one_line_and_the_process_replaced(
    speaker: Speaker, behaviour: str, detail: str
) -> None:
    composer = speaker(behaviour)
    for _ in range(2):
        answer = composer.compose(ROOT)
        assert (answer.ending, answer.exit) == (Ending.DIED, None)
        assert detail in answer.detail
        assert "\n" not in answer.detail
        assert len(answer.detail) < 500


def test_a_flood_of_standard_error_is_babble(speaker: Speaker) -> None:
    answer = speaker("floods its standard error").compose(ROOT)
    assert (answer.ending, answer.detail) == (Ending.BABBLED, "printed more than 100000 bytes")


def test_a_process_that_ends_after_its_answer_is_told_at_the_next_call_and_replaced(speaker: Speaker) -> None:
    composer = speaker("dies afterwards")
    assert composer.compose(ROOT).ending is Ending.EXITED
    time.sleep(0.05)
    answer = composer.compose(ROOT)
    assert answer.ending is Ending.DIED
    assert answer.detail.startswith("ended with exit status 0 by itself after its last answer")
    assert composer.compose(ROOT).ending is Ending.EXITED


def test_a_slow_start_is_no_slow_answer(speaker: Speaker) -> None:
    composer = speaker("starts slowly", timeout=0.4)
    assert composer.compose(ROOT).ending is Ending.EXITED
    assert composer.compose(ROOT, fresh=True).ending is Ending.EXITED


@pytest.mark.parametrize("behaviour", ["answers", "stays after the end of input"])
def test_nothing_runs_after_closing(speaker: Speaker, behaviour: str) -> None:
    composer = speaker(behaviour, jobs=2)
    process = process_of(composer.compose(ROOT))
    composer.close()
    assert is_reaped(process)
    assert composer.compose(ROOT).detail == "not asked, since the run was stopped"


def test_closing_ends_a_call_in_another_thread(speaker: Speaker) -> None:
    composer = speaker("hangs", timeout=30)
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(composer.compose, ROOT)
        time.sleep(0.1)
        composer.close()
        assert future.result(2).ending is Ending.DIED


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("exec true", "ended with exit status 0 without an answer"),
        ("echo no licence >&2; exit 3", "its standard error ends with 'no licence'"),
        ("echo Welcome; cat", "'Welcome'"),
        ("cat", "'name' is a required property"),
        ("sleep 60", "no answer within 0.2 s"),
    ],
)
def test_a_failed_handshake_is_a_start_error(script: str, problem: str) -> None:
    limit = 0.2 if script.startswith("sleep") else 5
    composer = StdioComposer(["sh", "-c", script], jobs=1, timeout=limit, cwd=Path.cwd(), start_timeout=limit)
    with pytest.raises(StartError) as caught:
        composer.start()
    assert problem in caught.value.message
    assert '"call": "hello"' in caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_program_that_is_not_there_is_a_start_error() -> None:
    with pytest.raises(StartError, match="no program named 'no-such-composer' on PATH"):
        parse("stdio:no-such-composer", jobs=1, timeout=1).start()
