"""A regional API of the world: what it accepts, in which order it checks, and what it answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from gco_conformance.world.regional import HEALTH, JOBS, STATUS
from gco_conformance.world.world import World

from .world_harness import EU, US, Played, a_world, entries_of, playing, signed


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


@pytest.fixture
def world(played: Played) -> Iterator[World]:
    with a_world(played) as world:
        yield world


def test_every_region_is_healthy_until_it_is_told_otherwise(played: Played, world: World) -> None:
    for region in (US, EU):
        assert played.ask(world, region, JOBS).json() == {"jobs": [], "total": 0}
        assert played.ask(world, region, HEALTH).json()["status"] == "healthy"
        assert played.ask(world, region, STATUS).json()["cluster_id"] == f"gco-{region}"
        deleted = played.ask(world, region, JOBS, method="DELETE", body={"dry_run": True})
        assert deleted.json() == {
            "dry_run": True,
            "total_matched": 0,
            "deleted_count": 0,
            "failed_count": 0,
        }


def test_a_region_answers_what_it_was_told(played: Played, world: World) -> None:
    world.region(US).answers(json={"jobs": [1], "total": 7}).answers(
        HEALTH, status=503, json={"status": "degraded"}
    )
    world.region(EU).answers(body=b"\xff not JSON", headers={"Content-Type": "text/html", "X-More": "1"})
    assert played.ask(world, US).json() == {"jobs": [1], "total": 7}
    health = played.ask(world, US, HEALTH)
    assert (health.status, health.json()) == (503, {"status": "degraded"})
    other = played.ask(world, EU)
    assert other.data == b"\xff not JSON"
    assert other.headers.getlist("content-type") == ["text/html"]
    assert other.headers["x-more"] == "1"


def test_what_is_said_last_holds_and_other_methods_keep_their_answers(played: Played, world: World) -> None:
    region = world.region(US).answers(json={"total": 1}, method="GET").answers(json={"total": 2}, method="GET")
    assert played.ask(world, US).json() == {"total": 2}
    assert "total_matched" in played.ask(world, US, method="DELETE", body={}).json()
    region.answers(json={"total": 3})
    assert played.ask(world, US, method="DELETE", body={}).json() == {"total": 3}


def test_answers_can_be_meant_for_single_requests(played: Played, world: World) -> None:
    world.region(US).answers(json={"total": 1}).answers(status=503, json={}, on=[1, 3])
    assert [played.ask(world, US).status for _ in range(4)] == [503, 200, 503, 200]


def test_numbers_and_texts_that_json_does_not_know_can_be_answered(played: Played, world: World) -> None:
    world.region(US).answers(json={"total": float("nan"), "name": "\ud800"})
    assert played.ask(world, US).data == b'{"total":NaN,"name":"\xed\xa0\x80"}'


def test_an_answer_comes_after_the_time_that_was_said(played: Played, world: World) -> None:
    world.region(US).answers(after=0.15)
    began = time.monotonic()
    played.ask(world, US)
    assert 0.15 <= time.monotonic() - began < 5


def test_requests_are_written_down_as_they_were_sent(played: Played, world: World) -> None:
    body = {"dry_run": False, "namespace": "team"}
    played.ask(world, US, JOBS + "?limit=2", method="DELETE", body=body, headers={"X-Mine": "a  b"})
    (request,) = world.region(US).requests()
    assert (request.method, request.path, request.query) == ("DELETE", "/prod/api/v1/jobs", "limit=2")
    assert json.loads(request.body) == body
    assert request.header("x-mine") == "a  b"
    assert request.header("x-amz-security-token") == world.session_token
    assert request.status is None
    assert request.region == US
    assert world.region(EU).requests() == ()


def test_answers_are_written_down_before_the_client_has_them(played: Played, world: World) -> None:
    for number in range(20):
        played.ask(world, US)
        assert len(world.journal.entries("answer", US)) == number + 1
    answer = world.journal.entries("answer", US)[0]
    assert answer.status == 200
    assert json.loads(answer.body) == {"jobs": [], "total": 0}


def test_a_connection_is_used_for_many_requests(played: Played, world: World) -> None:
    for _ in range(5):
        played.ask(world, US)
    assert entries_of(world.region(US), "connection") == [""]
    assert entries_of(world.region(US), "tls") == [""]
    assert len({request.connection for request in world.region(US).requests()}) == 1


def test_a_connection_ends_when_the_client_says_so(played: Played, world: World) -> None:
    assert played.ask(world, US, headers={"Connection": "close"}).status == 200
    assert played.ask(world, US).status == 200
    assert len(entries_of(world.region(US), "connection")) == 2
    for host in (world.region(US).host, f"cloudformation.{US}.amazonaws.com"):
        with played.handshake(host, name=host) as secured, secured.makefile("rb") as answer:
            secured.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert b"Connection: close" in answer.read()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"region": EU}, "valid region"),
        ({"service": "lambda"}, "correct service"),
        ({"body": b"{}"}, "does not match the signature"),
    ],
)
def test_a_badly_signed_request_is_answered_as_api_gateway_does(
    played: Played, world: World, change: dict[str, object], says: str
) -> None:
    api = world.region(US)
    options: dict[str, Any] = {"region": US, **change}
    headers = signed(world, "GET", api.url + JOBS, **options)
    answer = played.send(api.host, "GET", "/prod" + JOBS, headers)
    assert answer.status == 403
    assert says in answer.json()["message"]
    assert answer.headers["x-amzn-errortype"] == "InvalidSignatureException"
    (request,) = api.requests()
    assert request.status == 403
    assert says in request.detail
    assert api.refused() == (request,)


def test_a_request_without_signature_is_refused(played: Played, world: World) -> None:
    answer = played.send(world.region(US).host, "GET", "/prod" + JOBS, {})
    assert (answer.status, answer.json()) == (403, {"message": "Missing Authentication Token"})


def test_keys_are_good_in_their_own_world_only(played: Played) -> None:
    with a_world(played, session_token=False) as world, a_world(played, session_token=False) as other:
        headers = signed(other, "GET", world.region(US).url + JOBS, region=US)
        answer = played.send(world.region(US).host, "GET", "/prod" + JOBS, headers)
        assert answer.status == 403
        assert answer.headers["x-amzn-errortype"] == "UnrecognizedClientException"
        assert other.region(US).requests() == ()


def test_a_clock_that_was_moved_moves_the_check_of_the_time(played: Played, world: World) -> None:
    world.clock.advance(301)
    answer = played.ask(world, US)
    assert answer.status == 403
    assert "Signature expired" in answer.json()["message"]


def test_the_token_is_asked_for_in_a_world_that_has_one(played: Played) -> None:
    with a_world(played, session_token=False) as world:
        assert world.session_token is None
        assert played.ask(world, US).status == 200
        assert "AWS_SESSION_TOKEN" not in world.environment()


def test_the_signature_is_checked_before_the_route_and_the_route_before_the_document(
    played: Played, world: World
) -> None:
    api = world.region(US)
    assert played.send(api.host, "GET", "/prod/nowhere?limit=x", {}).status == 403
    unknown = played.ask(world, US, "/nowhere?limit=x")
    assert (unknown.status, unknown.json()) == (404, {"detail": "Not Found"})
    method = played.ask(world, US, HEALTH, method="POST")
    assert (method.status, method.json()) == (405, {"detail": "Method Not Allowed"})
    assert method.headers["allow"] == "GET"
    assert played.ask(world, US, JOBS + "?limit=x").status == 422
    assert [request.status for request in api.requests()] == [403, 404, 405, 422]


def test_a_path_outside_the_stage_is_forbidden(played: Played, world: World) -> None:
    api = world.region(US)
    for path in ("/api/v1/jobs", "/production/api/v1/jobs", "/prod"):
        headers = signed(world, "GET", f"https://{api.host}{path}", region=US)
        assert played.send(api.host, "GET", path, headers).status == 403


def test_a_request_for_another_host_is_forbidden(played: Played, world: World) -> None:
    """One that was rightly signed, for the host that it names."""
    api, other = world.region(US), world.region(EU)
    headers = signed(world, "GET", other.url + JOBS, region=US)
    answer = played.send(api.host, "GET", "/prod" + JOBS, {**headers, "Host": other.host})
    assert (answer.status, answer.json()) == (403, {"message": "Forbidden"})


def test_many_requests_at_once_are_all_answered_and_written_down(played: Played, world: World) -> None:
    start = threading.Barrier(8)
    statuses: list[int] = []

    def ask(region: str) -> None:
        start.wait()
        for _ in range(10):
            statuses.append(played.ask(world, region).status)

    threads = [threading.Thread(target=ask, args=(region,)) for region in (US, EU) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 80
    assert len(world.region(US).requests()) == len(world.region(EU).requests()) == 40


def test_answers_arrive_in_the_order_that_was_said(played: Played) -> None:
    regions = [US, EU, "ap-south-1"]
    with a_world(played, *regions) as world:
        for order in (regions, regions[::-1]):
            world.arrive(*order)
            mark = world.journal.mark()
            threads = [threading.Thread(target=played.ask, args=(world, region)) for region in regions]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [answer.region for answer in world.journal.since(mark, "answer")] == order


def test_a_client_that_asks_one_region_after_the_other_does_not_hang(
    played: Played, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gco_conformance.world.order.PATIENCE", 0.05)
    world.arrive(EU, US)
    assert played.ask(world, US).status == 200
    assert played.ask(world, EU).status == 200


def test_closing_a_world_does_not_wait_for_answers_that_are_under_way(played: Played) -> None:
    with a_world(played) as world:
        world.region(US).answers(after=30)
        failed = threading.Event()

        def ask() -> None:
            try:
                played.ask(world, US)
            except Exception:
                failed.set()

        thread = threading.Thread(target=ask)
        thread.start()
        assert world.journal.wait_for(lambda entries: any(each.kind == "regional" for each in entries), 10)
        began = time.monotonic()
    thread.join(10)
    assert failed.is_set()
    assert time.monotonic() - began < 5
