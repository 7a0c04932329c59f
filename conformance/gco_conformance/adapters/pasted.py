"""Shell lines that a person pastes to repeat what the kit has done, on a checkout in `$root`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Final

ROOT: Final = "{root}"
"""Stands for a checkout in the arguments of a command."""


def pasted(arguments: Iterable[str]) -> str:
    """The line with these arguments, in which `$root` takes the place of each `{root}`, in whatever text it is."""
    return " ".join(map(_word, arguments))


def _word(argument: str) -> str:
    if not argument:
        return "''"
    # A shell joins quoted and unquoted parts that follow each other to one word.
    return '"$root"'.join(shlex.quote(part) if part else "" for part in argument.split(ROOT))
