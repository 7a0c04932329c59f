"""The kit's packages stand in one order, and none imports one above it; kit and reference share nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

KIT = Path(str(files("gco_conformance")))
REFERENCE = Path(str(files("gco_reference")))
ORDER = (
    "errors",
    "extras",
    "http_messages",
    "hypothesis_home",
    "importing",
    "checkouts",
    "model",
    "requirements",
    "sealed",
    "adapters",
    "gateway",
    "world",
    "evidence",
    "report",
    "simulation",
    "drift",
    "scenarios",
    "campaigns",
    "suite",
    "pytest_plugin",
    "cli",
    "__main__",
)


def imported(file: Path) -> Iterator[str]:
    """The modules that a file names in its imports."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part(module: str) -> str:
    """The part of the kit that a module is of, "" for what isn't of the kit."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    return name if package == "gco_conformance" and name in ORDER else ""


def test_every_part_has_its_place() -> None:
    parts = {path.stem for path in KIT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert parts - {"__init__"} == set(ORDER)


def test_nothing_imports_what_stands_above_it() -> None:
    place = {name: number for number, name in enumerate(ORDER)}
    upward = [
        f"{file.relative_to(KIT)} imports {module}"
        for file in KIT.rglob("*.py")
        if (own := file.relative_to(KIT).parts[0].removesuffix(".py")) in place
        for module in imported(file)
        if (other := part(module)) and place[other] > place[own]
    ]
    assert upward == []


def test_kit_and_reference_share_no_code() -> None:
    crossing = [
        f"{file} imports {module}"
        for folder, stranger in ((KIT, "gco_reference"), (REFERENCE, "gco_conformance"))
        for file in folder.rglob("*.py")
        for module in imported(file)
        if module.partition(".")[0] == stranger
    ]
    assert crossing == []
