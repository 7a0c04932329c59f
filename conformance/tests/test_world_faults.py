"""Each fault does on the wire what its name says, on the requests that are meant, and tells that it did."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator

import pytest
import urllib3

from gco_conformance.world.faults import (
    BadChunk,
    CutBody,
    Hang,
    Phase,
    Refuse,
    Reset,
    Stage,
    Unresolved,
    WireFault,
    WrongLength,
)
from gco_conformance.world.world import World

from .world_harness import EU, US, Played, a_world, playing, signed

JOBS = {"jobs": [{"metadata": {"name": f"job-{number}"}} for number in range(20)], "total": 20}


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


@pytest.fixture
def world(played: Played) -> Iterator[World]:
    with a_world(played) as world:
        world.region(US).answers(json=JOBS)
        yield world


def raw_answer(played: Played, world: World) -> tuple[bytes, str]:
    """All bytes that come back on a connection of its own, and how it ended."""
    region = world.region(US)
    headers = signed(world, "GET", region.url + "/api/v1/jobs", region=US)
    lines = [f"{name}: {value}" for name, value in headers.items()]
    request = "\r\n".join(["GET /prod/api/v1/jobs HTTP/1.1", f"Host: {region.host}", *lines, "", ""])
    return exchange(played, region.host, request.encode())


def exchange(played: Played, host: str, request: bytes) -> tuple[bytes, str]:
    """TLS apart from its socket, since Python's TLS sockets don't tell a reset from an end."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context(cafile=str(played.bundle))
    tls = context.wrap_bio(incoming, outgoing, server_hostname=host)
    received, sent = b"", False
    with socket.create_connection(played.servers.address(host), timeout=10) as raw:
        while True:
            try:
                if not sent:
                    tls.do_handshake()
                    tls.write(request)
                    sent = True
                if not (plain := tls.read()):
                    return received, "goodbye"
                received += plain
            except ssl.SSLWantReadError:
                try:
                    raw.sendall(outgoing.read())
                    data = raw.recv(65536)
                except ConnectionResetError:
                    return received, "reset"
                if not data:
                    return received, "end"
                incoming.write(data)


@pytest.mark.parametrize(
    ("phase", "head", "body"),
    [("before-headers", False, False), ("headers", True, False), ("body", True, True)],
)
@pytest.mark.parametrize("ends", ["reset", "hang"])
def test_an_answer_breaks_off_where_it_is_told_to(
    played: Played, world: World, phase: Phase, head: bool, body: bool, ends: str
) -> None:
    fault = Reset(phase) if ends == "reset" else Hang(phase, seconds=0.1)
    world.region(US).fails(fault)
    began = time.monotonic()
    received, end = raw_answer(played, world)
    assert end == {"reset": "reset", "hang": "end"}[ends]
    assert received.startswith(b"HTTP/1.1 200 OK\r\n") == head or not received
    assert (b"\r\n\r\n" in received) == body
    assert (b'{"jobs":[' in received) == body
    assert not received.endswith(b'"total":20}')
    assert ends == "reset" or time.monotonic() - began >= 0.1
    assert world.region(US).fired(fault) == 1


@pytest.mark.parametrize("keep", [None, 0, 1, 100])
def test_a_body_is_cut(played: Played, world: World, keep: int | None) -> None:
    world.region(US).fails(CutBody(keep))
    received, end = raw_answer(played, world)
    assert end == "end"
    whole = json.dumps(JOBS, separators=(",", ":")).encode()
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % len(whole) in head
    assert body == whole[: len(whole) // 2 if keep is None else keep]


@pytest.mark.parametrize("by", [10, -10])
def test_a_length_is_wrong(played: Played, world: World, by: int) -> None:
    world.region(US).fails(WrongLength(by))
    received, end = raw_answer(played, world)
    assert end == "goodbye"
    head, _, body = received.partition(b"\r\n\r\n")
    whole = json.dumps(JOBS, separators=(",", ":")).encode()
    assert b"Content-Length: %d\r\n" % (len(whole) + by) in head + b"\r\n"
    assert body == whole


def test_chunks_are_broken(played: Played, world: World) -> None:
    world.region(US).fails(BadChunk())
    received, _ = raw_answer(played, world)
    assert b"Transfer-Encoding: chunked" in received
    assert b"Content-Length" not in received
    assert b"\r\nsize\r\n" in received


@pytest.mark.parametrize("fault", [Reset(), Reset("headers"), Reset("body"), CutBody(), WrongLength(), BadChunk()])
def test_a_client_never_takes_a_broken_answer_for_a_whole_one(
    played: Played, world: World, fault: WireFault
) -> None:
    world.region(US).fails(fault)
    try:
        received = played.ask(world, US).data
    except urllib3.exceptions.HTTPError:
        received = b""
    assert received == b""
    assert played.ask(world, EU).status == 200


def test_a_fault_strikes_the_requests_that_are_meant(played: Played, world: World) -> None:
    region = world.region(US).fails(Reset(), on=[2])
    outcomes = []
    for _ in range(3):
        try:
            outcomes.append(played.ask(world, US).status)
        except urllib3.exceptions.HTTPError:
            outcomes.append(0)
    assert outcomes == [200, 0, 200]
    assert region.fired(Reset()) == 1
    assert [answer.detail for answer in world.journal.entries("answer", US)] == ["", "reset", ""]


def test_a_fault_that_was_not_played_has_not_fired(played: Played, world: World) -> None:
    region = world.region(US).fails(CutBody(), on=[2])
    played.ask(world, US)
    assert region.fired(CutBody()) == 0


def test_a_request_that_is_refused_is_not_one_on_which_a_fault_is_played(played: Played, world: World) -> None:
    region = world.region(US).fails(Reset(), on=[1])
    assert played.ask(world, US, "/api/v1/jobs?limit=0").status == 422
    assert region.fired(Reset()) == 0


def test_a_region_recovers(played: Played, world: World) -> None:
    world.region(US).fails(Reset()).recovers()
    assert played.ask(world, US).json() == JOBS


def test_a_hang_ends_when_the_client_goes(played: Played, world: World) -> None:
    region = world.region(US).fails(Hang(seconds=60))
    headers = signed(world, "GET", region.url + "/api/v1/jobs", region=US)
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        played.pool(region.host).urlopen(
            "GET", "/prod/api/v1/jobs", headers={"Host": region.host, **headers}, timeout=0.2, retries=False
        )
    assert world.journal.wait_for(lambda entries: "the client went away" in entries[-1].detail, 5)


def test_faults_of_name_and_port_are_not_about_single_requests(world: World) -> None:
    for fault in (Refuse(), Unresolved()):
        with pytest.raises(ValueError, match="single requests"):
            world.region(US).fails(fault, on=[1])
    with pytest.raises(ValueError, match="counted from 1"):
        world.region(US).fails(Reset(), on=[0])


def test_faults_are_values_with_the_names_of_the_field() -> None:
    assert Reset("body") == Reset("body")
    assert Reset("body") != Reset("headers")
    assert [fault.name for fault in (CutBody(), BadChunk(), WrongLength(), Hang(), Refuse())] == [
        "cut-body",
        "bad-chunk",
        "wrong-length",
        "hang",
        "refuse",
    ]
    assert Reset("handshake").stage is Hang("handshake").stage is Stage.HANDSHAKE
    assert (Unresolved().stage, Refuse().stage, CutBody().stage) == (Stage.NAME, Stage.LISTEN, Stage.ANSWER)
