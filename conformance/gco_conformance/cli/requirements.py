"""`gco-conformance requirements`: the catalogue as a list, as Markdown or as JSON."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from itertools import groupby

from gco_conformance.requirements import COMPONENTS, PROFILES, Requirement, load


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "requirements",
        help="list what an implementation must do",
        description="List the requirements that implementations are checked against.",
    )
    parser.add_argument("--component", choices=COMPONENTS, help="only this component's requirements")
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        default="all",
        help="core, hardened (the hardened ones alone) or all (default)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "md", "json"),
        default="text",
        help="text: a line each (default); md: a table per component; json: all fields",
    )
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the selected requirements in catalogue order."""
    selected = load().select(component=arguments.component, profile=arguments.profile)
    if arguments.format == "json":
        print(as_json(selected))
    elif arguments.format == "md":
        print(as_markdown(selected))
    elif sys.stdout.isatty():
        _show_table(selected)
    else:
        print(as_text(selected))
    return 0


def as_text(requirements: Sequence[Requirement]) -> str:
    """A line for each requirement in aligned columns: id, level, profile and title."""
    width = max(len(requirement.id) for requirement in requirements)
    return "\n".join(
        f"{requirement.id:<{width}}  {requirement.level:<6}  {requirement.profile:<8}  {requirement.title}"
        for requirement in requirements
    )


def as_markdown(requirements: Sequence[Requirement]) -> str:
    """A heading and a table for each component."""
    parts = []
    for component, members in groupby(requirements, key=lambda requirement: requirement.component):
        rows = [
            f"| `{requirement.id}` | {requirement.level} | {requirement.profile} "
            f"| {_markdown_text(requirement.sentence)} |"
            for requirement in members
        ]
        head = ["| id | level | profile | requirement |", "| --- | --- | --- | --- |"]
        parts.append("\n".join([f"## {component}", "", *head, *rows]))
    return "\n\n".join(parts)


def as_json(requirements: Sequence[Requirement]) -> str:
    """An object whose `requirements` have all fields, `component` and `group` included."""
    return json.dumps(
        {
            "requirements": [
                {
                    "id": requirement.id,
                    "component": requirement.component,
                    "group": requirement.group,
                    "profile": requirement.profile,
                    "level": requirement.level,
                    "title": requirement.title,
                    "sentence": requirement.sentence,
                    "why": requirement.why,
                    "source": list(requirement.source),
                    "example": requirement.example,
                }
                for requirement in requirements
            ]
        },
        indent=2,
    )


def _markdown_text(text: str) -> str:
    """`text` shown as it is: `<service>` is no tag, `|` ends no cell and `[]` is no link."""
    return re.sub(r"([\\`*_<>\[\]|])", r"\\\1", text)


def _show_table(requirements: Sequence[Requirement]) -> None:
    # rich is imported here because it is slow to load and pipes never need it.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("requirement", "level", "profile"):
        table.add_column(column, no_wrap=True)
    table.add_column("title", overflow="fold")
    for requirement in requirements:
        style = "cyan" if requirement.profile == "core" else "magenta"
        table.add_row(requirement.id, requirement.level, Text(requirement.profile, style), Text(requirement.title))
    console = Console(highlight=False)
    console.print(table)
    console.print(f"\n{len(requirements)} requirements; 'gco-conformance explain ID' shows one.", style="dim")
