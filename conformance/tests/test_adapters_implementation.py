"""`implementation.toml` is read whole or refused with the place and the key."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from gco_conformance.adapters.answer import Identity
from gco_conformance.adapters.implementation import Declared, Implementation, load
from gco_conformance.adapters.schema import schema, validator
from gco_conformance.errors import UsageError

ABOUT = """\
[implementation]
name = "merge"
version = "2.1"
language = "Go"
url = "https://merge.example"
"""
COMPOSER = 'composer = "command:merge {root}"\n'


def read(folder: Path, text: str) -> Implementation:
    path = folder / "implementation.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(folder, text)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(folder / "implementation.toml"), "FILE")


def test_everything_that_can_be_said(tmp_path: Path) -> None:
    text = f"""{ABOUT}contact = "#merge"
composer = "stdio:merge --serve"
aggregator = "command:merge aggregate"

[[unsupported]]
requirement = "composer.schemas.*"
reason = "one service only"
issue = "https://merge.example/1"

[[known-failure]]
requirement = "composer.output.atomic"
reason = "later"

[[known-failure]]
requirement = "composer.output.stable"
reason = "flaky"
issue = "https://merge.example/2"
"""
    implementation = read(tmp_path, text)
    assert implementation == Implementation(
        name="merge",
        version="2.1",
        language="Go",
        url="https://merge.example",
        contact="#merge",
        composer="stdio:merge --serve",
        aggregator="command:merge aggregate",
        unsupported=(Declared("composer.schemas.*", "one service only", "https://merge.example/1"),),
        known_failures=(
            Declared("composer.output.atomic", "later"),
            Declared("composer.output.stable", "flaky", "https://merge.example/2"),
        ),
    )
    assert implementation.identity == Identity("merge", "2.1", "Go", "https://merge.example")


def test_the_composer_may_stand_above_the_tables(tmp_path: Path) -> None:
    assert read(tmp_path, COMPOSER + ABOUT).composer == "command:merge {root}"
    assert read(tmp_path, 'aggregator = "x"\n' + ABOUT).composer is None


def test_a_python_file_beside_it_is_found_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "merge.py").touch()
    composer = read(tmp_path, ABOUT + 'composer = "python:merge.py:compose:Refused"').composer
    assert composer == f"python:{tmp_path}/merge.py:compose:Refused"
    assert read(tmp_path, ABOUT + 'composer = "python:no.py:compose"').composer == "python:no.py:compose"
    assert read(tmp_path, ABOUT + 'composer = "python:merge:compose"').composer == "python:merge:compose"


def test_files_of_a_command_beside_it_are_found_from_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "boot.mjs").touch()
    named = read(folder, ABOUT + 'aggregator = "runtime:node boot.mjs --quiet"')
    assert shlex.split(str(named.aggregator)) == ["runtime:node", f"{folder}/boot.mjs", "--quiet"]
    assert read(folder, ABOUT + 'composer = "command:merge {root}"').composer == "command:merge {root}"


ENTRY = '\n[[unsupported]]\nrequirement = "a.b"\nreason = "r"\nissue = "https://x"\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (COMPOSER, "FILE: the file has no implementation"),
        (ABOUT, 'FILE names no composer and no aggregator; add composer = "command:… {root}"'),
        (ABOUT.replace('language = "Go"\n', "") + COMPOSER, "FILE:1: [implementation] has no language"),
        (
            ABOUT.replace('"2.1"', "2.1") + COMPOSER,
            "FILE:3: [implementation] version must be text that isn't empty, not '2.1'",
        ),
        (
            ABOUT.replace("https:", "") + COMPOSER,
            "FILE:5: [implementation] url must be a URL that begins with",
        ),
        (
            ABOUT + 'homepage = ""\n' + COMPOSER,
            "FILE:6: [implementation] has an unknown key 'homepage'; known are name,",
        ),
        (
            ABOUT + 'composer = "merge {root}"',
            "FILE:6: [implementation] composer must be command:…, python:… or stdio:…, not",
        ),
        (
            COMPOSER + ABOUT + COMPOSER,
            "FILE:1: composer is there twice, here and in [implementation]; keep one",
        ),
        ('compose = ""\n' + ABOUT, "FILE:1: the file has an unknown key 'compose'"),
        ("implementation = 3", "FILE:1: [implementation] must be a table"),
        (ABOUT + COMPOSER + "[unsupported]\n", "FILE:7: unsupported must be a list of tables"),
        (
            ABOUT + COMPOSER + ENTRY + ENTRY.replace("issue", "isue"),
            "FILE:13: [[unsupported]] number 2 has no issue",
        ),
        (
            ABOUT + COMPOSER + ENTRY + ENTRY.replace('issue = "https://x"\n', ""),
            "FILE:13: [[unsupported]] number 2 has no issue",
        ),
        (
            ABOUT + COMPOSER + ENTRY + ENTRY.replace('"r"', '" "'),
            "FILE:15: [[unsupported]] number 2, reason must be text that isn't empty",
        ),
        (
            ABOUT + COMPOSER + ENTRY.replace("a.b", "A B"),
            "FILE:9: [[unsupported]] number 1, requirement must be a requirement's id or a glob",
        ),
        (ABOUT + "composer = \n", "FILE isn't TOML: Invalid value (at line 6, column 12)"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in refused(tmp_path, text)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path, problem in (
        (tmp_path / "missing.toml", "can't be read: No such file or directory"),
        (tmp_path, "can't be read: Is a directory"),
    ):
        with pytest.raises(UsageError, match=problem):
            load(path)
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(UsageError, match="isn't UTF-8 text"):
        load(tmp_path / "latin")


def test_the_published_schema_is_a_schema() -> None:
    validator("implementation-1").check_schema(schema("implementation-1"))
