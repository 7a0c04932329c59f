"""Faults of what is answered, and of how it's sent: what arrives is exactly what each says."""

from __future__ import annotations

import gzip
import json
import math
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import urllib3

from gco_conformance.world import faults
from gco_conformance.world.faults import CATALOGUE, WireFault
from gco_conformance.world.world import World

from .test_world_faults import exchange
from .world_harness import EU, US, Played, a_world, playing, signed

STATUS = "/api/v1/status"
JOBS = {"jobs": [{"metadata": {"name": "é"}}], "total": 1}
COMPACT = json.dumps(JOBS, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


@pytest.fixture
def world(played: Played) -> Iterator[World]:
    with a_world(played) as world:
        world.region(US).answers(json=JOBS)
        yield world


def body_of(played: Played, world: World, fault: WireFault) -> bytes:
    """The raw body that comes, whatever its coding."""
    world.region(US).fails(fault)
    answer = raw(played, world)
    assert world.region(US).fired(fault) == 1
    return answer.data


def raw(played: Played, world: World) -> urllib3.BaseHTTPResponse:
    region = world.region(US)
    headers = {"Host": region.host, **signed(world, "GET", region.url + "/api/v1/jobs", region=US)}
    pool = played.pool(region.host)
    return pool.urlopen(
        "GET", "/prod/api/v1/jobs", headers=headers, retries=False, redirect=False, decode_content=False
    )


def bytes_of(played: Played, world: World) -> bytes:
    """All that comes on a connection of its own, which is asked to end then."""
    region = world.region(US)
    headers = {"Host": region.host, **signed(world, "GET", region.url + "/api/v1/jobs", region=US)}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    request = "\r\n".join(["GET /prod/api/v1/jobs HTTP/1.1", *lines, "Connection: close", "", ""])
    return exchange(played, region.host, request.encode())[0]


def test_another_status_keeps_the_body(played: Played, world: World) -> None:
    world.region(US).fails(faults.Status(429, retry_after="7"))
    answer = played.ask(world, US)
    assert (answer.status, answer.headers["Retry-After"], answer.json()) == (429, "7", JOBS)


@pytest.mark.parametrize(
    ("fault", "place"),
    [
        (faults.Redirect(302), "https://{us}/prod/api/v1/jobs?limit=5"),
        (faults.Redirect(307, to=EU), "https://{eu}/prod/api/v1/jobs?limit=5"),
        (faults.Redirect(308, scheme="http"), "http://{us}/prod/api/v1/jobs?limit=5"),
        (faults.Redirect(301, path="/elsewhere"), "https://{us}/elsewhere"),
    ],
)
def test_a_redirect_points_to_where_it_says(
    played: Played, world: World, fault: faults.Redirect, place: str
) -> None:
    world.region(US).fails(fault)
    answer = played.ask(world, US, "/api/v1/jobs?limit=5")
    assert answer.status == fault.code
    assert answer.headers["Location"] == place.format(us=world.region(US).host, eu=world.region(EU).host)
    assert answer.data == b""


def test_a_huge_body_is_the_same_json(played: Played, world: World) -> None:
    body = body_of(played, world, faults.HugeBody(100_000))
    assert len(body) == 100_000
    assert json.loads(body) == JOBS


@pytest.mark.parametrize(
    ("fault", "unpack"),
    [
        (faults.CompressionBomb(1_000_000, "gzip"), gzip.decompress),
        (faults.CompressionBomb(1_000_000, "deflate"), zlib.decompress),
        (faults.CompressionBomb(1_000_000, "gzip", times=2), lambda data: gzip.decompress(gzip.decompress(data))),
    ],
)
def test_a_bomb_is_small_until_it_is_unpacked(
    played: Played, world: World, fault: faults.CompressionBomb, unpack: Callable[[bytes], bytes]
) -> None:
    body = body_of(played, world, fault)
    assert len(body) < 5_000
    assert len(unpack(body)) == 1_000_000
    assert json.loads(unpack(body)) == JOBS
    coding = raw(played, world).headers["Content-Encoding"]
    assert coding == ", ".join([fault.coding] * fault.times)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (faults.Body(""), b""),
        (faults.Body("<html>"), b"<html>"),
        (faults.WrongCoding("br"), COMPACT),
        (faults.Charset("utf-16"), COMPACT.decode().encode("utf-16")),
        (faults.Charset("utf-8-sig"), b"\xef\xbb\xbf" + COMPACT),
        (faults.Charset("latin-1"), COMPACT.decode().encode("latin-1")),
        (faults.Member("total", "NaN"), b'{"jobs":[{"metadata": {"name": "\xc3\xa9"}}],"total":NaN}'),
        (faults.Member("total", "null"), b'{"jobs":[{"metadata": {"name": "\xc3\xa9"}}],"total":null}'),
        (
            faults.DuplicateMember("total", "9"),
            b'{"jobs":[{"metadata": {"name": "\xc3\xa9"}}],"total":1,"total":9}',
        ),
        (
            faults.DeepNesting(3),
            b'{"jobs":[{"metadata": {"name": "\xc3\xa9"}}],"total":1,"details":[[[]]]}',
        ),
    ],
    ids=lambda value: value.name if isinstance(value, WireFault) else "",
)
def test_a_body_is_what_the_fault_makes_of_it(
    played: Played, world: World, fault: WireFault, expected: bytes
) -> None:
    assert body_of(played, world, fault) == expected


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
def test_chunks_are_the_same_body(played: Played, world: World, size: int) -> None:
    world.region(US).fails(faults.Chunks(size))
    assert played.ask(world, US).json() == JOBS
    received = bytes_of(played, world)
    assert b"Content-Length" not in received
    assert received.endswith(b"\r\n0\r\n\r\n")


