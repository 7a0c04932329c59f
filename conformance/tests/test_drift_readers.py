"""Values come with the places where they stand; what can't be read is said with its line, without a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.drift.place import pointer_to
from gco_conformance.drift.problem import Unusable
from gco_conformance.drift.readers.json_text import json_places, read_json
from gco_conformance.drift.readers.service_documents import parse_service
from gco_conformance.drift.readers.text import read_text
from gco_conformance.drift.readers.yaml_tree import plain, read_documents

from .drift_checkout import searched, service

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
    max_leaves=12,
)


def problem(text: str, *, is_json: bool) -> str:
    with pytest.raises(Unusable) as caught:
        read_json(text, "f") if is_json else list(map(plain, read_documents(text, "f")))
    return str(caught.value.problem)


def pointers(value: Any, *tokens: str) -> list[str]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [pointer_to(*tokens)] if tokens else []
    return found + [pointer for key, below in children for pointer in pointers(below, *tokens, str(key))]


@searched
@given(json_values, st.sampled_from([None, 0, 2]))
def test_every_part_of_a_json_text_is_found_where_it_stands(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    wanted = pointers(value)
    places = json_places(text, wanted)
    assert places.keys() == set(wanted)
    lines = text.split("\n")
    for pointer, (line, column) in places.items():
        there = lines[line - 1][column - 1 :]
        last = pointer.rsplit("/", 1)[1].replace("~1", "/").replace("~0", "~")
        assert there.startswith(json.dumps(last)) or last.isdigit()


def test_a_pointer_that_leads_nowhere_has_no_place() -> None:
    assert json_places('{"a": [1]}', ["/b", "/a/3", "/a/0/c"]).keys() == {"/a", "/a/0"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,}', "f:1:9: isn't JSON"),
        ('{"a": 1, "b": {"a": 1},\n "a": 2}', 'f: isn\'t usable JSON: the key "a" comes twice'),
        ('{"b": 1,\n "b": 2}', 'f:2: isn\'t usable JSON: the key "b" comes twice'),
        ('{"a": NaN}', "f: isn't JSON: NaN is no JSON number"),
        ('{"a": -Infinity}', "f: isn't JSON: -Infinity is no JSON number"),
        ("[" * 100_000, "f: isn't usable JSON: it is nested too deeply"),
        ("1" * 10_000, "f: isn't JSON"),
        ("", "f:1:1: isn't JSON"),
    ],
)
def test_json_that_cannot_be_used_is_said_in_one_line(text: str, said: str) -> None:
    assert problem(text, is_json=True).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1\nb: 2", "f:2:2: isn't YAML"),
        ("a: 1\nb: {c: 1, c: 2}", "f:2:11: isn't usable YAML: the key 'c' comes twice"),
        ("a: *b", "f:1:4: isn't YAML: found undefined alias"),
        ("a: &a [*a]", "f:1:4: isn't usable YAML: a value contains itself"),
        ("a: \x01", "f:1:4: isn't YAML: control characters are not allowed"),
        ("? [a]\n: b", "f:1:3: isn't usable YAML: a key isn't text"),
        ("[" * 100_000, "f:1:1001: isn't YAML"),
    ],
)
def test_yaml_that_cannot_be_used_is_said_in_one_line(text: str, said: str) -> None:
    assert problem(text, is_json=False).startswith(said)


def test_yaml_scalars_are_those_of_json() -> None:
    text = "{a: no, b: 12:30, c: 2026-01-01, d: 012, e: '5', f: 5, g: 1e3, h: ~, i: true, j: 0x1f, k: .5, l: v1}"
    [document] = read_documents(text, "f")
    values = ["no", "12:30", "2026-01-01", 12, "5", 5, 1000.0, None, True, 31, 0.5, "v1"]
    assert plain(document) == dict(zip("abcdefghijkl", values, strict=True))


def test_yaml_merges_without_overwriting() -> None:
    [document] = read_documents("base: &base {a: 1, b: 1}\nown: {<<: *base, a: 2}", "f")
    assert plain(document)["own"] == {"a": 2, "b": 1}
    own = document.get("own")
    assert own is not None
    assert [key for key, _, _ in own.entries("own")] == ["a", "b"]


def test_many_aliases_cost_nothing() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    [document] = read_documents("\n".join(lines), "f")
    assert len(plain(document)) == 30


@pytest.mark.parametrize(
    ("document", "said", "there"),
    [
        ([], "the document must be an object", ""),
        ({"swagger": "2.0"}, "this is Swagger 2: 'openapi' must be a version of OpenAPI 3", ""),
        ({"paths": {}}, "this is no OpenAPI document: 'openapi' must be a version of OpenAPI 3", ""),
        ({**service(), "paths": []}, "'paths' must be an object", '"paths"'),
        (service("jobs"), "the path 'jobs' must begin with /", '"jobs"'),
        ({**service(), "paths": {"/a": []}}, "the path /a must be an object", '"/a"'),
        ({**service(), "paths": {"/a": {"get": 1}}}, "GET /a must be an object", '"get"'),
        ({**service(), "paths": {"/a": {"$ref": "#/b"}}}, "the reference #/b leads nowhere", '"$ref"'),
        ({**service(), "servers": [{"url": "http://["}]}, "'http://[' is no URL", '"url"'),
    ],
)
def test_a_document_of_the_wrong_form_is_said_at_its_place(document: Any, said: str, there: str) -> None:
    text = json.dumps(document, indent=2)
    with pytest.raises(Unusable) as caught:
        parse_service("alpha", text, "s", is_json=True)
    found = caught.value.problem
    assert found.message == said
    assert (found.place.line is None) == (not there)
    if found.place.line is not None and found.place.column is not None:
        assert text.splitlines()[found.place.line - 1][found.place.column - 1 :].startswith(there)


def test_paths_are_as_clients_see_them() -> None:
    document = {
        **service("/jobs"),
        "servers": [{"url": "https://{host}/{base}/", "variables": {"base": {"default": "api"}}}],
    }
    document["paths"]["x-note"] = "no path"
    document["paths"]["/more"] = {"$ref": "#/components/pathItems/More", "summary": "Has a reference"}
    document["components"] = {"pathItems": {"More": {"post": {}, "parameters": []}}}
    paths = parse_service("alpha", json.dumps(document), "s", is_json=True).paths
    assert [(path.path, path.methods, path.pointer) for path in paths] == [
        ("/api/jobs", ("get",), "/paths/~1jobs"),
        ("/api/more", ("post",), "/paths/~1more"),
    ]


def test_yaml_documents_have_places_too() -> None:
    found = parse_service("alpha", "openapi: 3.1.0\npaths:\n  /jobs:\n    get: {tags: [a]}\n", "s", is_json=False)
    assert found.places(["/paths/~1jobs", "/paths/~1jobs/get/tags/0", "/paths/~1no"]) == {
        "/paths/~1jobs": (3, 3),
        "/paths/~1jobs/get/tags/0": (4, 18),
    }


def test_a_byte_order_mark_is_no_text_and_latin_1_is_no_utf_8(tmp_path: Path) -> None:
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbf{}")
    (tmp_path / "latin").write_bytes(b"one\ntwo: \xfc\n")
    assert read_text(tmp_path / "marked") == "{}"
    with pytest.raises(Unusable) as caught:
        read_text(tmp_path / "latin")
    assert str(caught.value.problem) == f"{tmp_path}/latin:2: isn't UTF-8 text"
