"""Whatever is wrong with a checkout, the answer is a document or one line, and never a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gco_reference.composer.command import run

REF = {"$ref": "#/components/schemas/Pet"}
PET = {
    "type": "object",
    "discriminator": {"propertyName": "kind", "mapping": {"c": "Cat"}},
    "oneOf": [{"$ref": "#/components/schemas/Cat"}],
    "properties": {"tags": {"items": REF, "default": []}},
}
OPERATION = {
    "operationId": "go",
    "tags": ["a"],
    "parameters": [{"name": "n", "in": "query", "schema": REF, "examples": {"e": {"value": 1}}}],
    "requestBody": {
        "content": {"a/b": {"schema": REF, "encoding": {"tags": {"headers": {"h": {"schema": REF}}}}}}
    },
    "responses": {
        "200": {"description": "ok", "links": {"l": {"operationId": "go"}}},
        "404": {"$ref": "#/components/responses/Gone"},
    },
    "callbacks": {"c": {"{$url}": {"post": {"responses": {"200": {"description": "ok"}}}}}},
}
DOCUMENT = {
    "openapi": "3.1.0",
    "servers": [{"url": "/"}],
    "paths": {
        "/alpha/{id}": {"parameters": [], "get": OPERATION},
        "/alpha/r": {"$ref": "#/components/pathItems/P"},
    },
    "components": {
        "schemas": {"Pet": PET, "Cat": {"allOf": [REF]}},
        "responses": {"Gone": {"description": "gone"}},
        "pathItems": {"P": {"get": {"responses": {}}}},
        "securitySchemes": {},
    },
}
CONFIGURATION = {
    "internal_consumers": {"cost": {"via": "alpha", "pathPrefix": "/alpha"}},
    "downstream": {"alpha": {"hop": "h", "target": "t"}},
    "info": {"title": "t"},
    "server": {"url": "https://{h}", "variables": {"h": {"default": "d"}}},
    "security": {"scheme": "s", "envelope": ["e"]},
}
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "#/x",
        "$ref",
        [],
        [None],
        ["x"],
        [[]],
        {},
        {"x": 1},
        {"$ref": 1},
        {"$ref": "#/paths"},
    ]
)


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """`value` with one place in it replaced, removed or given another key."""
    value = copy.deepcopy(value)
    node = value
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = draw(st.sampled_from(keys))
        if not isinstance(node[key], dict | list) or not node[key] or draw(st.integers(0, 4)) == 0:
            break
        node = node[key]
    change = draw(st.sampled_from(["replace", "remove", "rename"]))
    if change == "replace":
        node[key] = draw(ODD)
    elif change == "remove" or isinstance(node, list):
        del node[key]
    else:
        node[draw(st.sampled_from(["$ref", "x-a", "get", "mapping", "$id", "properties"]))] = node.pop(key)
    return value


@pytest.fixture
def root(make_checkout: Callable[..., Any]) -> Path:
    checkout = make_checkout(alpha=DOCUMENT, configuration=yaml.safe_dump(CONFIGURATION))
    assert run(checkout.root).exit == 0
    path: Path = checkout.root
    return path


def assert_answered(root: Path) -> None:
    outcome = run(root)
    if outcome.exit == 0:
        assert outcome.stderr == ""
        return
    assert (outcome.exit, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("ERROR: ")
    assert outcome.stderr.count("\n") == 1


QUICK = settings(
    max_examples=250, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@QUICK
@given(spoiled(DOCUMENT))
def test_a_spoiled_document(root: Path, document: Any) -> None:
    (root / "services/alpha.json").write_text(json.dumps(document))
    assert_answered(root)


@QUICK
@given(st.data())
def test_a_spoiled_manifest(root: Path, data: st.DataObject) -> None:
    path = root / "manifest.yaml"
    original = path.read_text()
    try:
        path.write_text(yaml.safe_dump_all(data.draw(spoiled(list(yaml.safe_load_all(original))))))
        assert_answered(root)
    finally:
        path.write_text(original)


@QUICK
@given(st.data())
def test_a_spoiled_configuration(root: Path, data: st.DataObject) -> None:
    path = root / "gateway-composition.yaml"
    original = path.read_text()
    try:
        path.write_text(yaml.safe_dump(data.draw(spoiled(yaml.safe_load(original)))))
        assert_answered(root)
    finally:
        path.write_text(original)


@QUICK
@given(st.sampled_from(["manifest.yaml", "gateway-composition.yaml", "services/alpha.json"]), st.data())
def test_spoiled_bytes(root: Path, name: str, data: st.DataObject) -> None:
    path = root / name
    original = path.read_bytes()
    start = data.draw(st.integers(0, len(original)))
    end = data.draw(st.integers(start, min(len(original), start + 20)))
    try:
        path.write_bytes(original[:start] + data.draw(st.binary(max_size=4)) + original[end:])
        assert_answered(root)
    finally:
        path.write_bytes(original)
