"""Whatever a file holds: findings, problems or a refusal in one line, never a traceback."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.drift.writers import FORMATS, write
from gco_conformance.errors import UsageError

from .drift_checkout import base, gated, searched

CONFIGURATION = "gateway-composition.yaml"
FILES = base({"file": CONFIGURATION, "append": "output: composed.json\n"}).files
NAMES = [name for name, _ in FILES]
odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.text(max_size=4), below, max_size=2),
    max_leaves=4,
)


def places(value: Any, *above: str | int) -> Iterator[tuple[str | int, ...]]:
    yield above
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in children:
        yield from places(below, *above, key)


def replaced(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = replaced(value[place[0]], place[1:], new)
    return copy


def load(name: str, content: bytes) -> Any:
    return json.loads(content) if name.endswith(".json") else list(yaml.safe_load_all(content))


def dump(name: str, value: Any) -> bytes:
    if name.endswith(".json"):
        return json.dumps(value).encode("utf-8")
    return yaml.safe_dump_all(value if isinstance(value, list) else [value]).encode()


@st.composite
def broken_checkouts(draw: st.DrawFn) -> Checkout:
    """The clean checkout with one part of one file replaced by something odd, or with odd bytes."""
    files = dict(FILES)
    name = draw(st.sampled_from(NAMES))
    if draw(st.integers(0, 9)) == 0:
        files[name] = draw(st.binary(max_size=20))
        return Checkout.of(files)
    value = load(name, files[name])
    place = draw(st.sampled_from(list(places(value))))
    files[name] = dump(name, replaced(value, place, draw(odd)))
    return Checkout.of(files)


@settings(searched, max_examples=150)
@given(broken_checkouts())
def test_odd_input_is_reported_or_refused(checkout: Checkout) -> None:
    with tempfile.TemporaryDirectory() as folder:
        told = outcome(checkout, Path(folder))
    assert all("\n" not in line for line in told)


def outcome(checkout: Checkout, root: Path) -> list[str]:
    """The lines that say what can't be used; every format can tell the rest."""
    try:
        report = gated(checkout, root)
    except UsageError as error:
        return [str(error)]
    for form in FORMATS:
        write(report, form).encode("utf-8", "replace")
    return [str(problem) for problem in report.problems]
