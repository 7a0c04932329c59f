"""The endpoint from which containers and SnapStart functions have their credentials, which may be others soon."""

from __future__ import annotations

import datetime
import json
import secrets
from collections.abc import Callable
from typing import Any

from gco_conformance.adapters.loopback import LoopbackServer, Reply, Request
from gco_conformance.world.signature import Credentials

LIFETIME = 3600.0
"""Seconds for which credentials are said to be good."""
_PATH = "/v2/credentials"


class CredentialEndpoint:
    """Hands out what `current` gives, over plain HTTP on loopback, to those who know its token.

    `now` is the time, in seconds since the epoch, from which the expiry is counted.
    """

    def __init__(self, current: Callable[[], Credentials], now: Callable[[], float]) -> None:
        self._current = current
        self._now = now
        self._token = secrets.token_urlsafe(16)
        self._server = LoopbackServer(self._answer)

    def environment(self) -> dict[str, str]:
        """The variables by which every AWS SDK finds it."""
        return {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{self._server.port}{_PATH}",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN": self._token,
        }

    def close(self) -> None:
        self._server.close()

    def _answer(self, request: Request) -> Reply:
        if request.path != _PATH or request.headers.get("authorization") != self._token:
            return Reply(403, b"{}", {"Content-Type": "application/json"})
        told = _told(self._current(), self._now() + LIFETIME)
        return Reply(200, json.dumps(told).encode(), {"Content-Type": "application/json"})


def _told(credentials: Credentials, expires: float) -> dict[str, Any]:
    return {
        "AccessKeyId": credentials.access_key,
        "SecretAccessKey": credentials.secret_key,
        "Token": credentials.session_token,
        "Expiration": f"{datetime.datetime.fromtimestamp(expires, datetime.UTC):%Y-%m-%dT%H:%M:%SZ}",
    }