def test_a_flood_goes_on_as_long_as_it_is_read(played: Played, world: World) -> None:
    region = world.region(US).fails(faults.Flood(mib=2))
    answer = played.ask(world, US)
    assert json.loads(answer.data) == JOBS
    assert len(answer.data) > 2 * 1024**2
    assert "Content-Length" not in answer.headers
    assert region.sent_whole


@pytest.mark.parametrize("what", ["size", "short", "unended"])
def test_bad_chunks_are_no_body(played: Played, world: World, what: Any) -> None:
    world.region(US).fails(faults.BadChunk(what))
    with pytest.raises(urllib3.exceptions.HTTPError):
        played.ask(world, US)


def test_extra_bytes_follow_a_whole_answer(played: Played, world: World) -> None:
    world.region(US).fails(faults.ExtraBytes("and more"), on=[1])
    received = bytes_of(played, world)
    assert received.endswith(COMPACT + b"and more")


def test_interim_responses_come_before_the_answer(played: Played, world: World) -> None:
    world.region(US).fails(faults.Interim(103, times=2))
    received = bytes_of(played, world)
    interim = b"HTTP/1.1 103 Interim\r\n\r\n"
    assert received.startswith(interim * 2 + b"HTTP/1.1 200 OK\r\n")
    assert received.endswith(COMPACT)


@pytest.mark.parametrize("phase", ["headers", "body", "chunks"])
def test_a_drip_is_the_same_answer_slowly(played: Played, world: World, phase: Any) -> None:
    world.region(US).fails(faults.Drip(phase, bytes_per_second=100))
    began = time.monotonic()
    assert played.ask(world, US).json() == JOBS
    assert time.monotonic() - began >= len(COMPACT) / 100


def test_a_drip_ends_when_the_client_goes(played: Played, world: World) -> None:
    region = world.region(US).fails(faults.Drip("body", bytes_per_second=2))
    headers = {"Host": region.host, **signed(world, "GET", region.url + "/api/v1/jobs", region=US)}
    pool = played.pool(region.host)
    with pytest.raises(urllib3.exceptions.HTTPError):
        pool.urlopen("GET", "/prod/api/v1/jobs", headers=headers, timeout=0.3, retries=False)
    assert world.journal.wait_for(lambda entries: "of a trickle" in entries[-1].detail, 5)


def test_a_delay_is_the_whole_answer_later(played: Played, world: World) -> None:
    world.region(US).fails(faults.Delay(0.3))
    began = time.monotonic()
    assert played.ask(world, US).json() == JOBS
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize(
    ("how", "end"), [("reset", "ProtocolError"), ("ended", "ProtocolError"), ("silent", "ReadTimeoutError")]
)
def test_a_connection_is_dead_only_when_it_is_used_again(played: Played, world: World, how: Any, end: str) -> None:
    fault = faults.DeadConnection(how)
    region = world.region(US).fails(fault)
    assert bytes_of(played, world).endswith(COMPACT)
    assert region.unfired() == (fault,)
    headers = {"Host": region.host, **signed(world, "GET", region.url + "/api/v1/jobs", region=US)}
    pool = played.pool(region.host)
    assert pool.urlopen("GET", "/prod/api/v1/jobs", headers=headers, retries=False).status == 200
    with pytest.raises(urllib3.exceptions.HTTPError) as error:
        pool.urlopen("GET", "/prod/api/v1/jobs", headers=headers, timeout=0.3, retries=False)
    assert type(error.value).__name__ == end
    assert region.fired(fault) == 1


def test_what_is_answered_and_how_it_is_sent_go_together(played: Played, world: World) -> None:
    region = world.region(US).fails(faults.Status(503)).fails(faults.Delay(0.1)).fails(faults.Chunks(8), on=[2])
    assert (played.ask(world, US).status, played.ask(world, US).status) == (503, 503)
    told = [entry.detail for entry in world.journal.entries("answer", US)]
    assert told == ["status, delay", "status, chunks"]
    assert region.unfired() == ()


def test_cloudformation_answers_with_the_same_faults(played: Played, world: World) -> None:
    stack = world.stack(US).fails(faults.Body("<DescribeStacksResponse>"), on=[1]).fails(faults.Delay(0.05))
    assert played.describe(world, US).data == b"<DescribeStacksResponse>"
    assert b"RegionalApiEndpoint" in played.describe(world, US).data
    assert stack.unfired() == ()
    stack.fails(faults.CutBody())
    with pytest.raises(urllib3.exceptions.HTTPError):
        played.describe(world, US)
    assert b"RegionalApiEndpoint" in played.describe(stack_restored(world), US).data


def stack_restored(world: World) -> World:
    world.stack(US).restored()
    return world


def test_a_world_tells_what_never_struck(world: World) -> None:
    world.region(US).fails(faults.Reset(), on=[3])
    world.region(EU).fails(faults.Status(500)).recovers()
    world.stack(US).fails(faults.Hang())
    assert world.unfired() == (
        f"reset of {US}",
        f"status of {EU}",
        f"hang of CloudFormation in {US}",
    )


def test_the_catalogue_names_every_fault() -> None:
    assert all(CATALOGUE[kind.name_of_kind()] is kind for kind in CATALOGUE.values())
    assert {kind.__name__ for kind in CATALOGUE.values()} == {
        name
        for name in faults.__all__
        if isinstance(getattr(faults, name), type) and is_kind(getattr(faults, name))
    }


def is_kind(kind: type) -> bool:
    return issubclass(kind, WireFault) and kind not in {WireFault, faults.ReplyFault}


def test_a_member_can_be_no_json_at_all(played: Played, world: World) -> None:
    body = body_of(played, world, faults.Member("total", "Infinity"))
    assert math.isinf(json.loads(body)["total"])
