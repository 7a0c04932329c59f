"""`gco-conformance requirements` and `gco-conformance explain`."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from typing import NoReturn

import pytest

from gco_conformance.cli import explain, requirements
from gco_conformance.errors import UsageError
from gco_conformance.requirements import load
from gco_conformance.requirements.render import plain, styled

FAITHFUL = "composer.schemas.faithful"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Parser(argparse.ArgumentParser):
    """As the command line's own: what argparse doesn't understand is a usage error."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def call(*words: str) -> int:
    parser: argparse.ArgumentParser = Parser()
    subparsers = parser.add_subparsers()
    requirements.add_parser(subparsers)
    explain.add_parser(subparsers)
    arguments = parser.parse_args(words)
    return int(arguments.func(arguments))


def shown_on_terminal(monkeypatch: pytest.MonkeyPatch, *words: str, **environment: str) -> str:
    """What the command writes when standard output is a terminal."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "120", **environment}.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", terminal)
        assert call(*words) == 0
    return terminal.getvalue()


def test_text_has_one_aligned_line_for_each_requirement(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("requirements") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [requirement.id for requirement in load()]
    for line, requirement in zip(lines, load(), strict=True):
        assert line.split()[1:3] == [requirement.level, requirement.profile]
        assert line.endswith(f"  {requirement.title}")
    columns = {line.index(f" {requirement.level} ") for line, requirement in zip(lines, load(), strict=True)}
    assert len(columns) == 1


def test_component_and_profile_narrow_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("requirements", "--component", "aggregator", "--profile", "hardened") == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [found.id for found in load().select(component="aggregator", profile="hardened")]


def test_json_carries_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("requirements", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in document["requirements"]] == [requirement.id for requirement in load()]
    entry = next(entry for entry in document["requirements"] if entry["id"] == FAITHFUL)
    requirement = load().get(FAITHFUL)
    assert entry == {
        "id": FAITHFUL,
        "component": "composer",
        "group": "schemas",
        "profile": requirement.profile,
        "level": requirement.level,
        "title": requirement.title,
        "sentence": requirement.sentence,
        "why": requirement.why,
        "source": list(requirement.source),
        "example": requirement.example,
    }


def test_markdown_has_a_table_for_each_component(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("requirements", "--format", "md") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("#")] == ["## composer", "## aggregator"]
    rows = [line for line in lines if line.startswith("| `")]
    assert len(rows) == len(load())
    # Every row has four cells: a "|" inside a sentence doesn't end one.
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_markdown_shows_angle_brackets_instead_of_taking_them_for_tags(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "<service>" in load().get("composer.schemas.conflict-renamed").sentence
    assert call("requirements", "--format", "md") == 0
    out = capsys.readouterr().out
    assert r"\<service\>" in out
    assert not re.search(r"(?<!\\)<service", out)


@pytest.mark.parametrize("option", [("--component", "gateway"), ("--profile", "soft"), ("--format", "xml")])
def test_options_with_unknown_values_are_refused(option: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match=option[1]):
        call("requirements", *option)


def test_explain_shows_all_that_the_catalogue_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("explain", FAITHFUL) == 0
    shown = capsys.readouterr().out
    words = " ".join(shown.split())
    requirement = load().get(FAITHFUL)
    for text in (
        requirement.id,
        requirement.title,
        requirement.sentence,
        requirement.why,
        *requirement.source,
    ):
        assert " ".join(text.split()) in words
    assert f"{requirement.level} | {requirement.profile}" in shown
    for line in requirement.example.splitlines():
        assert line in shown


@pytest.mark.parametrize("columns", [50, 72, 100])
def test_explain_wraps_to_the_terminals_width(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert call("explain", FAITHFUL) == 0
    text, example = capsys.readouterr().out.split("\nExample\n")
    assert max(map(len, text.splitlines())) <= columns
    assert [line.removeprefix("  ") for line in example.splitlines()] == load().get(FAITHFUL).example.splitlines()


def test_explain_refuses_an_unknown_id_with_a_hint() -> None:
    with pytest.raises(UsageError) as caught:
        call("explain", "composer.schemas.faithfull")
    assert str(caught.value) == (
        "there is no requirement 'composer.schemas.faithfull'; did you mean 'composer.schemas.faithful'?"
    )


@pytest.mark.parametrize("command", [("requirements",), ("explain", FAITHFUL)])
def test_output_into_a_pipe_is_plain(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*command) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("command", [("requirements",), ("explain", FAITHFUL)])
def test_output_on_a_terminal_is_styled(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_terminal(monkeypatch, *command)
    assert FAITHFUL in shown
    assert colours(shown)


@pytest.mark.parametrize("command", [("requirements",), ("explain", FAITHFUL)])
def test_no_color_is_respected_on_a_terminal(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_on_terminal(monkeypatch, *command, NO_COLOR="1")
    assert FAITHFUL in shown
    assert not colours(shown)


def colours(text: str) -> set[int]:
    """The SGR parameters of `text` that set a colour; bold and dim don't."""
    numbers = {int(code) for codes in re.findall(r"\x1b\[([\d;]+)m", text) for code in codes.split(";")}
    return {number for number in numbers if 30 <= number <= 49 or 90 <= number <= 107}


def test_plain_and_styled_text_say_the_same() -> None:
    requirement = load().get(FAITHFUL)
    assert styled(requirement, 72).plain == plain(requirement, 72)
