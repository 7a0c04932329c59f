"""How a person names an implementation: `KIND:…` on the command line or in an `implementation.toml`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from gco_conformance.adapters.answer import Composer
from gco_conformance.adapters.command import CommandComposer
from gco_conformance.adapters.function import Function
from gco_conformance.adapters.function_http import PORT, RunningFunction, ServingFunction
from gco_conformance.adapters.function_python import PythonFunction
from gco_conformance.adapters.http_exchange import Url
from gco_conformance.adapters.pasted import ROOT
from gco_conformance.adapters.python import PythonComposer
from gco_conformance.adapters.runtime import RuntimeFunction
from gco_conformance.adapters.stdio import StdioComposer
from gco_conformance.errors import UsageError

PYTHON = "python:MODULE_OR_FILE:FUNCTION or python:MODULE_OR_FILE:FUNCTION:EXCEPTION"
HANDLER = "python:MODULE_OR_FILE:HANDLER"
AGGREGATOR_KINDS = f"{HANDLER}, runtime:COMMAND, http:COMMAND {{port}}, http:URL or rie:URL"
KINDS = "command:COMMAND {root}, python:MODULE_OR_FILE:FUNCTION[:EXCEPTION] or stdio:COMMAND"
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def parse(text: str, *, jobs: int, timeout: float) -> Composer:
    """The composer that `text` names, not started yet. Raises `UsageError`.

    `jobs` is the number of threads that ask it, `timeout` the seconds that one call may take. Commands run in
    the directory that is current now.
    """
    kind, colon, rest = text.strip().partition(":")
    if not colon or kind not in ("command", "python", "stdio"):
        raise UsageError(f"{text!r} doesn't say how the composer is run", f"write {KINDS}")
    if kind == "command":
        argv = _words(text, rest)
        if not any(ROOT in word for word in argv):
            hint = f"put {{root}} where the checkout goes, such as command:{rest.strip()} {{root}}"
            raise UsageError(f"{text!r} has no {{root}}", hint)
        return CommandComposer(argv, timeout=timeout, cwd=Path.cwd())
    if kind == "stdio":
        argv = _words(text, rest)
        if any(ROOT in word for word in argv):
            raise UsageError(f"{text!r} has {{root}}", "leave it out: each request names its checkout")
        return StdioComposer(argv, jobs=jobs, timeout=timeout, cwd=Path.cwd())
    return _python(text, rest, jobs=jobs, timeout=timeout)


def parse_aggregator(text: str, *, timeout: float) -> Function:
    """The aggregator that `text` names, not started yet. Raises `UsageError`.

    `timeout` is the seconds that a process of it may take until it is ready for its first event.
    """
    kind, colon, rest = text.strip().partition(":")
    if not colon or kind not in ("python", "runtime", "http", "https", "rie"):
        raise UsageError(f"{text!r} doesn't say how the aggregator is run", f"write {AGGREGATOR_KINDS}")
    if kind == "https" or rest.startswith("//"):
        kind, rest = "http", text
    if kind == "rie" or (kind == "http" and "://" in rest.partition(" ")[0]):
        return RunningFunction(kind, _url(text, rest), timeout=timeout)
    if kind in ("runtime", "http"):
        assignments, argv = _assigned(text, rest)
        if kind == "runtime":
            return RuntimeFunction(argv, assignments=assignments, timeout=timeout, cwd=Path.cwd())
        if not any(PORT in word for word in (*argv, *assignments.values())):
            raise UsageError(f"{text!r} has no {{port}}", "put {port} where the port goes that it is to listen on")
        return ServingFunction(argv, assignments=assignments, timeout=timeout, cwd=Path.cwd())
    target, colon, handler = rest.strip().rpartition(":")
    if not colon:
        raise UsageError(f"{text!r} doesn't name a handler", f"write {HANDLER}")
    _check_python(target, handler, HANDLER)
    return PythonFunction(target, handler, timeout=timeout, cwd=Path.cwd())


def _python(text: str, rest: str, *, jobs: int, timeout: float) -> Composer:
    match rest.strip().split(":"):
        case [target, function]:
            exception = ""
        case [target, function, exception] if _is_dotted(exception):
            pass
        case _:
            raise UsageError(f"{text!r} doesn't name a function", f"write {PYTHON}")
    _check_python(target, function, PYTHON)
    return PythonComposer(target, function, exception, jobs=jobs, timeout=timeout, cwd=Path.cwd())


def _check_python(target: str, function: str, form: str) -> None:
    if not target.endswith(".py") and not _is_dotted(target):
        raise UsageError(f"{target!r} is neither a module nor a .py file", f"write {form}")
    if not _is_dotted(function):
        raise UsageError(f"{function!r} isn't the name of a function", f"write {form}")


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _url(text: str, url: str) -> Url:
    try:
        return Url.parse(url.strip())
    except ValueError as error:
        raise UsageError(f"{text!r} names no URL: {error}", f"write {AGGREGATOR_KINDS}") from None


def _assigned(text: str, command: str) -> tuple[dict[str, str], list[str]]:
    """The assignments before a command, as a shell takes them, and the command."""
    words = _words(text, command, AGGREGATOR_KINDS)
    assignments = {}
    while words and _ASSIGNMENT.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        assignments[name] = value
    if not words:
        raise UsageError(f"{text!r} has no command", f"write {AGGREGATOR_KINDS}")
    return assignments, words


def _words(text: str, command: str, kinds: str = KINDS) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{text!r} can't be split into words", f"{error}".lower()) from None
    if not words:
        raise UsageError(f"{text!r} has no command", f"write {kinds}")
    return words
