"""TLS, names and ports: the world presents the right name, or exactly the wrong that was asked for."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator, Mapping

import pytest
import urllib3

from gco_conformance.sealed.trust import Kind
from gco_conformance.world.faults import Hang, Refuse, Reset, Unresolved
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


def names_in(certificate: Mapping[str, object]) -> list[str]:
    names = certificate["subjectAltName"]
    assert isinstance(names, tuple)
    return [value for _, value in names]


@pytest.mark.parametrize("region", [US, EU])
def test_each_region_presents_the_name_of_its_region(played: Played, world: World, region: str) -> None:
    host = world.region(region).host
    with played.handshake(host, name=host) as secured:
        assert names_in(secured.getpeercert() or {}) == [f"*.execute-api.{region}.amazonaws.com"]
    cloudformation = f"cloudformation.{region}.amazonaws.com"
    with played.handshake(cloudformation, name=cloudformation) as secured:
        assert names_in(secured.getpeercert() or {}) == [cloudformation]


def test_a_name_in_any_case_is_the_same(played: Played, world: World) -> None:
    host = world.region(US).host
    played.handshake(host, name=host.upper()).close()


@pytest.mark.parametrize("name", ["{other}", "x.execute-api.us-east-1.amazonaws.com", "example.com", None])
def test_a_client_that_asks_for_another_name_gets_none(played: Played, world: World, name: str | None) -> None:
    host = world.region(US).host
    other = world.region(EU).host
    with pytest.raises(ssl.SSLError):
        played.handshake(host, name=name and name.format(other=other), verify=False)
    (detail,) = wait_for_handshakes(world, US, 1)
    assert detail.startswith("the client asked for the name")


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("unknown-ca", "unable to get local issuer|self.signed|unknown"),
        ("expired", "certificate has expired"),
        ("not-yet-valid", "not yet valid"),
        ("wrong-name", "Hostname mismatch"),
    ],
)
def test_a_client_that_verifies_sends_nothing_to_a_bad_certificate(
    played: Played, world: World, kind: Kind, says: str
) -> None:
    region = world.region(US).serves_certificate(kind)
    with pytest.raises(ssl.SSLCertVerificationError, match=says):
        played.handshake(region.host, name=region.host)
    (detail,) = wait_for_handshakes(world, US, 1)
    assert detail
    assert region.requests() == ()
    assert played.ask(world, EU).status == 200


def test_a_client_that_does_not_verify_is_seen(played: Played, world: World) -> None:
    region = world.region(US).serves_certificate("wrong-name")
    headers = signed(world, "GET", region.url + "/api/v1/jobs", region=US)
    with pytest.warns(urllib3.exceptions.InsecureRequestWarning):
        answer = played.pool(region.host, verify=False).urlopen(
            "GET", "/prod/api/v1/jobs", headers={"Host": region.host, **headers}
        )
    assert answer.status == 200
    assert len(region.requests()) == 1


def test_a_region_gets_its_good_certificate_back(played: Played, world: World) -> None:
    region = world.region(US).serves_certificate("expired").recovers()
    played.handshake(region.host, name=region.host).close()


def test_a_session_is_not_resumed_past_a_changed_certificate(played: Played, world: World) -> None:
    region = world.region(US)
    context = ssl.create_default_context(cafile=str(played.bundle))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection(played.servers.address(region.host), timeout=10) as raw,
        context.wrap_socket(raw, server_hostname=region.host) as secured,
    ):
        session = secured.session
    region.serves_certificate("expired")
    with (
        socket.create_connection(played.servers.address(region.host), timeout=10) as raw,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        context.wrap_socket(raw, server_hostname=region.host, session=session)


def test_a_client_that_speaks_no_tls_is_written_down(played: Played, world: World) -> None:
    region = world.region(US)
    with socket.create_connection(played.servers.address(region.host), timeout=10) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\n\r\n")
        (detail,) = wait_for_handshakes(world, US, 1)
    assert detail
    assert region.requests() == ()


def test_a_client_that_speaks_no_http_is_written_down(played: Played, world: World) -> None:
    region = world.region(US)
    with played.handshake(region.host, name=region.host) as secured:
        secured.sendall(b"HELO world\r\n\r\n")
        assert secured.recv(1000).startswith(b"HTTP/1.1 400")
    assert "not a request: not a request line: 'HELO world'" in entries_of(region, "connection")


def test_every_host_has_an_address_of_its_own(played: Played, world: World) -> None:
    hosts = [region.host for region in world.regions]
    hosts += [f"cloudformation.{region.name}.amazonaws.com" for region in world.regions]
    addresses = [played.servers.resolve(host) for host in hosts]
    assert len(set(addresses)) == 4
    assert all(address is not None and address.startswith("127.") for address in addresses)


def test_only_names_of_the_world_resolve(played: Played) -> None:
    with a_world(played) as world:
        host = world.region(US).host
        assert played.servers.resolve(host.upper() + ".") is not None
    for name in (host, f"cloudformation.{US}.amazonaws.com", "sts.amazonaws.com", "example.com", ""):
        assert played.servers.resolve(name) is None


def test_look_ups_are_written_down(played: Played, world: World) -> None:
    host = world.region(US).host
    played.servers.looked_up(host, "A", True)
    played.servers.looked_up("evil.example.com", "AAAA", False)
    (own,) = world.journal.entries("lookup", US)
    assert (own.host, own.detail) == (host, "")
    stray = played.servers.strays.entries("lookup")[-1]
    assert (stray.host, stray.method, stray.detail) == ("evil.example.com", "AAAA", "not a name of the world")


def test_cloudformation_is_shared_by_worlds_and_stays_until_the_last_one_goes(played: Played) -> None:
    host = f"cloudformation.{US}.amazonaws.com"
    with a_world(played):
        with a_world(played):
            address = played.servers.address(host)
        assert played.servers.address(host) == address
    assert played.servers.resolve(host) is None


def test_a_region_that_refuses_takes_no_connection_until_it_recovers(played: Played, world: World) -> None:
    region = world.region(US)
    assert played.ask(world, US).status == 200
    region.fails(Refuse())
    with pytest.raises(urllib3.exceptions.HTTPError):
        played.ask(world, US)
    with pytest.raises(urllib3.exceptions.NewConnectionError):
        played.ask(world, US)
    assert played.ask(world, EU).status == 200
    region.recovers()
    assert played.ask(world, US).status == 200
    assert len(region.requests()) == 2


def test_a_name_that_is_unresolved_comes_back(played: Played, world: World) -> None:
    region = world.region(US)
    region.fails(Unresolved())
    assert played.servers.resolve(region.host) is None
    assert region.fired(Unresolved()) == 1
    assert played.servers.resolve(world.region(EU).host) is not None
    region.recovers()
    assert played.servers.resolve(region.host) is not None


def test_a_handshake_can_be_reset(played: Played, world: World) -> None:
    region = world.region(US).fails(Reset("handshake"), on=[1])
    with pytest.raises(ConnectionResetError):
        played.handshake(region.host, name=region.host)
    assert region.fired(Reset("handshake")) == 1
    played.handshake(region.host, name=region.host).close()


def test_a_handshake_can_hang(played: Played, world: World) -> None:
    region = world.region(US).fails(Hang("handshake", seconds=0.2))
    began = time.monotonic()
    with pytest.raises(OSError, match=r"EOF|reset|closed"):
        played.handshake(region.host, name=region.host)
    assert time.monotonic() - began >= 0.2


def test_servers_close_at_once_whatever_clients_do() -> None:
    with playing() as played, a_world(played) as world:
        host = world.region(US).host
        silent = socket.create_connection(played.servers.address(host), timeout=10)
        idle = played.handshake(host, name=host)
        began = time.monotonic()
        played.servers.close()
        assert time.monotonic() - began < 2
        assert idle.recv(1) == b""
        silent.close()
        idle.close()


def wait_for_handshakes(world: World, region: str, number: int) -> list[str]:
    """The details of the handshakes with a region's API: the server learns of their end after the client."""
    assert world.journal.wait_for(
        lambda entries: sum(each.kind == "tls" and each.region == region for each in entries) >= number, 10
    )
    return entries_of(world.region(region), "tls")
