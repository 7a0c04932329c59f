"""One requirement as text for people: plain, or styled for a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gco_conformance.requirements.catalogue import Requirement

if TYPE_CHECKING:
    from rich.text import Text

WIDEST: Final = 100
NARROWEST: Final = 40


def plain(requirement: Requirement, width: int = 80) -> str:
    """The requirement wrapped to `width` columns, no newline at the end. Examples are never wrapped."""
    return "\n".join(line for line, _ in _lines(requirement, width))


def styled(requirement: Requirement, width: int = 80) -> Text:
    """The same text for a terminal."""
    # rich is imported here because it is slow to load and pipes never need it.
    from rich.text import Text

    return Text("\n").join(Text(line, style) for line, style in _lines(requirement, width))


def show(requirement: Requirement) -> None:
    """Print it to standard output: styled when that is a terminal (NO_COLOR is respected), else plain."""
    if not sys.stdout.isatty():
        print(plain(requirement, text_width()))
        return
    from rich.console import Console

    Console(highlight=False).print(styled(requirement, text_width()), soft_wrap=True)


def text_width() -> int:
    """The columns that running text may take: those of the terminal, within what is pleasant to read."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))


def _lines(requirement: Requirement, width: int) -> Iterator[tuple[str, str]]:
    """Lines with their rich style."""
    yield requirement.id, "bold cyan"
    yield from _wrapped(requirement.title, width, "", "bold")
    yield f"{requirement.level} | {requirement.profile}", "dim"
    yield "", ""
    yield from _wrapped(requirement.sentence, width, "")
    yield "", ""
    yield "Why it matters", "bold"
    yield from _wrapped(requirement.why, width, "  ")
    yield "", ""
    yield "Source", "bold"
    for source in requirement.source:
        yield from _wrapped(source, width, "  - ")
    yield "", ""
    yield "Example", "bold"
    for line in requirement.example.splitlines():
        yield f"  {line}".rstrip(), ""


def _wrapped(text: str, width: int, start: str, style: str = "") -> Iterator[tuple[str, str]]:
    """Words are kept whole: a path or an id that is broken up can't be copied."""
    for line in textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    ):
        yield line, style
