"""Faults on the way to a server: what a client meets at its name, its port and in the handshake."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest
import urllib3

from gco_conformance.errors import KitError
from gco_conformance.sealed.names import NameServer, Unanswered
from gco_conformance.world.faults import (
    BadCertificate,
    BlackHole,
    Hang,
    NotTls,
    OldTls,
    Refuse,
    SilentDns,
    TlsAlert,
    Unresolved,
    WireFault,
)
from gco_conformance.world.world import World

from .world_harness import EU, US, Played, a_world, playing, signed


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


@pytest.fixture
def world(played: Played) -> Iterator[World]:
    with a_world(played) as world:
        yield world


def connects(played: Played, host: str, seconds: float = 0.3) -> bool:
    """Whether TCP connects; raises what it raises but for a time-out."""
    try:
        socket.create_connection(played.servers.address(host), timeout=seconds).close()
    except TimeoutError:
        return False
    return True


def test_a_black_hole_answers_no_connection_until_it_is_over(played: Played, world: World) -> None:
    region = world.region(US)
    region.fails(BlackHole())
    assert not connects(played, region.host)
    assert not connects(played, region.host)
    assert played.ask(world, EU).status == 200
    region.recovers()
    assert played.ask(world, US).status == 200


def test_a_black_hole_leaves_open_connections_without_an_answer(played: Played, world: World) -> None:
    assert played.ask(world, US).status == 200
    region = world.region(US).fails(BlackHole())
    headers = {"Host": region.host, **signed(world, "GET", region.url + "/api/v1/jobs", region=US)}
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        played.pool(region.host).urlopen("GET", "/prod/api/v1/jobs", headers=headers, timeout=0.3, retries=False)


def test_a_closed_port_refuses(played: Played, world: World) -> None:
    region = world.region(US).fails(Refuse())
    with pytest.raises(ConnectionRefusedError):
        connects(played, region.host)


@contextlib.contextmanager
def a_process_being_started() -> Iterator[None]:
    """Copies of all descriptors of this process, as a child has until it runs its program."""
    copies = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the folder's own is closed by now
            copies.append(os.dup(int(descriptor.name)))
    try:
        yield
    finally:
        for copy in copies:
            os.close(copy)


@pytest.mark.parametrize("fault", [BlackHole(), Refuse()], ids=lambda fault: fault.name)
def test_a_door_closes_and_opens_while_a_process_is_started(
    played: Played, world: World, fault: WireFault
) -> None:
    region = world.region(US)
    with a_process_being_started():
        region.fails(fault)
        with pytest.raises(ConnectionRefusedError) if fault == Refuse() else contextlib.nullcontext():
            assert not connects(played, region.host)
        region.recovers()
        assert played.ask(world, US).status == 200


@pytest.mark.parametrize("fault", [BlackHole(), Refuse()], ids=lambda fault: fault.name)
def test_that_nobody_could_connect_is_known_from_the_look_up(
    played: Played, world: World, fault: WireFault
) -> None:
    region = world.region(US).fails(fault)
    assert region.unfired() == (fault,)
    assert played.servers.resolve(region.host)
    assert region.unfired() == ()
    assert region.fired(fault) == 1


def test_a_name_that_is_not_known(played: Played, world: World) -> None:
    region = world.region(US).fails(Unresolved())
    assert played.servers.resolve(region.host) is None
    assert region.fired(Unresolved()) == 1
    assert played.servers.resolve(region.recovers().host) is not None


def test_a_silent_dns_answers_nothing(played: Played, world: World) -> None:
    region = world.region(US).fails(SilentDns())
    seen: list[str] = []
    server = NameServer(
        played.servers.resolve,
        lambda name, _, known: seen.append(f"{name} {known}"),
        addresses=("127.0.0.1",),
        port=0,
    )
    with contextlib.closing(server), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(0.3)
        asker.connect(("127.0.0.1", server.port))
        asker.send(query(region.host))
        with pytest.raises(TimeoutError):
            asker.recv(512)
        asker.send(query(world.region(EU).host))
        assert asker.recv(512)
    assert seen == [f"{region.host} False", f"{world.region(EU).host} True"]
    with pytest.raises(Unanswered):
        played.servers.resolve(region.host)


def query(name: str) -> bytes:
    """A DNS query for an A record."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return struct.pack("!6H", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (TlsAlert(), "HANDSHAKE_FAILURE"),
        (TlsAlert(description=80), "INTERNAL_ERROR"),
        (OldTls(), "UNSUPPORTED_PROTOCOL"),
        (NotTls(), "WRONG_VERSION_NUMBER"),
    ],
    ids=lambda value: value.name if isinstance(value, WireFault) else value,
)
def test_a_handshake_fails(played: Played, world: World, fault: WireFault, reason: str) -> None:
    region = world.region(US).fails(fault)
    with pytest.raises(ssl.SSLError, match=f"(?i){reason.replace('_', '.')}"):
        played.handshake(region.host, name=region.host)
    assert region.fired(fault) == 1
    assert region.requests() == ()


