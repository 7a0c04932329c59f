"""`gco-reference invoke`: one invocation of the aggregator from the command line."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_SIMULATOR = "gco-conformance"


def invoke(method: str, path: str, query: Sequence[tuple[str, str]], body: str | None) -> int:
    """Runs the handler in this environment and prints status, headers and body as one JSON object.

    Returns the exit status: 0 whatever the handler answered, 2 without the libraries that it needs.
    """
    try:
        from gco_reference.aggregator.handler import handler
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        print(f"ERROR: the aggregator needs {library}: pip install 'gco-conformance[aggregator]'", file=sys.stderr)
        return 2
    event = {
        "httpMethod": method,
        "path": path,
        "queryStringParameters": dict(query) or None,
        "body": body,
        "isBase64Encoded": False,
    }
    result = handler(event)
    shown = {
        "status": result["statusCode"],
        "headers": result["headers"],
        "body": json.loads(result["body"]),
    }
    print(json.dumps(shown, indent=2))
    return 0


def invoke_in_world(
    world: Path, method: str, path: str, query: Sequence[tuple[str, str]], body: str | None
) -> int:
    """Becomes the kit's simulator, which runs this command again inside of the described world.

    Returns only when that fails, with the exit status 2.
    """
    again = [sys.executable, "-m", "gco_reference", "invoke", method, path]
    for name, value in query:
        again += [f"--query={name}={value}"]
    if body is not None:
        again += [f"--body={body}"]
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    simulator = shutil.which(_SIMULATOR, path=beside)
    if simulator is not None:
        os.execv(simulator, [_SIMULATOR, "simulate", "--world", str(world), "--", *again])
    print(f"ERROR: --world needs the command {_SIMULATOR}, which isn't installed", file=sys.stderr)
    return 2
