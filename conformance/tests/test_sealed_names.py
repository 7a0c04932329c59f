"""The DNS server knows what it is told, denies the rest, tells of all, and can't be talked out of it."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from gco_conformance.sealed.names import NameServer, Zone, answer, read

A, AAAA, TXT, HTTPS, ANY = 1, 28, 16, 65, 255
NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME = 0, 2, 3


def query(name: str, kind: int = A, *, identifier: int = 7, flags: int = 0x0100, family: int = 1) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label)
    return struct.pack("!6H", identifier, flags, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", kind, family)


def code(response: bytes) -> int:
    return response[3] & 0x0F


def addresses(response: bytes, asked: bytes) -> list[str]:
    """The A records of a response whose names all point at the question."""
    count = struct.unpack_from("!H", response, 6)[0]
    records = response[len(asked) :]
    assert len(records) == 16 * count
    return [socket.inet_ntoa(records[16 * index + 12 : 16 * index + 16]) for index in range(count)]


class Asked:
    """A server with the zone of the tests, and what it tells."""

    def __init__(self) -> None:
        zone = Zone()
        zone.add("Cloudformation.eu-west-1.amazonaws.com.", "127.0.0.1")
        zone.add("*.execute-api.eu-west-1.amazonaws.com", "127.0.0.2")
        zone.add("faulty", "no address")
        self.zone = zone
        self.told: list[tuple[str, str, bool]] = []
        self.server = NameServer(
            zone.resolve, lambda *look_up: self.told.append(look_up), addresses=("127.0.0.1",), port=0
        )

    def ask(self, message: bytes) -> bytes:
        with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asker:
            asker.settimeout(5)
            asker.connect(("127.0.0.1", self.server.port))
            asker.send(message)
            return asker.recv(512)


@pytest.fixture
def asked() -> Iterator[Asked]:
    asked = Asked()
    with closing(asked.server):
        yield asked


def test_a_name_has_its_address(asked: Asked) -> None:
    message = query("cloudformation.eu-west-1.amazonaws.com")
    response = asked.ask(message)
    assert (code(response), addresses(response, message)) == (NO_ERROR, ["127.0.0.1"])
    assert asked.told == [("cloudformation.eu-west-1.amazonaws.com", "A", True)]


@pytest.mark.parametrize(
    "name", ["a.execute-api.eu-west-1.amazonaws.com", "b.a.execute-api.eu-west-1.amazonaws.com"]
)
def test_a_suffix_covers_all_names_below(asked: Asked, name: str) -> None:
    assert addresses(asked.ask(query(name)), query(name)) == ["127.0.0.2"]


@pytest.mark.parametrize(
    "name",
    [
        "execute-api.eu-west-1.amazonaws.com",
        "xexecute-api.eu-west-1.amazonaws.com",
        "cloudformation.eu-west-1.amazonaws.com.evil.example",
        "cloudformation.eu-west-2.amazonaws.com",
        "com",
        "",
    ],
)
def test_any_other_name_does_not_exist_and_is_told(asked: Asked, name: str) -> None:
    for kind, type_name in ((A, "A"), (AAAA, "AAAA")):
        response = asked.ask(query(name, kind))
        assert (code(response), addresses(response, query(name, kind))) == (NO_SUCH_NAME, [])
        assert asked.told[-1] == (name, type_name, False)


@pytest.mark.parametrize(
    ("kind", "type_name"), [(AAAA, "AAAA"), (TXT, "TXT"), (HTTPS, "HTTPS"), (9999, "TYPE9999")]
)
def test_a_name_has_no_other_records_and_still_exists(asked: Asked, kind: int, type_name: str) -> None:
    message = query("cloudformation.eu-west-1.amazonaws.com", kind)
    response = asked.ask(message)
    assert (code(response), addresses(response, message)) == (NO_ERROR, [])
    assert asked.told[-1] == ("cloudformation.eu-west-1.amazonaws.com", type_name, True)


def test_names_of_another_class_do_not_exist(asked: Asked) -> None:
    assert code(asked.ask(query("cloudformation.eu-west-1.amazonaws.com", family=3))) == NO_SUCH_NAME


def test_the_question_comes_back_in_the_case_in_which_it_was_asked(asked: Asked) -> None:
    message = query("cLoUdFoRmAtIoN.eU-wEsT-1.aMaZoNaWs.CoM")
    response = asked.ask(message)
    assert response[12 : len(message)] == message[12:]
    assert addresses(response, message) == ["127.0.0.1"]
    assert asked.told == [("cloudformation.eu-west-1.amazonaws.com", "A", True)]


def test_what_follows_the_question_is_left_out(asked: Asked) -> None:
    message = bytearray(query("cloudformation.eu-west-1.amazonaws.com"))
    message[11] = 1  # one additional record: EDNS
    response = asked.ask(bytes(message) + b"\0" + struct.pack("!2HIH", 41, 1232, 0, 0))
    assert response[10:12] == b"\0\0"
    assert addresses(response, bytes(message)) == ["127.0.0.1"]


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        b"\0" * 12,
        query("a.b")[:-1],
        query("a.b")[:14],
        query("a.b", flags=0x8100),
        query("a.b", flags=0x2800),
        query("a.b")[:12] + b"\xc0\x0c\0\1\0\1",
        query("a.b")[:12] + b"\x3fshort",
        query(".".join(["x" * 60] * 5)),
        bytes(4096),
    ],
    ids=["empty", "no question", "cut", "cut name", "response", "update", "pointer", "label", "long", "zeros"],
)
def test_a_malformed_packet_is_ignored(asked: Asked, packet: bytes) -> None:
    assert read(packet) is None
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asker:
        asker.sendto(packet, ("127.0.0.1", asked.server.port))
    assert code(asked.ask(query("com"))) == NO_SUCH_NAME
    assert asked.told == [("com", "A", False)]


def test_random_bytes_are_survived() -> None:
    chance = random.Random(1)
    for _ in range(2000):
        packet = bytearray(query("cloudformation.eu-west-1.amazonaws.com"))
        for _ in range(chance.randrange(4)):
            packet[chance.randrange(len(packet))] = chance.randrange(256)
        question = read(bytes(packet[: chance.randrange(len(packet) + 1)]))
        if question is not None:
            assert answer(question, "127.0.0.1")[:2] == packet[:2]


def test_many_ask_at_the_same_time(asked: Asked) -> None:
    names = [f"api{number}.execute-api.eu-west-1.amazonaws.com" for number in range(100)]
    messages = [query(name, identifier=number) for number, name in enumerate(names)]
    with ThreadPoolExecutor(16) as pool:
        responses = list(pool.map(asked.ask, messages))
    for number, (message, response) in enumerate(zip(messages, responses, strict=True)):
        assert struct.unpack_from("!H", response)[0] == number
        assert addresses(response, message) == ["127.0.0.2"]
    assert sorted(asked.told) == sorted((name, "A", True) for name in names)


def test_a_name_can_be_added_and_taken_away_while_it_runs(asked: Asked) -> None:
    asked.zone.add("new.example", "127.0.0.9")
    assert code(asked.ask(query("new.example"))) == NO_ERROR
    asked.zone.remove("new.example")
    assert code(asked.ask(query("new.example"))) == NO_SUCH_NAME


def test_an_error_of_the_kit_is_answered_and_raised_in_the_end() -> None:
    asked = Asked()
    assert code(asked.ask(query("faulty"))) == SERVER_FAILURE
    assert code(asked.ask(query("com"))) == NO_SUCH_NAME
    with pytest.raises(OSError, match="illegal IP address"):
        asked.server.close()


def test_the_address_is_free_after_closing() -> None:
    asked = Asked()
    port = asked.server.port
    asked.server.close()
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as successor:
        successor.bind(("127.0.0.1", port))
