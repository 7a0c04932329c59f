"""How an implementation is named; what can't be understood is told in one line."""

from __future__ import annotations

import pytest

from gco_conformance.adapters.spec import parse
from gco_conformance.errors import UsageError


@pytest.mark.parametrize(
    ("text", "door"),
    [
        ("command:composer {root}", "command"),
        (" command: composer --root={root} ", "command"),
        ("stdio:composer --serve", "stdio"),
        ("python:package.module:compose", "python"),
        ("python:./composer.py:Composer.compose:errors.Refused", "python"),
    ],
)
def test_each_kind_gives_its_composer(text: str, door: str) -> None:
    assert parse(text, jobs=2, timeout=1).door == door


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("", "doesn't say how", "command:COMMAND {root}"),
        ("composer {root}", "doesn't say how", "command:COMMAND {root}"),
        ("docker:composer", "doesn't say how", "stdio:COMMAND"),
        ("command:", "has no command", "command:COMMAND {root}"),
        ("stdio: ", "has no command", "stdio:COMMAND"),
        ("command:composer", "has no {root}", "command:composer {root}"),
        ("command:composer 'x {root}", "can't be split", "no closing quotation"),
        ("stdio:composer {root}", "has {root}", "leave it out"),
        ("python:", "doesn't name a function", "python:MODULE_OR_FILE:FUNCTION"),
        ("python:module", "doesn't name a function", "python:MODULE_OR_FILE:FUNCTION"),
        ("python:module:", "isn't the name of a function", "python:MODULE_OR_FILE:FUNCTION"),
        ("python:module:compose:", "doesn't name a function", ":EXCEPTION"),
        ("python:module:compose:E:F", "doesn't name a function", ":EXCEPTION"),
        ("python:mod ule:compose", "neither a module nor a .py file", "python:MODULE_OR_FILE:FUNCTION"),
        ("python:module:com-pose", "isn't the name of a function", "python:MODULE_OR_FILE:FUNCTION"),
    ],
)
def test_what_cannot_be_understood_is_told_with_a_remedy(text: str, problem: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text, jobs=1, timeout=1)
    assert problem in caught.value.message
    assert hint in caught.value.hint
    assert "\n" not in str(caught.value)
