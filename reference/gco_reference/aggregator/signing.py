"""AWS credentials and Signature Version 4, both through botocore."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import create_credential_resolver
from botocore.session import Session

from gco_reference.aggregator.exchange import Request

# At its debug level it writes what it signs, and that has the session token in it.
logging.getLogger("botocore.auth").setLevel(logging.INFO)


@dataclass(frozen=True)
class Credentials:
    """Key, secret and token that belong together."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(repr=False)


class NoCredentialsError(Exception):
    """The AWS chain has no credentials."""


class CredentialChain:
    """The usual AWS chain, asked anew at each invocation: credentials are rotated while the process lives."""

    def __init__(self) -> None:
        self._resolver = create_credential_resolver(Session())

    def read(self) -> Credentials:
        """The credentials of now. May ask a service; raises `NoCredentialsError` and what botocore raises."""
        found = self._resolver.load_credentials()
        if found is None:
            raise NoCredentialsError("the AWS chain has no credentials")
        frozen = found.get_frozen_credentials()
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)


def sign(request: Request, credentials: Credentials | None, service: str, region: str) -> dict[str, str]:
    """The headers to send, signed as of now: the request's own and those of the signature.

    Raises `NoCredentialsError`.
    """
    if credentials is None:
        raise NoCredentialsError("there are no credentials to sign with")
    signed = AWSRequest(
        method=request.method, url=request.url, data=request.body or None, headers=dict(request.headers)
    )
    SigV4Auth(credentials, service, region).add_auth(signed)
    return dict(signed.headers.items())
