"""Signatures: what botocore signs is accepted, what AWS's published examples say holds, all else is refused."""

from __future__ import annotations

import datetime
import importlib
import string
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.http_messages import Headers, Request
from gco_conformance.world.signature import (
    Credentials,
    Problem,
    Refused,
    access_key,
    canonical_query,
    canonical_request,
    check,
    signature_of,
)

KEYS = Credentials("ASIAABCDEFGHIJKLMNOP", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "token/with+signs==")
HOST = "abcdefghij.execute-api.us-east-1.amazonaws.com"

segments = st.text(string.ascii_letters + string.digits + "-_.~", min_size=1).filter(
    lambda segment: segment not in {".", ".."}
)
texts = st.text(st.characters(codec="utf-8"), max_size=8)
header_names = st.text(string.ascii_lowercase + "-", min_size=1, max_size=10).map(lambda name: "x-" + name)
header_values = st.text(string.printable.strip() + "  ", max_size=20).map(str.strip)


def by_botocore(
    method: str = "GET",
    path: str = "/prod/api/v1/jobs",
    query: str = "",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
    *,
    keys: Credentials = KEYS,
    region: str = "us-east-1",
    service: str = "execute-api",
) -> Request:
    """A request as botocore signs it."""
    auth: Any = importlib.import_module("botocore.auth")
    credentials: Any = importlib.import_module("botocore.credentials")
    awsrequest: Any = importlib.import_module("botocore.awsrequest")
    target = f"{path}?{query}" if query else path
    request = awsrequest.AWSRequest(method, f"https://{HOST}{target}", data=body, headers=dict(headers or {}))
    frozen = credentials.ReadOnlyCredentials(keys.access_key, keys.secret_key, keys.session_token)
    auth.SigV4Auth(frozen, service, region).add_auth(request)
    sent = [("Host", HOST), *((name, value) for name, value in request.headers.items())]
    return Request(method, target, tuple(sent), body)


def now() -> float:
    return datetime.datetime.now(datetime.UTC).timestamp()


def checked(request: Request, *, keys: Credentials = KEYS, at: float | None = None) -> Refused | None:
    return check(
        request,
        find=lambda key: keys if key == keys.access_key else None,
        region="us-east-1",
        service="execute-api",
        now=now() if at is None else at,
    )


def changed(request: Request, **parts: Any) -> Request:
    return Request(**{**vars(request), **parts})


def with_header(request: Request, name: str, value: str | None) -> Request:
    """The request with another value of a header, or without it."""
    kept = tuple((key, old) for key, old in request.headers if key.lower() != name.lower())
    added: Headers = () if value is None else ((name, value),)
    return changed(request, headers=(*kept, *added))


def with_authorization(request: Request, change: Callable[[str], str]) -> Request:
    return with_header(request, "Authorization", change(request.header("authorization") or ""))


@given(
    method=st.sampled_from(["GET", "DELETE", "POST", "PUT"]),
    path=st.lists(segments, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts)),
    query=st.lists(st.tuples(texts, texts), max_size=4),
    headers=st.dictionaries(header_names, header_values, max_size=4),
    body=st.binary(max_size=40),
    token=st.none() | st.text(string.ascii_letters + "+/=", min_size=1),
)
def test_what_botocore_signs_is_accepted(
    method: str,
    path: str,
    query: list[tuple[str, str]],
    headers: dict[str, str],
    body: bytes,
    token: str | None,
) -> None:
    keys = Credentials(KEYS.access_key, KEYS.secret_key, token)
    encoded = "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in query)
    request = by_botocore(method, path, encoded, headers, body, keys=keys)
    assert checked(request, keys=keys) is None


