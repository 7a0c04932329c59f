"""The AWS Lambda Runtime API, version 2018-06-01, for one execution environment, on loopback.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html. What is against the protocol is answered as
Lambda answers it: 400 `InvalidRequestID`, 403 `InvalidStateTransition`, 413 `RequestEntityTooLarge`.
"""

from __future__ import annotations

import base64
import enum
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.execution_environment import Lost
from gco_conformance.adapters.function import Invocation
from gco_conformance.adapters.function_answer import (
    RESPONSE_BOUND,
    failed,
    judged,
    new_request_id,
    reported,
)
from gco_conformance.adapters.loopback import LoopbackServer, Reply, Request
from gco_conformance.adapters.process import no_answer

PREFIX: Final = "/2018-06-01/runtime/"
ERROR_TYPE: Final = "lambda-runtime-function-error-type"
ERROR_BODY: Final = "lambda-runtime-function-error-body"
_JSON: Final = {"Content-Type": "application/json"}
_ACCEPTED: Final = Reply(202, b'{"status":"OK"}', _JSON)


class _State(enum.Enum):
    """What a runtime is doing."""

    STARTING = "Started"
    READY = "Ready"
    RUNNING = "Running"
    ANSWERED = "ResponseSent"


@dataclass(frozen=True)
class _Event:
    id: str
    body: bytes
    headers: Mapping[str, str]


class RuntimeApi:
    """What one runtime talks to, one invocation at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._state = _State.STARTING
        self._end: Lost | None = None
        self._leaving = False
        self._waiting: list[Request] = []
        self._event: _Event | None = None
        self._taken_at = 0.0
        self._last_id = ""
        self._outcome: Invocation | None = None
        self._server = LoopbackServer(self._reply)

    @property
    def address(self) -> str:
        """What `AWS_LAMBDA_RUNTIME_API` is set to."""
        return f"127.0.0.1:{self._server.port}"

    def wait_until_ready(self, deadline: float, late: str) -> None:
        """Until the runtime asks for an event, until `deadline` (`time.monotonic`). Raises `Lost`."""
        with self._changed:
            self._wait(lambda: self._state is _State.READY, deadline, late)

    def invoke(self, event: Mapping[str, Any], *, arn: str, now: float, time_limit: float) -> Invocation:
        """Have the ready runtime take the event, and wait for its answer. Raises `Lost`.

        `now` is the time of day by the runtime's clock.
        """
        deadline = time.monotonic() + time_limit
        with self._changed:
            self._outcome = None
            self._event = _event(event, arn, now, time_limit)
            self._changed.notify_all()
            self._wait(lambda: self._outcome is not None, deadline, no_answer(time_limit))
            assert self._outcome is not None
            return self._outcome

    def gone(self, lost: Lost) -> None:
        """Tell that the runtime's process has ended, and how. What it had sent before still counts."""
        with self._changed:
            self._leaving = True
            self._changed.notify_all()
        self._server.finish()
        self._finish(lost)

    def close(self) -> None:
        self._finish(Lost(Ending.DIED, "the instance is closed"))
        self._server.close()

    def _finish(self, lost: Lost) -> None:
        with self._changed:
            self._leaving = True
            self._end = self._end or lost
            self._changed.notify_all()

    def _wait(self, come: Callable[[], bool], deadline: float, late: str) -> None:
        while not come():
            if self._end is not None:
                raise self._end
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise Lost(Ending.HUNG, late)
            self._changed.wait(remaining)

    def _reply(self, request: Request) -> Reply | None:
        place = request.path.removeprefix(PREFIX).split("/") if request.path.startswith(PREFIX) else []
        match (request.method, place):
            case ("GET", ["invocation", "next"]):
                return self._next(request)
            case ("POST", ["invocation", id_, "response"]):
                return self._answer(id_, request, _response)
            case ("POST", ["invocation", id_, "error"]):
                return self._answer(id_, request, _error)
            case ("POST", ["init", "error"]):
                return self._init_error(request)
        return _refusal(404, "NotFound", f"there is no {request.method} {request.path}")

    def _next(self, request: Request) -> Reply | None:
        """Wait for an event, without a time-out. If several wait, the last that is still there gets it."""
        with self._changed:
            if self._state is _State.RUNNING:
                return self._misplaced("Ready")
            self._state = _State.READY
            self._waiting.append(request)
            self._changed.notify_all()
            try:
                while not self._leaving:
                    if self._event is not None and self._waiting[-1] is request:
                        if not request.is_connected():
                            return None
                        event, self._event = self._event, None
                        return self._hand_over(event)
                    self._changed.wait()
                return None
            finally:
                self._waiting.remove(request)
                self._changed.notify_all()

    def _hand_over(self, event: _Event) -> Reply:
        self._state, self._last_id, self._taken_at = _State.RUNNING, event.id, time.monotonic()
        return Reply(200, event.body, {**_JSON, **event.headers})

    def _answer(self, id_: str, request: Request, judge: Callable[[Request, float], Invocation]) -> Reply:
        arrived = time.monotonic()
        with self._changed:
            if id_ != self._last_id:
                return _refusal(400, "InvalidRequestID", "Invalid request ID")
            if self._state is not _State.RUNNING:
                return self._misplaced("InvocationResponse")
            self._state = _State.ANSWERED
            self._outcome = judge(request, arrived - self._taken_at)
            self._changed.notify_all()
        if len(request.body) > RESPONSE_BOUND:
            message = f"Exceeded maximum allowed payload size ({RESPONSE_BOUND} bytes)."
            return _refusal(413, "RequestEntityTooLarge", message)
        return _ACCEPTED

    def _init_error(self, request: Request) -> Reply:
        with self._changed:
            if self._state is not _State.STARTING:
                return self._misplaced("InitError")
            self._end = self._end or Lost(Ending.EXITED, _error(request, 0.0).error)
            self._changed.notify_all()
        return _ACCEPTED

    def _misplaced(self, state: str) -> Reply:
        message = f"State transition from {self._state.value} to {state} failed for runtime."
        return _refusal(403, "InvalidStateTransition", message)