def test_a_handshake_hangs(played: Played, world: World) -> None:
    region = world.region(US).fails(Hang("handshake", seconds=0.3))
    began = time.monotonic()
    with pytest.raises((ssl.SSLError, ConnectionError)):
        played.handshake(region.host, name=region.host)
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize(
    "fault",
    [
        BadCertificate("unknown-ca"),
        BadCertificate("expired"),
        BadCertificate("not-yet-valid"),
        BadCertificate("wrong-name"),
    ],
    ids=lambda fault: fault.kind,
)
def test_a_certificate_that_does_not_verify_has_struck_when_it_was_shown(
    played: Played, world: World, fault: BadCertificate
) -> None:
    region = world.region(US).fails(fault, on=[2])
    played.handshake(region.host, name=region.host).close()
    assert region.unfired() == (fault,)
    with pytest.raises(ssl.SSLCertVerificationError):
        played.handshake(region.host, name=region.host)
    played.handshake(region.host, name=region.host).close()
    assert region.unfired() == ()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gco_conformance.world.cloudformation.PATIENCE", 0.05)


@pytest.mark.usefixtures("impatient")
def test_cloudformation_fails_where_nobody_else_needs_it(played: Played) -> None:
    with a_world(played, "ap-northeast-3") as world:
        stack = world.stack("ap-northeast-3").fails(BlackHole())
        host = f"cloudformation.ap-northeast-3.{world.suffix}"
        assert not connects(played, host)
        assert stack.unfired() == (BlackHole(),)
        with pytest.raises(KitError, match="another region"), a_world(played, "ap-northeast-3"):
            pass
        stack.restored()
        assert played.describe(world, "ap-northeast-3").status == 200


def test_a_world_waits_until_cloudformation_no_longer_fails_in_another(played: Played) -> None:
    with ThreadPoolExecutor(1) as threads:
        with a_world(played, "ap-northeast-3") as first:
            first.stack("ap-northeast-3").fails(BlackHole())
            second = threads.submit(World, played.servers, regions=["ap-northeast-3"])
            with pytest.raises(TimeoutError):
                second.result(0.1)
        world = second.result(5)
    assert played.describe(world, "ap-northeast-3").status == 200
    world.close()


def test_a_fault_of_cloudformation_waits_until_it_is_nobody_elses(played: Played, world: World) -> None:
    with ThreadPoolExecutor(1) as threads:
        with a_world(played):
            failing = threads.submit(world.stack(US).fails, TlsAlert())
            with pytest.raises(TimeoutError):
                failing.result(0.1)
        failing.result(5)
    with pytest.raises(urllib3.exceptions.SSLError):
        played.describe(world, US)


@pytest.mark.usefixtures("impatient")
def test_cloudformation_does_not_fail_other_worlds(played: Played, world: World) -> None:
    with a_world(played), pytest.raises(ValueError, match="shared with other worlds"):
        world.stack(US).fails(Hang("handshake"))
    world.stack(US).fails(TlsAlert())
    with pytest.raises(urllib3.exceptions.SSLError):
        played.describe(world, US)


@pytest.mark.parametrize(("how", "error"), [("ended", None), ("reset", errno.ECONNRESET)])
def test_open_connections_are_hung_up_on(
    played: Played, world: World, how: Literal["ended", "reset"], error: int | None
) -> None:
    region = world.region(US)
    open_one = played.handshake(region.host, name=region.host)
    with open_one:
        assert region.hangs_up(how) == 1
        raw = socket.socket(fileno=open_one.detach())
    with raw:
        raw.settimeout(5)
        code = None
        try:
            while raw.recv(65536):
                continue
        except OSError as failure:
            code = failure.errno
        assert code == error
    assert region.hangs_up() == 0
    assert played.ask(world, US).status == 200
