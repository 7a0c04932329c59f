"""The child's side of `python:MODULE_OR_FILE:HANDLER`: a process from which execution environments are forked.

Run as a script with the folder `moved_clock` on PYTHONPATH: `python -P function_python_host.py TARGET HANDLER
CONTROL`. CONTROL is the descriptor of a packet socket. The libraries that an aggregator needs are imported
once, before the first fork; the handler isn't: each environment imports it afresh. The packets:

- `{"ready": true}` goes out first, or `{"error": …}`;
- `{"call": "fork"}` with three descriptors (requests, replies, log) gives `{"pid": …}`;
- `{"call": "reap", "pid": …}` kills that environment's process group and gives `{"status": …}`.

An environment is the leader of a session. Its first request is `{"environment": …, "look_ups": …,
"clock_file": …, "cwd": …, "bytecode": …, "bound": …}`, answered by `{"ready": true}` or `{"error": …}`; with
`look_ups` it is confined to them (see `confined`). Each `{"event": …, "id": …, "arn": …, "deadline": …}` is then
answered by `{"answer": …}`, the text of the result, by `{"size": …}` where that has more bytes than the bound,
or by `{"error": …}`. `deadline` is by the environment's own clock. When the socket closes, all environments are
killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import decimal
import gc
import importlib
import importlib.util
import json
import logging
import math
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, cast

from gco_conformance.adapters.confined import confine
from gco_conformance.adapters.python_host import LoadError, last_line, load

PRELOADED = (
    "boto3.session",
    "botocore.auth",
    "botocore.awsrequest",
    "botocore.httpsession",
    "concurrent.futures.thread",
    "queue",
    "urllib.request",
    "urllib3",
)
REAP = 5.0
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER

Handler = Callable[[Any, object], object]


def main(target: str, handler: str, control_descriptor: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(ADOPT_ORPHANS, 1)
    pids: set[int] = set()
    with socket.socket(fileno=int(control_descriptor)) as control:
        os.set_inheritable(control.fileno(), False)
        preload()
        sys.path.insert(0, str(Path.cwd()))
        if not target.endswith(".py") and importlib.util.find_spec(target.partition(".")[0]) is None:
            say(control, {"error": f"there is no module {target}"})
            return
        gc.collect()
        gc.freeze()
        say(control, {"ready": True})
        try:
            serve(control, pids, target, handler, libc)
        finally:
            while family := [*pids] or children():
                for pid in family:
                    kill(pid)
                pids.clear()


def say(control: socket.socket, message: Mapping[str, object]) -> None:
    control.send(json.dumps(message).encode())


def preload() -> None:
    """Import what takes long, and what it imports when it is first used. Nothing is asked, nothing is kept."""
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with contextlib.suppress(ImportError):
        session = importlib.import_module("botocore.session").Session()
        session.create_client(
            "cloudformation", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
        )


def serve(control: socket.socket, pids: set[int], target: str, handler: str, libc: ctypes.CDLL) -> None:
    parent = os.getpid()
    while True:
        packet, descriptors, _, _ = socket.recv_fds(control, 4096, 3)
        if not packet:
            return
        request = json.loads(packet)
        if request["call"] == "reap":
            pids.discard(request["pid"])
            say(control, {"status": kill(request["pid"])})
            continue
        pid = os.fork()
        if not pid:
            control.close()
            libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            live(target, handler, *descriptors)
        pids.add(pid)
        for descriptor in descriptors:
            os.close(descriptor)
        say(control, {"pid": pid})


def children() -> list[int]:
    """Who is a child of this process: what environments left behind has become one."""
    with contextlib.suppress(OSError):
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    return []


def kill(pid: int) -> int | None:
    """Kill the group of an environment that hasn't been reaped; its exit status, negative for a signal."""
    for kill_by in (os.killpg, os.kill):  # by its own number too, if it isn't the leader of a group yet
        with contextlib.suppress(OSError):
            kill_by(pid, signal.SIGKILL)
    deadline = time.monotonic() + REAP
    while time.monotonic() < deadline:
        try:
            reaped, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return None
        if reaped:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    return None


def live(target: str, handler: str, requests: int, replies: int, log: int) -> NoReturn:
    """The whole life of an execution environment."""
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, standard in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(descriptor, standard)
        os.close(nothing)
        os.close(log)
        for descriptor in (requests, replies):
            os.set_inheritable(descriptor, False)
        with os.fdopen(requests, "rb") as lines, os.fdopen(replies, "wb") as answers:
            status = converse(target, handler, iter(lines.readline, b""), answers.write, answers.flush)
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status & 0xFF)


def converse(target: str, handler: str, requests: Any, write: Any, flush: Any) -> int:
    def reply(message: Mapping[str, object]) -> None:
        write(json.dumps(message).encode() + b"\n")
        flush()

    start = json.loads(next(requests))
    settle_in(start)
    try:
        function = cast(Handler, load(target, handler))
    except LoadError as error:
        print(error, file=sys.stderr)
        reply({"error": f"Runtime.ImportModuleError: {error}"})
        return 1
    reply({"ready": True})
    for line in requests:
        reply(answer(function, json.loads(line), start["bound"]))
    return 0


def settle_in(start: Mapping[str, Any]) -> None:
    """Give the process its environment, clock, directory and the log that Lambda gives."""
    os.environ.clear()
    os.environ.update(start["environment"])
    time.tzset()
    sys.modules["sitecustomize"].follow(start["clock_file"])
    sys.pycache_prefix = start["bytecode"]
    os.chdir(start["cwd"])
    if start["look_ups"]:
        confine(start["look_ups"])
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    logging.basicConfig(format="[%(levelname)s]\t%(message)s")


class Context:
    """What Lambda tells a handler about its invocation."""

    identity = None
    client_context = None

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._deadline: float = request["deadline"]
        self.aws_request_id: str = request["id"]
        self.invoked_function_arn: str = request["arn"]
        self.function_name = os.environ.get("AWS_LAMBDA_FUNCTION_NAME")
        self.function_version = os.environ.get("AWS_LAMBDA_FUNCTION_VERSION")
        self.memory_limit_in_mb = os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE")
        self.log_group_name = os.environ.get("AWS_LAMBDA_LOG_GROUP_NAME")
        self.log_stream_name = os.environ.get("AWS_LAMBDA_LOG_STREAM_NAME")

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self._deadline - time.time()) * 1000))


def answer(function: Handler, request: Mapping[str, Any], bound: int) -> dict[str, object]:
    try:
        result = function(request["event"], Context(request))
    except Exception as error:
        within = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, within)
        return {"error": last_line(error)}
    try:
        text = json.dumps(result, default=number)
    except Exception as error:
        return {"error": f"Runtime.MarshalError: the result isn't JSON: {last_line(error)}"}
    return {"answer": text} if len(text) <= bound else {"size": len(text)}


def number(value: object) -> float:
    """A decimal as a number, like the runtime client of Lambda; nothing else that JSON doesn't know."""
    if not isinstance(value, decimal.Decimal):
        raise TypeError(f"an object of type {type(value).__name__} isn't JSON")
    return math.nan if value.is_nan() else float(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
