"""The run's certificates are taken by those who have its bundle, and bad ones are refused for what they are."""

from __future__ import annotations

import contextlib
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gco_conformance.errors import KitError
from gco_conformance.sealed.trust import Kind, Trust

pytest.importorskip("trustme")

HOST = "a1b2.execute-api.eu-west-1.amazonaws.com"


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path)


def shake_hands(trust: Trust, name: str = HOST, kind: Kind = "good", cafile: Path | None = None) -> str | None:
    """A handshake, in memory, of a client that asks for `name`; returns the chosen application protocol."""
    client = ssl.create_default_context(cafile=str(cafile or trust.bundle))
    client.set_alpn_protocols(["h2", "http/1.1"])
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server, server_hostname=name)
    theirs = trust.context(HOST, kind).wrap_bio(to_server, to_client, server_side=True)
    for side in (ours, theirs, ours):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    return ours.selected_alpn_protocol()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("unknown-ca", "unable to get local issuer certificate|self.signed certificate"),
        ("expired", "certificate has expired"),
        ("not-yet-valid", "certificate is not yet valid"),
        ("wrong-name", "Hostname mismatch"),
    ],
)
def test_a_bad_certificate_is_refused_for_what_it_is(trust: Trust, kind: Kind, reason: str) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match=reason):
        shake_hands(trust, kind=kind)


def test_a_certificate_is_for_one_name(trust: Trust) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(trust, "other.execute-api.eu-west-1.amazonaws.com")


def test_the_authority_of_another_run_is_not_trusted(trust: Trust, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(trust, cafile=Trust(tmp_path / "other").bundle)


def test_a_context_is_made_once_and_case_does_not_matter(trust: Trust) -> None:
    with ThreadPoolExecutor(8) as pool:
        contexts = set(pool.map(trust.context, [HOST, HOST.upper()] * 8))
    assert len(contexts) == 1
    assert trust.context(HOST, "expired") not in contexts


def test_the_variables_name_the_bundle_and_an_empty_directory(trust: Trust) -> None:
    variables = trust.variables()
    assert not list(Path(variables.pop("SSL_CERT_DIR")).iterdir())
    assert set(variables.values()) == {str(trust.bundle)}
    assert set(variables) == {
        "SSL_CERT_FILE",
        "AWS_CA_BUNDLE",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "NIX_SSL_CERT_FILE",
    }


def test_no_key_stays_in_a_file(trust: Trust, tmp_path: Path) -> None:
    trust.context(HOST)
    files = [place for place in tmp_path.rglob("*") if place.is_file()]
    assert files == [trust.bundle]
    assert "PRIVATE KEY" not in trust.bundle.read_text()


def test_a_missing_library_is_said_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trustme", None)
    with pytest.raises(KitError, match=r"trustme isn't installed; install it with .*\[aggregator\]"):
        Trust(tmp_path)
