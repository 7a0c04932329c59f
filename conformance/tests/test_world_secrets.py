"""Secrets that were planted are found in whatever form they come back, and nothing else is."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.world import secrets
from gco_conformance.world.secrets import leaks

PLANTED = {
    "api id": secrets.api_id(),
    "access key": secrets.access_key_id(temporary=True),
    "secret key": secrets.secret_access_key(),
    "token": secrets.session_token(),
    "host": f"{secrets.api_id()}.execute-api.us-east-1.amazonaws.com",
    "account": secrets.account_id(),
}

FORMS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "upper case": lambda data: data.upper(),
    "lower case": lambda data: data.lower(),
    "base64": base64.b64encode,
    "base64 for URLs": base64.urlsafe_b64encode,
    "base64 in lines": base64.encodebytes,
    "base64 in short lines": lambda data: b"\r\n ".join(
        base64.b64encode(data)[place : place + 8] for place in range(0, 4 * len(data) // 3 + 4, 8)
    ),
    "hex": lambda data: data.hex().encode(),
    "hex in upper case": lambda data: data.hex().upper().encode(),
    "percent": lambda data: b"".join(b"%%%02x" % byte for byte in data),
    "percent where needed": lambda data: quote(data).encode(),
    "percent twice": lambda data: quote(quote(data, safe=""), safe="").encode(),
    "JSON": lambda data: json.dumps(json.dumps(data.decode("latin-1"))).encode(),
    "JSON in numbers": lambda data: b"".join(b"\\u%04x" % byte for byte in data),
    "JSON with slashes": lambda data: data.replace(b"/", b"\\/"),
    "base64 in JSON in percent": lambda data: quote(json.dumps(base64.b64encode(data).decode())).encode(),
}
around = st.binary(max_size=20).filter(lambda data: b"%" not in data and b"\\" not in data)


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_found_in_every_form(form: str, name: str) -> None:
    assert leaks(FORMS[form](PLANTED[name].encode()), PLANTED.values()) == [PLANTED[name]]


@given(st.sampled_from([*FORMS]), st.sampled_from([*PLANTED]), around, around)
def test_a_secret_is_found_within_other_things(form: str, name: str, before: bytes, after: bytes) -> None:
    """The neighbours matter: base64 of a text that contains the secret shares no character with its own."""
    answer = FORMS[form](before + PLANTED[name].encode() + after)
    assert leaks(answer, PLANTED.values()) == [PLANTED[name]]


@given(text=st.text())
def test_a_text_without_secrets_has_none(text: str) -> None:
    assert leaks(text, PLANTED.values()) == []
    assert leaks(json.dumps({"jobs": [text], "regions": ["us-east-1"]}), PLANTED.values()) == []


@pytest.mark.parametrize("name", ["secret key", "token"])
def test_a_part_of_a_long_secret_is_a_leak(name: str) -> None:
    secret = PLANTED[name]
    assert leaks(f"key {secret[5:38]}…", [secret]) == [secret]


def test_a_shortened_secret_that_tells_nothing_is_no_leak() -> None:
    assert leaks(PLANTED["token"][:10], PLANTED.values()) == []


def test_text_that_is_not_valid_unicode_is_searched_too() -> None:
    assert leaks("\ud800" + PLANTED["api id"], PLANTED.values()) == [PLANTED["api id"]]


@pytest.mark.parametrize(
    ("made", "form"),
    [
        (secrets.api_id, r"[a-z][a-z0-9]{9}"),
        (secrets.account_id, r"[1-9][0-9]{11}"),
        (lambda: secrets.access_key_id(temporary=True), r"ASIA[A-Z2-7]{16}"),
        (lambda: secrets.access_key_id(temporary=False), r"AKIA[A-Z2-7]{16}"),
        (secrets.secret_access_key, r"[A-Za-z0-9+/]{40}"),
        (secrets.session_token, r"[A-Za-z0-9+/]{200,}={0,2}"),
    ],
)
def test_planted_values_have_the_form_of_aws_and_are_fresh(made: Callable[[], str], form: str) -> None:
    first, second = made(), made()
    assert re.fullmatch(form, first)
    assert first != second
