"""How a person names an aggregator, and what is said when the name can't be understood."""

from __future__ import annotations

import pytest

from gco_conformance.adapters.function_http import RunningFunction, ServingFunction
from gco_conformance.adapters.function_python import PythonFunction
from gco_conformance.adapters.runtime import RuntimeFunction
from gco_conformance.adapters.spec import parse_aggregator
from gco_conformance.errors import UsageError


@pytest.mark.parametrize(
    ("text", "door", "kind"),
    [
        ("python:app:handler", "python", PythonFunction),
        (" python: my/app.py:Class.handler ", "python", PythonFunction),
        ("python:/a:b/app.py:handler", "python", PythonFunction),
        ("runtime:node bootstrap.mjs", "runtime", RuntimeFunction),
        ("runtime:_HANDLER=app.handler A='b c' ./bootstrap", "runtime", RuntimeFunction),
        ("http:node server.mjs --port {port}", "http", ServingFunction),
        ("http:PORT={port} ./server", "http", ServingFunction),
        ("http:http://127.0.0.1:8080", "http", RunningFunction),
        ("http://127.0.0.1:8080/base/", "http", RunningFunction),
        ("https://example.org", "http", RunningFunction),
        ("rie:http://localhost:9000", "rie", RunningFunction),
    ],
)
def test_the_kind_says_how_it_is_run(text: str, door: str, kind: type) -> None:
    function = parse_aggregator(text, timeout=1)
    assert function.door == door
    assert isinstance(function, kind)
    function.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "doesn't say how the aggregator is run; write python:MODULE_OR_FILE:HANDLER"),
        ("app:handler", "doesn't say how the aggregator is run"),
        ("command:x {root}", "doesn't say how the aggregator is run"),
        ("python:app", "'python:app' doesn't name a handler; write python:MODULE_OR_FILE:HANDLER"),
        ("python:app:", "'' isn't the name of a function"),
        ("python:my-app:handler", "'my-app' is neither a module nor a .py file"),
        ("runtime:", "'runtime:' has no command"),
        ("runtime:A=b", "'runtime:A=b' has no command"),
        ("http:", "'http:' has no command"),
        ("http:node server.mjs", "'http:node server.mjs' has no {port}; put {port} where"),
        ("rie:localhost:9000", "'localhost:9000' doesn't begin with http:// or https://"),
        ("http:ftp://x", "'ftp://x' doesn't begin with http:// or https://"),
        ("http://user@host", "should be scheme, host, port and path alone"),
        ("http://host/path?query", "should be scheme, host, port and path alone"),
        ("http://host:x", "names no URL"),
        ("http://", "should be scheme, host, port and path alone"),
        ("runtime:'", "can't be split into words"),
    ],
)
def test_what_cant_be_understood_is_told_with_the_remedy(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_aggregator(text, timeout=1)
    assert message in str(raised.value)
