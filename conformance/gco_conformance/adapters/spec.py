"""How a person names an implementation: `KIND:…` on the command line or in an `implementation.toml`."""

from __future__ import annotations

import shlex
from pathlib import Path

from gco_conformance.adapters.answer import Composer
from gco_conformance.adapters.command import ROOT, CommandComposer
from gco_conformance.adapters.stdio import StdioComposer
from gco_conformance.errors import UsageError

KINDS = "command:COMMAND {root}, python:MODULE_OR_FILE:FUNCTION[:EXCEPTION] or stdio:COMMAND"


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
    raise UsageError("python: isn't there yet")


def _words(text: str, command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{text!r} can't be split into words", f"{error}".lower()) from None
    if not words:
        raise UsageError(f"{text!r} has no command", f"write {KINDS}")
    return words
