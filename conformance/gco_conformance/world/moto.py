"""moto's CloudFormation, asked in this process: real stacks with real outputs, real XML, real errors.

Importing it takes seconds, so that it's imported on a thread of its own, once.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from gco_conformance.errors import KitError
from gco_conformance.http_messages import Reply
from gco_conformance.importing import ALONE

_Application = Callable[[dict[str, Any], Callable[..., None]], Iterable[bytes]]
_VERSION = "2010-05-15"


class Moto:
    """moto's server application. Each world has an account of its own in it."""

    def __init__(self) -> None:
        self._application: _Application | None = None
        self._backends: Any = {}
        self._regions: frozenset[str] = frozenset()
        self._failed: Exception | None = None
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to import it, if that hasn't begun."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._import, name="world-moto", daemon=True)
                self._thread.start()

    def knows(self, region: str) -> bool:
        """Whether the region is one of AWS's. Waits until moto is there."""
        self._ready()
        return region in self._regions

    def create(self, account: str, region: str, name: str, outputs: Mapping[str, str]) -> None:
        """Make a stack that has nothing but outputs."""
        template = {"Resources": {}, "Outputs": {key: {"Value": value} for key, value in outputs.items()}}
        parameters = {"Action": "CreateStack", "StackName": name, "TemplateBody": json.dumps(template)}
        reply = self.ask(account, region, parameters)
        if reply.status != 200:
            raise KitError(f"moto refuses to create the stack {name}: {reply.body.decode('utf-8', 'replace')}")

    def delete(self, account: str, region: str, name: str) -> None:
        self.ask(account, region, {"Action": "DeleteStack", "StackName": name})

    def ask(self, account: str, region: str, parameters: Mapping[str, str]) -> Reply:
        """Hand a request over; give the answer, with moto's own status, headers and body."""
        application = self._ready()
        body = urlencode({"Version": _VERSION, **parameters}).encode()
        told: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> None:
            told.append((status, headers))

        content = b"".join(application(_environ(account, region, body), start_response))
        status, headers = told[-1]
        kept = tuple((name, value) for name, value in headers if name.lower() in {"content-type"})
        return Reply(int(status.split()[0]), content, kept)

    def forget(self, account: str) -> None:
        """Drop everything that an account has."""
        self._backends.pop(account, None)

    def _ready(self) -> _Application:
        self.start()
        if self._thread is not None:
            self._thread.join()
        if self._application is None:
            raise KitError(f"moto can't be used: {self._failed}", "install gco-conformance[aggregator]")
        return self._application

    def _import(self) -> None:
        try:
            with ALONE:
                server: Any = importlib.import_module("moto.moto_server.werkzeug_app")
                models: Any = importlib.import_module("moto.cloudformation.models")
                application: _Application = server.DomainDispatcherApplication(server.create_backend_app)
                self._backends = models.cloudformation_backends
                self._regions = frozenset(self._backends["123456789012"].regions)
                # The first request builds the application behind it, which takes longer than the import.
                application(_environ("123456789012", "us-east-1", _WARM_UP), lambda *_: None)
                self._application = application
        except Exception as error:
            self._failed = error


def with_new_request_id(reply: Reply) -> Reply:
    """The same answer once more: every request has an id of its own."""
    return Reply(reply.status, _REQUEST_ID.sub(_new_request_id, reply.body), reply.headers)


def _new_request_id(_: re.Match[bytes]) -> bytes:
    return b"<RequestId>%s</RequestId>" % str(uuid.uuid4()).encode()


def _environ(account: str, region: str, body: bytes) -> dict[str, Any]:
    """A WSGI request that moto takes for one to CloudFormation in this region and account."""
    host = f"cloudformation.{region}.amazonaws.com"
    scope = f"world/20000101/{region}/cloudformation/aws4_request"
    return {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/",
        "QUERY_STRING": "",
        "SERVER_NAME": host,
        "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": "application/x-www-form-urlencoded; charset=utf-8",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_HOST": host,
        "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=none",
        "HTTP_X_MOTO_ACCOUNT_ID": account,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "https",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


_WARM_UP = urlencode({"Action": "DescribeStacks", "Version": _VERSION}).encode()
_REQUEST_ID = re.compile(rb"<RequestId>[^<]*</RequestId>")
