"""Followed to the end, a kept operation means what it means in its own document (contract section 4, hardened).

Random documents are compared with what was composed from them by walking both in step: wherever one has a
reference, the walk goes on where it leads. No rule about names takes part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = ["A", "B", "C", "beta.A", "beta.B"]


def reference(suffix: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda name, end: {"$ref": f"#/components/schemas/{name}{end}"}, st.sampled_from(NAMES), suffix
    )


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.builds(lambda a: {"items": a}, inner)
        | st.builds(lambda a: {"properties": {"$ref": a}}, inner)
        | st.builds(lambda a: {"default": a}, inner)
        | st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner)
    )


SCHEMA = st.recursive(
    st.sampled_from([True, {"type": "string"}, {"const": 1}, {"const": True}])
    | reference(st.sampled_from(["", "", "/not"])),
    schemas,
    max_leaves=3,
)
# Every schema has a `not`, so that `/not` leads somewhere.
DEFINITION = st.builds(lambda a, b: {"not": b, "allOf": [a]}, SCHEMA, SCHEMA)
DOCUMENT = st.fixed_dictionaries(dict.fromkeys(NAMES, DEFINITION))


def resolve(document: Any, node: Any) -> Any:
    """What `node` leads to; `None` when it only leads around in a circle."""
    followed: set[str] = set()
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        if node["$ref"] in followed:
            return None
        followed.add(node["$ref"])
        target = document
        for token in unquote(node["$ref"][2:]).split("/"):
            target = target[token.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def assert_same(composed: Any, ours: Any, document: Any, theirs: Any) -> None:
    """Walks both in step; what was seen together before is being walked already."""
    seen: set[tuple[int, int]] = set()
    pending = [(ours, theirs)]
    while pending:
        ours, theirs = pending.pop()
        ours, theirs = resolve(composed, ours), resolve(document, theirs)
        if (id(ours), id(theirs)) in seen:
            continue
        seen.add((id(ours), id(theirs)))
        assert type(ours) is type(theirs)
        if isinstance(ours, dict):
            assert ours.keys() == theirs.keys()
            for key in ours:
                if key == "default":
                    assert ours[key] == theirs[key]
                else:
                    pending.append((ours[key], theirs[key]))
        elif isinstance(ours, list):
            assert len(ours) == len(theirs)
            pending += zip(ours, theirs, strict=True)
        else:
            assert ours == theirs


@settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(DOCUMENT, min_size=2, max_size=3))
def test_every_operation_means_the_same(
    make_checkout: Callable[..., Any], make_operation: Callable[..., Any], generated: list[Any]
) -> None:
    documents = {
        service: {
            "paths": {
                f"/{service}/{name}": {"get": make_operation({"$ref": f"#/components/schemas/{name}"})}
                for name in found
            },
            "components": {"schemas": found},
        }
        for service, found in zip(["alpha", "beta", "gamma"], generated, strict=False)
    }
    composed = make_checkout(**documents).compose()
    for document in documents.values():
        for path, item in document["paths"].items():
            own, kept = item["get"]["responses"], composed["paths"][path]["get"]["responses"]
            assert_same(composed, kept, document, own)
