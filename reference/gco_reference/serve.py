"""`gco-reference serve`: the composer behind gco-composer-stdio/1, a JSON answer for each JSON request."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from gco_reference import __version__
from gco_reference.composer.command import run

PROTOCOL = "gco-composer-stdio/1"

_IDENTITY = {
    "protocol": PROTOCOL,
    "name": "gco-reference",
    "version": __version__,
    "language": "Python",
    "homepage": "",
}


def serve(requests: Iterable[str], answers: TextIO) -> None:
    """Answers each request until there are no more."""
    for line in requests:
        if line.strip():
            answers.write(json.dumps(_answer(line)) + "\n")
            answers.flush()


def _answer(line: str) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except ValueError as error:
        return {"id": None, "error": f"the request isn't JSON: {error}"}
    if not isinstance(request, dict):
        return {"id": None, "error": "the request isn't an object"}
    number, call = request.get("id"), request.get("call")
    if call == "hello":
        return {"id": number, **_IDENTITY}
    root, check = request.get("root"), request.get("check", False)
    if call != "compose" or not isinstance(root, str) or not isinstance(check, bool):
        return {"id": number, "error": 'the request is neither "hello" nor "compose" with a root'}
    outcome = run(Path(root), check=check)
    return {"id": number, "exit": outcome.exit, "stdout": outcome.stdout, "stderr": outcome.stderr}
