"""JSON from anybody (contract sections 3 and 5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gco_reference.aggregator import strict_json


@pytest.mark.parametrize(
    "value", [{"a": [1, 2.5, None, True, "ü\ud800\u0000"], "": {}}, [], "x", 0, 2**64, -1.5e300]
)
def test_json_comes_out_as_it_went_in(value: Any) -> None:
    text = json.dumps(value)
    assert strict_json.parse(text) == strict_json.parse(text.encode()) == value
    assert json.loads(strict_json.write(value)) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "isn't JSON"),
        (b"<html>", "isn't JSON"),
        (b'{"a": 1', "isn't JSON"),
        (b'{"a": 1} {}', "isn't JSON"),
        (b'{"a": "\xe4"}', "isn't JSON"),
        (b'{"a": "\xed\xa0\x80"}', "isn't JSON"),  # half a surrogate pair isn't UTF-8
        (b'\xef\xbb\xbf{"a": 1}', "isn't JSON"),
        ('{"a": 1}'.encode("utf-16"), "isn't JSON"),
        ('{"a": 1}'.encode("utf-32"), "isn't JSON"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "isn't JSON"),
        (b'{"a": {"b": 1, "b": 1}}', "'b' twice"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    ],
)
def test_what_isnt_json_that_can_be_kept_is_refused(text: bytes, problem: str) -> None:
    with pytest.raises(strict_json.NotJsonError, match=problem):
        strict_json.parse(text)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_can_be_read_can_be_written(opening: str, closing: str) -> None:
    depth = strict_json.MAX_DEPTH
    deepest = strict_json.parse(opening * depth + "0" + closing * depth)
    assert strict_json.write({"jobs": [deepest]})
    with pytest.raises(strict_json.NotJsonError, match="nested too deeply"):
        strict_json.parse(opening * (depth + 1) + "0" + closing * (depth + 1))