@pytest.mark.parametrize(
    ("target", "signature"),
    [
        ("/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    ],
)
def test_the_examples_that_aws_published(target: str, signature: str) -> None:
    """get-vanilla and get-vanilla-query-order-key-case of the SigV4 test suite."""
    request = Request("GET", target, (("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")))
    canonical = canonical_request(request, ["host", "x-amz-date"])
    scope = ("20150830", "us-east-1", "service", "aws4_request")
    secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    assert signature_of(canonical, secret, "20150830T123600Z", scope) == signature


def another_second(request: Request) -> str:
    stamp = request.header("x-amz-date") or ""
    return f"{stamp[:-2]}{'1' if stamp.endswith('0Z') else '0'}Z"


ALTERED: dict[str, Callable[[Request], Request]] = {
    "method": lambda request: changed(request, method="POST"),
    "path": lambda request: changed(request, target=request.target.replace("jobs", "jobz")),
    "query value": lambda request: changed(request, target=request.target.replace("limit=1", "limit=2")),
    "query name": lambda request: changed(request, target=request.target.replace("limit", "offset")),
    "query added": lambda request: changed(request, target=request.target + "&dry_run=false"),
    "body": lambda request: changed(request, body=request.body + b" "),
    "no body": lambda request: changed(request, body=b""),
    "host": lambda request: with_header(request, "Host", "other.example.com"),
    "content type": lambda request: with_header(request, "Content-Type", "text/plain"),
    "repeated header": lambda request: changed(request, headers=(*request.headers, ("Content-Type", "b"))),
    "time": lambda request: with_header(request, "X-Amz-Date", another_second(request)),
    "signature": lambda request: with_authorization(
        request, lambda value: value[:-1] + ("0" if value[-1] != "0" else "1")
    ),
    "signature in upper case": lambda request: with_authorization(
        request, lambda value: value.partition("Signature=")[0] + "Signature=" + value[-64:].upper()
    ),
    "signature of zeros": lambda request: with_authorization(request, lambda value: value[:-64] + "0" * 64),
}


@pytest.mark.parametrize("part", ALTERED)
def test_an_altered_request_is_refused(part: str) -> None:
    body = b'{"dry_run":true}'
    request = by_botocore("DELETE", query="limit=1", headers={"Content-Type": "application/json"}, body=body)
    assert checked(request) is None
    refused = checked(ALTERED[part](request))
    assert refused is not None
    assert refused.problem is Problem.MISMATCH
    assert "does not match the signature you provided" in refused.message


@given(st.data())
def test_a_change_of_any_byte_of_the_query_is_refused(data: st.DataObject) -> None:
    request = by_botocore(query="limit=100&namespace=team%20a")
    place = data.draw(st.integers(request.target.index("?") + 1, len(request.target) - 1))
    other = data.draw(st.sampled_from(string.ascii_letters + string.digits + "+ %"))
    target = request.target[:place] + other + request.target[place + 1 :]
    if canonical_query(target.partition("?")[2]) != canonical_query(request.query):
        assert checked(changed(request, target=target)) is not None


def test_another_secret_is_refused() -> None:
    refused = checked(by_botocore(keys=Credentials(KEYS.access_key, KEYS.secret_key + "x", KEYS.session_token)))
    assert refused is not None
    assert refused.problem is Problem.MISMATCH


@pytest.mark.parametrize("seconds", [301, -301, 3600, -3600])
def test_a_clock_that_differs_by_more_than_five_minutes_is_refused(seconds: int) -> None:
    refused = checked(by_botocore(), at=now() + seconds)
    assert refused is not None
    assert refused.message.startswith("Signature expired" if seconds > 0 else "Signature not yet current")


@pytest.mark.parametrize("seconds", [295, -295])
def test_a_clock_that_differs_by_less_is_accepted(seconds: int) -> None:
    assert checked(by_botocore(), at=now() + seconds) is None


@pytest.mark.parametrize(
    ("region", "service", "says"),
    [
        ("eu-west-1", "execute-api", "valid region, not 'eu-west-1'"),
        ("us-east-1", "cloudformation", "correct service: 'execute-api'"),
        ("us-east-1", "lambda", "correct service: 'execute-api'"),
    ],
)
def test_a_signature_for_another_region_or_service_is_refused(region: str, service: str, says: str) -> None:
    refused = checked(by_botocore(region=region, service=service))
    assert refused is not None
    assert says in refused.message


@pytest.mark.parametrize("name", ["host", "x-amz-date", "x-amz-security-token"])
def test_headers_that_say_who_where_and_when_have_to_be_signed(name: str) -> None:
    """The signature itself is right: it is made over the headers that are named."""
    request = by_botocore()
    signed = tuple(sorted({"host", "x-amz-date", "x-amz-security-token"} - {name}))
    stamp = request.header("x-amz-date") or ""
    scope = (stamp[:8], "us-east-1", "execute-api", "aws4_request")
    signature = signature_of(canonical_request(request, signed), KEYS.secret_key, stamp, scope)
    credential = "/".join((KEYS.access_key, *scope))
    value = f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={';'.join(signed)}, Signature={signature}"
    refused = checked(with_header(request, "Authorization", value))
    assert refused is not None
    assert f"'{name}' must be a 'SignedHeader'" in refused.message


def test_a_signed_header_that_was_not_sent_is_refused() -> None:
    request = by_botocore(headers={"x-extra": ""})
    assert checked(request) is None
    assert checked(with_header(request, "x-extra", None)) is not None


def test_a_token_is_asked_for_where_there_is_one_and_only_there() -> None:
    without = Credentials(KEYS.access_key, KEYS.secret_key)
    other = Credentials(KEYS.access_key, KEYS.secret_key, "other")
    for signed_with, known in [(without, KEYS), (other, KEYS), (KEYS, without)]:
        refused = checked(by_botocore(keys=signed_with), keys=known)
        assert refused is not None
        assert refused.problem is Problem.UNKNOWN_KEY
    assert checked(by_botocore(keys=without), keys=without) is None


def test_an_unknown_key_is_refused() -> None:
    refused = checked(by_botocore(keys=Credentials("AKIAAAAAAAAAAAAAAAAA", "secret")))
    assert refused is not None
    assert refused.problem is Problem.UNKNOWN_KEY


def test_a_request_without_signature_is_refused() -> None:
    assert checked(with_header(by_botocore(), "Authorization", None)) == Refused(
        Problem.MISSING, "Missing Authentication Token"
    )


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Bearer abc",
        "AWS4-HMAC-SHA256",
        "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/execute-api/aws4_request, SignedHeaders=host",
        "AWS4-HMAC-SHA256 Credential=a/us-east-1/execute-api, SignedHeaders=host, Signature=a",
        "AWS4-HMAC-SHA1 Credential=a/20260101/us-east-1/execute-api/aws4_request, SignedHeaders=host, Signature=a",
    ],
)
def test_a_malformed_authorization_is_refused(value: str) -> None:
    refused = checked(with_header(by_botocore(), "Authorization", value))
    assert refused is not None
    assert refused.problem is Problem.INCOMPLETE


