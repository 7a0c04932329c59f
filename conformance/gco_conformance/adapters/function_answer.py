"""What Lambda makes of the bytes with which a function answered."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.function import Invocation

RESPONSE_BOUND: Final = 6 * 1024 * 1024 + 100
"""Bytes that Lambda takes for a synchronous answer."""
FUNCTION_NAME: Final = "global-aggregator"
MEMORY_SIZE: Final = "512"
_ACCOUNT: Final = "123456789012"
_QUOTED = 120


def judged(answer: bytes, seconds: float) -> Invocation:
    """The invocation that ended with `answer`."""
    if len(answer) > RESPONSE_BOUND:
        return failed(too_large(len(answer)), seconds)
    try:
        payload = json.loads(answer, parse_constant=_no_json)
    except RecursionError:
        return failed("the answer isn't JSON that can be read: it is nested too deep", seconds)
    except ValueError as error:
        return failed(f"the answer isn't JSON: {error}; it begins with {_beginning(answer)}", seconds)
    return Invocation(Ending.EXITED, payload, "", seconds)


def failed(error: str, seconds: float, ending: Ending = Ending.EXITED) -> Invocation:
    """The invocation that gave no payload."""
    return Invocation(ending, None, error, seconds)


def too_large(size: int) -> str:
    return f"Function.ResponseSizeTooLarge: the answer has {size} bytes, Lambda takes {RESPONSE_BOUND}"


def exit_error(how: str) -> str:
    """What Lambda tells of a process that ended instead of answering; `how` is as `how_ended` has it."""
    return f"Runtime.ExitError: the process {how} without an answer"


def reported(error_type: object, message: object) -> str:
    """An error that a function reported, in one line."""
    kind = error_type if isinstance(error_type, str) and error_type else "Unhandled"
    return " ".join(f"{kind}: {message}".split()) if message else kind


def lambda_environment(environment: Mapping[str, str], *, task_root: Path, home: Path) -> dict[str, str]:
    """A function's environment: what its owner set, and what Lambda sets for every function.

    `home` is a folder of the instance's own: programs that look for a home must not find the files of the
    person who runs the kit. PATH is the kit's, so that the same programs are found. The value of
    `AWS_LAMBDA_LOG_STREAM_NAME` is nobody else's.
    """
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LAMBDA_TASK_ROOT": str(task_root),
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
        **environment,
        "AWS_LAMBDA_FUNCTION_NAME": FUNCTION_NAME,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": MEMORY_SIZE,
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{FUNCTION_NAME}",
        "AWS_LAMBDA_LOG_STREAM_NAME": f"{time.strftime('%Y/%m/%d')}/[$LATEST]{secrets.token_hex(16)}",
    }


def function_arn(region: str) -> str:
    return f"arn:aws:lambda:{region}:{_ACCOUNT}:function:{FUNCTION_NAME}"


def new_request_id() -> str:
    return str(uuid.uuid4())


def moved_now(clock_file: Path) -> float:
    """The time of day that a process whose clock follows `clock_file` has, in seconds since 1970."""
    try:
        return time.time() + float(clock_file.read_bytes())
    except (OSError, ValueError):
        return time.time()


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")


def _beginning(answer: bytes) -> str:
    said = re.sub(r"\s+", " ", answer[:_QUOTED].decode("utf-8", "backslashreplace"))
    return repr(said)
