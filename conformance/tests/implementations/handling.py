"""Lambda handlers that behave well, badly and worse."""

from __future__ import annotations

import copy
import datetime
import decimal
import email.utils
import importlib
import os
import pickle
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


def beats(event: Event, _: Any) -> None:
    """Goes on after its answer, as programs with threads or timers do."""

    def beat() -> None:
        with Path(event["file"]).open("a") as file:
            while True:
                file.write(".")
                file.flush()
                time.sleep(0.005)

    threading.Thread(target=beat, daemon=True).start()


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


def gives_set(*_: Any) -> object:
    return {"body": {1}}


def uses_times(*_: Any) -> dict[str, bool]:
    """What programs do with clocks and dates, and whether it goes well while the clock is moved."""

    stopwatch: Any = type("Stopwatch", (), {"clock": time.monotonic})()
    now = datetime.datetime.now(datetime.UTC)
    parsed = datetime.datetime.strptime("2026-01-02", "%Y-%m-%d")
    made_by_c = email.utils.parsedate_to_datetime(email.utils.formatdate())
    return {
        "a clock in a class isn't a method": stopwatch.clock() > 0,
        "an instance of the class": all(isinstance(one, datetime.datetime) for one in (now, parsed, made_by_c)),
        "dates are dates": isinstance(now, datetime.date) and not isinstance(now.date(), datetime.datetime),
        "arithmetic": (now + datetime.timedelta(seconds=1) - now).total_seconds() == 1,
        "the least and the greatest": datetime.datetime.min < parsed < datetime.datetime.max,
        "pickle": pickle.loads(pickle.dumps(now)) == now,
        "deepcopy": copy.deepcopy(parsed) == parsed,
        "utcnow": abs((datetime.datetime.utcnow() - now.replace(tzinfo=None)).total_seconds()) < 60,
        "today": datetime.date.today() in (now.date(), datetime.datetime.now(datetime.UTC).date()),
        "text": datetime.datetime.fromisoformat(now.isoformat()) == now,
        "strftime": abs(float(time.strftime("%s")) - time.time()) < 60,
        "ctime": time.ctime()[-4:] == time.asctime()[-4:] == time.strftime("%Y"),
        "clock_gettime": abs(time.clock_gettime(time.CLOCK_REALTIME) - time.time()) < 60,
        "processor time": time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID) < 600,
    }


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
