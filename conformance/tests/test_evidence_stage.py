"""The vocabulary of aggregator checks: what it does to an aggregator, and what it makes of what was seen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters.answer import Ending, Identity
from gco_conformance.adapters.function import Invocation
from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stages
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.suite.inside import no_other_host
from gco_conformance.world.faults import Reset, Status
from gco_conformance.world.world import World

from .world_harness import EU, US, Played, playing, signed

Ask = Callable[[], Mapping[str, Any]]


class Scripted:
    """An instance that answers what it is told to, and notes what is done to it."""

    def __init__(self, ask: Ask, seconds: float) -> None:
        self.done: list[str] = []
        self.ending = Ending.EXITED
        self._ask = ask
        self._seconds = seconds

    def invoke(self, event: Mapping[str, Any], *, time_limit: float = 30.0) -> Invocation:
        del event, time_limit
        return Invocation(self.ending, self._ask(), "", self._seconds)

    def freeze(self) -> None:
        self.done.append("freeze")

    def thaw(self) -> None:
        self.done.append("thaw")

    def log(self) -> str:
        return ""

    def close(self) -> None:
        self.done.append("close")


class ScriptedFunction:
    door = "scripted"
    identity = Identity()

    def __init__(self, ask: Ask, *, starts_cold: str = "", moves_time: str = "", seconds: float = 0.0) -> None:
        self.starts_cold = starts_cold
        self.moves_time = moves_time
        self.instance = Scripted(ask, seconds)

    def start(self) -> None:
        """Nothing to do."""

    def cold(self, environment: Mapping[str, str], clock_file: Path) -> Scripted:
        del environment, clock_file
        return self.instance

    def close(self) -> None:
        """Nothing to do."""


def answer(status: int = 200, body: str = "{}", headers: object = None) -> dict[str, Any]:
    return {"statusCode": status, "headers": headers, "body": body}


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


def stages(played: Played, function: ScriptedFunction, *, real_time: bool = False) -> Stages:
    return Stages(function, partial(World, played.servers), {}, 0, real_time=real_time)


def test_a_fault_that_did_not_strike_leaves_the_check_untested(played: Played) -> None:
    def check(ask_region: bool) -> None:
        function = ScriptedFunction(answer)
        with stages(played, function).open(US, EU) as aws:
            aws.region(US).fails(Status(500))
            if ask_region:
                played.ask(aws.world, US)
            aws.get("/").has_status(200)

    check(ask_region=True)
    with pytest.raises(NotTested, match=f"status of {US}"):
        check(ask_region=False)


def test_what_was_seen_to_be_wrong_outweighs_a_fault_that_did_not_strike(played: Played) -> None:
    def check() -> None:
        with stages(played, ScriptedFunction(answer)).open(US) as aws:
            aws.region(US).fails(Reset())
            aws.get("/").has_status(404)

    with pytest.raises(Violation, match="another status"):
        check()


def test_a_process_stands_still_while_it_is_frozen(played: Played) -> None:
    function = ScriptedFunction(answer)
    with stages(played, function).open(US) as aws:
        aws.get("/")
        with aws.frozen():
            assert function.instance.done == ["freeze"]
        assert function.instance.done == ["freeze", "thaw"]


def test_an_aggregator_that_never_answers_is_not_waited_for_again_and_again(played: Played) -> None:
    function = ScriptedFunction(answer)
    function.instance.ending = Ending.HUNG
    found = stages(played, function)
    for ending in (Ending.HUNG, Ending.DIED, Ending.HUNG):
        function.instance.ending = ending
        with found.open(US) as aws:
            aws.get("/")
    with found.open(US) as aws, pytest.raises(NotTested, match="isn't asked again"):
        aws.get("/")
    found = stages(played, function)
    for ending in (Ending.HUNG, Ending.EXITED, Ending.HUNG, Ending.HUNG, Ending.HUNG):
        function.instance.ending = ending
        with found.open(US) as aws:
            aws.get("/")
    assert found.patience.lost == ""


def test_a_process_that_is_not_the_kits_is_not_frozen(played: Played) -> None:
    function = ScriptedFunction(answer, starts_cold="it runs already")
    with stages(played, function).open(US) as aws:
        aws.get("/")
        with pytest.raises(NotTested, match="it runs already"), aws.frozen():
            raise AssertionError("it isn't frozen")


@pytest.mark.parametrize(("seconds", "fresh"), [(0, True), (6, False)])
def test_a_signature_is_as_old_as_the_request_was_late(played: Played, seconds: float, fresh: bool) -> None:
    with stages(played, ScriptedFunction(answer)).open(US) as aws:
        api = aws.region(US)
        headers = signed(aws.world, "GET", api.url + "/api/v1/jobs", region=US)
        aws.time_passes(seconds)
        played.send(api.host, "GET", "/prod/api/v1/jobs", headers)
        if fresh:
            aws.signed_when_sent(4)
        else:
            with pytest.raises(Violation, match=r"at most 4 s before it arrives, not [67]\.\d\d s"):
                aws.signed_when_sent(4)


@pytest.mark.parametrize("anew", [True, False])
def test_attempts_with_one_signature_are_told_from_others(played: Played, anew: bool) -> None:
    with stages(played, ScriptedFunction(answer)).open(US) as aws:
        api = aws.region(US)
        mark = aws.mark()
        headers = signed(aws.world, "GET", api.url + "/api/v1/jobs", region=US)
        played.send(api.host, "GET", "/prod/api/v1/jobs", headers)
        time.sleep(1)  # a signature's date has whole seconds
        again = signed(aws.world, "GET", api.url + "/api/v1/jobs", region=US) if anew else headers
        played.send(api.host, "GET", "/prod/api/v1/jobs", again)
        aws.each_signed_anew(since=mark, apart=5)  # quick ones may be of the same second
        if anew:
            aws.each_signed_anew(since=mark, apart=0.9)
        else:
            with pytest.raises(Violation, match=rf"at {US} signed anew, not as another was 1\.\d s before"):
                aws.each_signed_anew(since=mark, apart=0.9)


CLOCK_OF_ITS_OWN = "it has a clock of its own"


def test_what_needs_moved_time_is_left_where_there_is_none(played: Played) -> None:
    function = ScriptedFunction(answer, moves_time=CLOCK_OF_ITS_OWN)
    with stages(played, function).open(US) as aws, pytest.raises(NotTested, match="--real-time"):
        aws.needs_moved_time()


@pytest.mark.parametrize(
    ("moves_time", "waited"), [(CLOCK_OF_ITS_OWN, [300.0]), ("", [])], ids=["waited", "moved"]
)
def test_time_is_waited_for_only_where_it_cannot_be_moved(
    played: Played, moves_time: str, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    function = ScriptedFunction(answer, moves_time=moves_time)
    with stages(played, function, real_time=True).open(US) as aws:
        aws.needs_moved_time()
        with monkeypatch.context() as patch:
            patch.setattr("gco_conformance.evidence.stage.time.sleep", slept.append)
            aws.time_passes(300.0)
        assert slept == waited
        assert aws.world.clock.offset == (0 if waited else 300)


def reply_of(payload: Mapping[str, Any], seconds: float = 0.0) -> Reply:
    return Reply({}, Invocation(Ending.EXITED, payload, "", seconds), ())


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_json_has_no_body(constant: str) -> None:
    reply = reply_of(answer(body=f'{{"total": {constant}}}'))
    assert reply.body is None
    with pytest.raises(Violation):
        reply.says(total=None)


def test_a_refusal_names_the_field() -> None:
    refusal = answer(400, json.dumps({"error": "limit must be a number"}))
    reply_of(refusal).refuses("limit")
    reply_of(refusal).refuses("")
    for other in (refusal | {"statusCode": 422}, answer(400, '{"error": 7}'), answer(400, "limit"), answer(400)):
        with pytest.raises(Violation, match="refused"):
            reply_of(other).refuses("")
    with pytest.raises(Violation, match="refused"):
        reply_of(refusal).refuses("namespace")


def test_headers_are_found_in_any_case() -> None:
    reply = reply_of(answer(headers={"Content-Type": "a", "ALLOW": "b"}))
    assert reply.headers == {"content-type": "a", "allow": "b"}


@pytest.mark.parametrize("headers", [None, [], "x"], ids=repr)
def test_there_may_be_no_headers(headers: object) -> None:
    assert reply_of(answer(headers=headers)).headers == {}


def test_an_answer_is_late_when_it_came_after_that_time() -> None:
    reply_of(answer(), seconds=24.9).came_within(25)
    with pytest.raises(Violation, match="too late") as late:
        reply_of(answer(), seconds=41.6).came_within(25)
    assert "41.6 s" in str(late.value.actual)
    hung = Reply({}, Invocation(Ending.HUNG, None, "no answer within 60 s", 60.0), ())
    with pytest.raises(Violation, match="too late"):
        hung.came_within(70)


@pytest.mark.parametrize(
    ("strays", "lost", "outcome"),
    [
        ([], "", "passed"),
        (["example.com"], "", "failed"),
        ([], "silent", "not-tested"),
        (["a.b"], "silent", "failed"),
    ],
)
def test_that_no_other_host_was_looked_for_shows_nothing_of_who_did_nothing(
    strays: list[str], lost: str, outcome: str
) -> None:
    assert no_other_host(strays, lost).outcome.value == outcome
