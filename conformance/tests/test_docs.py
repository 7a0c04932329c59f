"""What the documentation shows is accepted by the kit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gco_conformance.cli import COMMANDS
from gco_conformance.scenarios.file import read

ROOT = Path(__file__).parents[2]
FAULTS = ROOT / "conformance" / "docs" / "faults.md"
PAGES = (ROOT / "README.md", FAULTS)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def test_the_scenario_that_is_shown_is_one(tmp_path: Path) -> None:
    (shown,) = (block for block in blocks(FAULTS, "yaml") if block.startswith("title:"))
    file = tmp_path / "shown.yaml"
    file.write_text(shown, "utf-8")
    assert read(file).title == yaml.safe_load(shown)["title"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_yaml_that_is_shown_is_yaml(page: Path) -> None:
    shown = blocks(page, "yaml")
    assert shown
    for block in shown:
        yaml.safe_load(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_are_shown_exist(page: Path) -> None:
    shown = set(re.findall(r"(?:^|[`$ ]|- )gco-conformance ([a-z][a-z-]+)", page.read_text("utf-8")))
    assert shown
    assert shown - {command.replace("_", "-") for command in COMMANDS} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_linked_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