@pytest.mark.parametrize("stamp", [None, "", "yesterday", "2026-01-01T00:00:00Z"])
def test_a_request_without_a_valid_time_is_refused(stamp: str | None) -> None:
    refused = checked(with_header(by_botocore(), "X-Amz-Date", stamp))
    assert refused is not None
    assert refused.problem is Problem.INCOMPLETE


def test_a_plus_is_a_plus_sign_and_a_space_is_percent_twenty() -> None:
    """A client that signs `a+b` as it stands, meaning a space, signs something else than AWS checks."""
    assert checked(by_botocore(query="namespace=a%20b")) is None
    assert checked(by_botocore(query="namespace=a%2Bb")) is None
    refused = checked(by_botocore(query="namespace=a+b"))
    assert refused is not None
    assert "namespace=a%2Bb" in refused.message


@given(st.lists(st.tuples(texts, texts), max_size=5), st.randoms())
def test_the_canonical_query_does_not_depend_on_order_or_encoding(
    pairs: list[tuple[str, str]], random: Any
) -> None:
    def encoded(safe: str) -> list[str]:
        return [f"{quote(name, safe=safe)}={quote(value, safe=safe)}" for name, value in pairs]

    strict, loose = encoded(""), encoded("/:,!*'()@$;?")
    random.shuffle(loose)
    assert canonical_query("&".join(strict)) == canonical_query("&".join(loose))


def test_a_parameter_without_value_is_an_empty_one() -> None:
    assert canonical_query("b&a=1") == "a=1&b="


def test_the_claimed_key_is_told_without_checking_it() -> None:
    assert access_key(by_botocore().headers) == KEYS.access_key
    assert access_key((("Host", HOST),)) is None
