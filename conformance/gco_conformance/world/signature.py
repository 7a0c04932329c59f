"""AWS Signature Version 4, checked as the service side does it.

Written from AWS's specification ("Create a signed AWS API request" and "Elements of an AWS API request
signature"): the canonical request is rebuilt from the bytes that arrived, never from what a client says.
`x-amz-content-sha256` isn't asked for (only S3 needs it); the hash is always that of the body.
"""

from __future__ import annotations

import datetime
import email.utils
import enum
import hashlib
import hmac
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from gco_conformance.http_messages import Headers, Request

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW = 300
"""How many seconds a request's time may differ from the service's."""

_UNRESERVED = "-_.~"
_PART = re.compile(r"(Credential|SignedHeaders|Signature)=([^,\s]*)\Z")


@dataclass(frozen=True)
class Credentials:
    """A key pair, with the session token that goes with it if it is temporary."""

    access_key: str
    secret_key: str
    session_token: str | None = None


class Problem(enum.Enum):
    """Why a request isn't accepted: the error's name at API Gateway, and at services with the Query protocol."""

    MISSING = ("MissingAuthenticationTokenException", "MissingAuthenticationToken")
    INCOMPLETE = ("IncompleteSignatureException", "IncompleteSignature")
    UNKNOWN_KEY = ("UnrecognizedClientException", "InvalidClientTokenId")
    MISMATCH = ("InvalidSignatureException", "SignatureDoesNotMatch")

    def __init__(self, gateway: str, query: str) -> None:
        self.gateway = gateway
        self.query = query


@dataclass(frozen=True)
class Refused:
    """A request that isn't accepted; `message` is the text that AWS gives."""

    problem: Problem
    message: str


@dataclass(frozen=True)
class Authorization:
    """The parts of an Authorization header. `scope` is date, region, service and terminator."""

    access_key: str
    scope: tuple[str, str, str, str]
    signed: tuple[str, ...]
    signature: str


class _Refusal(Exception):
    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.refused = Refused(problem, message)


def check(
    request: Request,
    *,
    find: Callable[[str], Credentials | None],
    region: str,
    service: str,
    now: float,
) -> Refused | None:
    """Why the request isn't accepted in `region` by `service` at `now` (seconds since the epoch); None if it is.

    `find` gives the credentials that belong to an access key id, None when nobody has it.
    """
    try:
        authorization = _authorization(request)
        credentials = find(authorization.access_key)
        if credentials is None:
            raise _Refusal(Problem.UNKNOWN_KEY, _INVALID_TOKEN)
        moment = _moment(request)
        _check_scope(authorization, moment, region, service)
        _check_signed(request, authorization)
        _check_skew(moment, now)
        _check_token(request, credentials)
        _check_signature(request, authorization, credentials, moment)
    except _Refusal as refusal:
        return refusal.refused
    return None


def access_key(headers: Headers) -> str | None:
    """The access key id that a request claims, None when it claims none."""
    try:
        return _parse({name.lower(): value for name, value in headers}.get("authorization", "")).access_key
    except _Refusal:
        return None


def canonical_request(request: Request, signed: Sequence[str]) -> bytes:
    """The canonical form of a request: method, path, query, signed headers, hash of the body."""
    first = (request.method, _canonical_path(request.path), canonical_query(request.query))
    lines = [line.encode("latin-1") for line in first]
    for name in signed:
        values = [value.encode("latin-1") for key, value in request.headers if key.lower() == name]
        lines.append(name.encode("latin-1") + b":" + b",".join(b" ".join(value.split()) for value in values))
    lines += [b"", ";".join(signed).encode(), hashlib.sha256(request.body).hexdigest().encode()]
    return b"\n".join(lines)


def canonical_query(query: str) -> str:
    """The query in RFC 3986 encoding, sorted. A `+` is a plus sign: the canonical form knows no other."""
    pairs = []
    for part in query.split("&"):
        if part:
            name, _, value = part.partition("=")
            pairs.append((_encode(unquote_to_bytes(name)), _encode(unquote_to_bytes(value))))
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def signature_of(canonical: bytes, secret_key: str, stamp: str, scope: Sequence[str]) -> str:
    """The signature, in hex, over a canonical request at `stamp` (`20260101T000000Z`)."""
    key = ("AWS4" + secret_key).encode()
    for part in scope:
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, string_to_sign(canonical, stamp, scope).encode(), "sha256").hexdigest()


def string_to_sign(canonical: bytes, stamp: str, scope: Sequence[str]) -> str:
    return "\n".join([ALGORITHM, stamp, "/".join(scope), hashlib.sha256(canonical).hexdigest()])


def _authorization(request: Request) -> Authorization:
    value = request.header("authorization")
    if value is None:
        raise _Refusal(Problem.MISSING, "Missing Authentication Token")
    return _parse(value)