def _event(event: Mapping[str, Any], arn: str, now: float, time_limit: float) -> _Event:
    id_ = new_request_id()
    trace = f"Root=1-{int(now):08x}-{secrets.token_hex(12)};Parent={secrets.token_hex(8)};Sampled=0"
    headers = {
        "Lambda-Runtime-Aws-Request-Id": id_,
        "Lambda-Runtime-Deadline-Ms": str(int((now + time_limit) * 1000)),
        "Lambda-Runtime-Invoked-Function-Arn": arn,
        "Lambda-Runtime-Trace-Id": trace,
    }
    return _Event(id_, json.dumps(event).encode(), headers)


def _response(request: Request, seconds: float) -> Invocation:
    """A response; one that was streamed may end with an error in its trailers."""
    if ERROR_TYPE not in request.trailers:
        return judged(request.body, seconds)
    try:
        body = base64.b64decode(request.trailers.get(ERROR_BODY, ""), validate=True)
    except ValueError:
        body = b""
    return failed(_told(body, request.trailers[ERROR_TYPE]), seconds)


def _error(request: Request, seconds: float) -> Invocation:
    return failed(_told(request.body, request.headers.get(ERROR_TYPE, "")), seconds)


def _told(body: bytes, error_type: str) -> str:
    """The error in one line, from the JSON document about it, whose form is the runtime's own affair."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return reported(error_type, "")
    return reported(document.get("errorType") or error_type, document.get("errorMessage"))


def _refusal(status: int, error_type: str, message: str) -> Reply:
    body = json.dumps({"errorMessage": message, "errorType": error_type})
    return Reply(status, body.encode(), _JSON)
