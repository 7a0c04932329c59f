"""Inside the sealed network there is nothing but what the kit puts there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gco_conformance.errors import KitError
from gco_conformance.sealed.namespaces import available
from gco_conformance.sealed.seal import seal
from gco_conformance.sealed.trust import SYSTEM_BUNDLES

from .sealed_functions import HOST
from .sealed_run import told_by

pytest.importorskip("trustme")

AT_ONCE = 2.5


@pytest.fixture(scope="module", autouse=True)
def _namespaces() -> None:
    if reason := available():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def inside() -> Any:
    """What a sealed process saw of the network."""
    return told_by("network")


@pytest.fixture(scope="module")
def verdicts() -> Any:
    """What TLS clients inside thought of the kit's certificate."""
    return told_by("clients")


def assert_at_once(came_of_it: list[Any], outcome: str) -> None:
    assert came_of_it[0] == outcome
    assert came_of_it[1] < AT_ONCE


def test_only_loopback_is_up(inside: Any) -> None:
    assert [name for name, up in inside["interfaces"].items() if up] == ["lo"]


def test_a_known_name_resolves(inside: Any) -> None:
    assert_at_once(inside["known"], "127.0.0.1")


def test_a_name_below_a_known_suffix_resolves(inside: Any) -> None:
    assert_at_once(inside["below"], "127.0.7.1")


def test_an_unknown_name_fails_at_once_and_is_told(inside: Any) -> None:
    assert_at_once(inside["unknown"], "NXDOMAIN")
    assert ["s3.amazonaws.com", "A", False] in inside["told"]


def test_the_machine_knows_itself_and_does_not_tell(inside: Any) -> None:
    assert inside["own"] == ["127.0.0.1", "127.0.0.1"]
    assert not [name for name, _, _ in inside["told"] if not name.endswith(".amazonaws.com")]


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8", "169.254.169.254"])
def test_an_address_outside_is_unreachable_at_once(inside: Any, address: str) -> None:
    assert_at_once(inside["outside"][address], "ENETUNREACH")


def test_a_datagram_does_not_leave(inside: Any) -> None:
    assert_at_once(inside["datagram"], "ENETUNREACH")


def test_low_ports_can_be_bound(inside: Any) -> None:
    assert inside["bound"] is True
    assert inside["bound_by_program"] == 0


def test_other_resolvers_see_the_same_names() -> None:
    told = told_by("resolvers")
    assert told.pop("told") == [HOST, "no.example"]
    expected = {"getent": f"127.0.0.1       {HOST}", "getent_unknown": ""}
    expected |= {"node": "127.0.0.1", "node_unknown": "ENOTFOUND"}
    expected |= {"c_ares": "127.0.0.1", "c_ares_unknown": "ENOTFOUND"}
    assert {name: found for name, found in told.items() if found is not None} == {
        name: found for name, found in expected.items() if told[name] is not None
    }


def test_nothing_else_on_the_machine_answers_for_names() -> None:
    told = told_by("machine")
    assert told["daemon"] == []
    before, after = (told["switch"][when].splitlines() for when in ("before", "after"))
    assert [line.split() for line in after if line.startswith("hosts")] == [["hosts:", "files", "dns"]]
    assert [line for line in before if "hosts" not in line] == [line for line in after if "hosts" not in line]


@pytest.mark.parametrize("client", ["ssl", "urllib3", "botocore", "node"])
def test_a_client_verifies_the_servers_with_the_variables_alone(verdicts: Any, client: str) -> None:
    if verdicts[client]["trusting"] == "not installed":
        pytest.skip(f"{client} isn't installed")
    assert verdicts[client]["trusting"] == "verified"
    assert verdicts[client]["not trusting"] == "refused"


def test_the_system_bundle_is_the_kits(verdicts: Any) -> None:
    if not any(Path(place).is_file() for place in SYSTEM_BUNDLES):
        pytest.skip("this system has no certificate bundle")
    assert verdicts["ssl"]["system"] == "verified"


def test_a_process_without_namespaces_is_not_sealed(tmp_path: Path) -> None:
    with pytest.raises(KitError, match="only a process in namespaces of its own"):
        seal(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["user", "net", "mnt", "pid"])
def test_a_limit_of_namespaces_is_told_with_its_remedy(kind: str) -> None:
    told = told_by("available_without", f"max_{kind}_namespaces")
    assert f"sysctl -w user.max_{kind}_namespaces=" in told["available"]