def _parse(value: str) -> Authorization:
    algorithm, _, rest = value.strip().partition(" ")
    if algorithm != ALGORITHM:
        raise _Refusal(Problem.INCOMPLETE, f"Unsupported AWS 'algorithm': '{algorithm}'.")
    pieces = (_PART.match(piece.strip()) for piece in rest.split(","))
    parts = {match[1]: match[2] for match in pieces if match}
    missing = [name for name in ("Credential", "Signature", "SignedHeaders") if not parts.get(name)]
    if missing:
        lacks = " ".join(f"Authorization header requires '{name}' parameter." for name in missing)
        raise _Refusal(Problem.INCOMPLETE, lacks)
    key, *scope = parts["Credential"].split("/")
    if len(scope) != 4:
        raise _Refusal(
            Problem.INCOMPLETE,
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            f"keyid/date/region/service/term, got '{parts['Credential']}'",
        )
    date, region, service, terminator = scope
    signed = tuple(parts["SignedHeaders"].split(";"))
    return Authorization(key, (date, region, service, terminator), signed, parts["Signature"])


def _moment(request: Request) -> datetime.datetime:
    """When the request says that it was signed."""
    stamp = request.header("x-amz-date") or request.header("date")
    if stamp is None:
        raise _Refusal(
            Problem.INCOMPLETE,
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
        )
    try:
        return datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.UTC)
    except ValueError:
        pass
    try:
        return email.utils.parsedate_to_datetime(stamp).astimezone(datetime.UTC)
    except ValueError:
        raise _Refusal(Problem.INCOMPLETE, f"Date must be in ISO-8601 'basic format'. Got '{stamp}'.") from None


def _check_scope(authorization: Authorization, moment: datetime.datetime, region: str, service: str) -> None:
    date, in_region, to_service, terminator = authorization.scope
    wrong = []
    if to_service != service:
        wrong.append(f"Credential should be scoped to correct service: '{service}'.")
    if in_region != region:
        wrong.append(f"Credential should be scoped to a valid region, not '{in_region}'.")
    if terminator != "aws4_request":
        wrong.append(f"Credential should be scoped with a valid terminator: 'aws4_request', not '{terminator}'.")
    if date != moment.strftime("%Y%m%d"):
        wrong.append(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{date}' != '{moment:%Y%m%d}', from '{moment:%Y%m%dT%H%M%SZ}'."
        )
    if wrong:
        raise _Refusal(Problem.MISMATCH, " ".join(wrong))


def _check_signed(request: Request, authorization: Authorization) -> None:
    """Every header that says to whom, when and as whom the request is made has to be signed."""
    signed = authorization.signed
    if list(signed) != sorted({name.lower() for name in signed}):
        raise _Refusal(Problem.MISMATCH, "'SignedHeaders' must be in lower case, sorted and without repetition.")
    sent = {name.lower() for name, _ in request.headers}
    required = {"host"} | {name for name in sent if name.startswith("x-amz-")}
    if "x-amz-date" not in sent:
        required.add("date")
    for name in sorted(required - set(signed)):
        raise _Refusal(Problem.MISMATCH, f"'{name}' must be a 'SignedHeader' in the AWS Authorization.")
    for name in signed:
        if name not in sent:
            raise _Refusal(Problem.MISMATCH, f"The header '{name}' is signed, but it was not sent.")


def _check_skew(moment: datetime.datetime, now: float) -> None:
    service_time = datetime.datetime.fromtimestamp(int(now), datetime.UTC)
    limit = datetime.timedelta(seconds=SKEW)
    form = "%Y%m%dT%H%M%SZ"
    if moment < service_time - limit:
        raise _Refusal(
            Problem.MISMATCH,
            f"Signature expired: {moment:{form}} is now earlier than {service_time - limit:{form}} "
            f"({service_time:{form}} - 5 min.)",
        )
    if moment > service_time + limit:
        raise _Refusal(
            Problem.MISMATCH,
            f"Signature not yet current: {moment:{form}} is still later than {service_time + limit:{form}} "
            f"({service_time:{form}} + 5 min.)",
        )


def _check_token(request: Request, credentials: Credentials) -> None:
    sent = request.header("x-amz-security-token")
    if sent != credentials.session_token:
        raise _Refusal(Problem.UNKNOWN_KEY, _INVALID_TOKEN)


def _check_signature(
    request: Request, authorization: Authorization, credentials: Credentials, moment: datetime.datetime
) -> None:
    canonical = canonical_request(request, authorization.signed)
    stamp = f"{moment:%Y%m%dT%H%M%SZ}"
    right = signature_of(canonical, credentials.secret_key, stamp, authorization.scope)
    if not hmac.compare_digest(right.encode(), authorization.signature.encode()):
        raise _Refusal(
            Problem.MISMATCH,
            "The request signature we calculated does not match the signature you provided. Check your AWS "
            "Secret Access Key and signing method. Consult the service documentation for details.\n\n"
            f"The Canonical String for this request should have been\n'{canonical.decode('latin-1')}'\n\n"
            "The String-to-Sign should have been\n"
            f"'{string_to_sign(canonical, stamp, authorization.scope)}'\n",
        )


def _canonical_path(path: str) -> str:
    """The path without relative parts, encoded once more than on the wire (only S3 doesn't do that)."""
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del kept[-1:]
        elif segment not in {"", "."}:
            kept.append(_encode(segment.encode("latin-1")))
    last = "/" if kept and path.endswith("/") else ""
    return "/" + "/".join(kept) + last


def _encode(value: bytes) -> str:
    return quote(value, safe=_UNRESERVED)


_INVALID_TOKEN = "The security token included in the request is invalid."
