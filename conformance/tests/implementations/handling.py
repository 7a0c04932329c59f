"""Lambda handlers that behave well, badly and worse."""

from __future__ import annotations

import datetime
import decimal
import importlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

Event = dict[str, Any]

calls = 0
started = time.monotonic()
if os.environ.get("AT_IMPORT") == "raise":
    raise RuntimeError("no such table")
if os.environ.get("AT_IMPORT") == "exit":
    os._exit(3)
if os.environ.get("AT_IMPORT") == "hang":
    time.sleep(60)


def does(event: Event, context: Any) -> Any:
    """What the event says."""
    return globals()[event["do"]](event, context)


def echoes(event: Event, _: Any) -> Event:
    print("echoing", event)
    return event


def counts(*_: Any) -> int:
    global calls
    calls += 1
    return calls


def tells_environment(*_: Any) -> dict[str, str]:
    return dict(os.environ)


def tells_context(_: Event, context: Any) -> Event:
    names = ("function_name", "function_version", "memory_limit_in_mb", "aws_request_id", "invoked_function_arn")
    told = {name: getattr(context, name) for name in names}
    return {**told, "remaining": context.get_remaining_time_in_millis()}


def tells_time(_: Event, context: Any) -> Event:
    return {
        "time": time.time(),
        "time_ns": time.time_ns() / 1e9,
        "gmtime": time.mktime(time.localtime()),
        "now": datetime.datetime.now().timestamp(),
        "aware": datetime.datetime.now(datetime.UTC).timestamp(),
        "today": datetime.datetime.today().timestamp(),
        "monotonic": time.monotonic(),
        "monotonic_ns": time.monotonic_ns() / 1e9,
        "perf_counter": time.perf_counter(),
        "age": time.monotonic() - started,
        "remaining": context.get_remaining_time_in_millis(),
    }


def signs(*_: Any) -> str:
    auth, awsrequest, credentials = (
        importlib.import_module(f"botocore.{name}") for name in ("auth", "awsrequest", "credentials")
    )
    request = awsrequest.AWSRequest("GET", "https://abc.execute-api.us-east-1.amazonaws.com/prod")
    auth.SigV4Auth(credentials.Credentials("key", "secret"), "execute-api", "us-east-1").add_auth(request)
    return str(request.headers["X-Amz-Date"])


def waits(*_: Any) -> list[bool]:
    """Real time passes while it waits, in each of the ways in which a program waits."""
    begun = time.monotonic()
    time.sleep(0.02)
    threading.Event().wait(0.02)
    waited = threading.Condition()
    with waited:
        waited.wait_for(lambda: False, 0.02)
    return [0.05 < time.monotonic() - begun < 5]


def raises(*_: Any) -> None:
    raise LookupError("no region\nfound")


def exits(*_: Any) -> None:
    os._exit(3)


def leaves(*_: Any) -> None:
    sys.exit(4)


def crashes(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hangs(*_: Any) -> None:
    time.sleep(60)


def babbles(*_: Any) -> None:
    while True:
        print("babble" * 1000)


def gives_nan(*_: Any) -> Event:
    return {"statusCode": 200, "value": float("nan")}


def gives_bytes(*_: Any) -> object:
    return {"body": b"bytes"}


def gives_decimal(*_: Any) -> object:
    return {"value": decimal.Decimal("1.5")}


def gives_too_much(*_: Any) -> str:
    return "x" * (6 * 2**20 + 200)


def gives_much(*_: Any) -> str:
    return "x" * (5 * 2**20)


def gives_text(*_: Any) -> str:
    return 'grün "ü" \u2028 \U0001f600'


def starts_processes(event: Event, _: Any) -> list[int]:
    """One in its own group, one that left it for a session of its own."""
    code = "import time; time.sleep(60)"
    kin = subprocess.Popen([sys.executable, "-S", "-c", code])
    stray = subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=True)
    pids = [os.getpid(), kin.pid, stray.pid]
    Path(event["pids"]).write_text(" ".join(map(str, pids)))
    if event.get("then") == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return pids
