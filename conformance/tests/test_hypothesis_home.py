"""A home for Hypothesis spares it what it works out slowly, and says nothing else than it would find."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal import charmap

from gco_conformance.hypothesis_home import furnish


def can_be_written(character: str) -> bool:
    try:
        return character.encode().decode() == character
    except UnicodeError:
        return False


def test_hypothesis_finds_there_which_characters_utf_8_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_hypothesis_home_dir(furnish(tmp_path / "hypothesis"))
    try:
        # It tries one after the other where it finds nothing.
        monkeypatch.setattr(charmap, "chr", lambda _: pytest.fail("it has worked them out"), raising=False)
        written, read_otherwise = charmap.intervals_from_codec.__wrapped__("utf-8")
    finally:
        set_hypothesis_home_dir(None)
    found = {number for first, last in written.intervals for number in range(first, last + 1)}
    assert found == {number for number in range(sys.maxunicode + 1) if can_be_written(chr(number))}
    assert not read_otherwise.intervals
