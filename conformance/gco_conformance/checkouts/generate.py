"""Hypothesis strategies for checkouts. Each keeps away from all rules but those that it is asked to try.

The same arguments give the same strategy object, so that properties which share one share its checkouts.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.route import Route

SERVICES = ("alpha", "beta", "gamma")
PLAIN = ("api", "jobs", "reports")
NEAR = ("v1", "v10", "v1-beta", "V1", "v1:run")


@functools.cache
@st.composite
def routed(
    draw: DrawFn,
    *,
    words: Sequence[str] = PLAIN,
    nested: bool = False,
    longest_first: bool = False,
    catch_all: bool = True,
    ties: bool = False,
    slashes: bool = False,
    templates: bool = False,
) -> Checkout:
    """Rules, and services that document paths around their prefixes.

    `words` are the segments. Prefixes are apart from each other unless `nested` lets one lead another, in any
    order or, on request, with the `longest_first`. `catch_all` says whether a rule `/` is among the rules, the
    last one unless they are nested. `ties` lets prefixes occur twice, `slashes` lets them end with a slash,
    `templates` lets documented paths have one `{id}`.
    """
    segments = st.lists(st.sampled_from(words), min_size=1, max_size=3).map(tuple)
    prefixes = [*draw(st.lists(segments, min_size=1, max_size=6, unique=True))]
    if not nested:
        prefixes = [prefix for prefix in prefixes if not any(_leads(other, prefix) for other in prefixes)]
    if ties:
        prefixes += draw(st.lists(st.sampled_from(prefixes), min_size=1, max_size=3))
    everything: list[tuple[str, ...]] = [()] if catch_all else []
    prefixes = draw(st.permutations(prefixes + everything if nested else prefixes))
    if longest_first:
        prefixes = sorted(prefixes, key=len, reverse=True)
    if not nested:
        prefixes = [*prefixes, *everything]
    end = st.sampled_from(("", "/")) if slashes else st.just("")
    routes = [
        Route(
            "/" + "/".join(prefix) + (draw(end) if prefix else ""),
            draw(st.sampled_from(SERVICES)),
            8000 + number,
        )
        for number, prefix in enumerate(prefixes)
    ]
    tails = st.lists(st.sampled_from(words), max_size=2).map(tuple)
    around = [prefix + draw(tails) for prefix in prefixes] + draw(st.lists(segments, max_size=3))
    paths = sorted({_path(path, draw(st.integers(-9, 3)) if templates else -1) for path in around if path})
    services = {
        name: service({path: _path_item(name, path) for path in paths if draw(st.booleans())}) for name in SERVICES
    }
    return build(routes, services)


def _leads(prefix: Sequence[str], longer: Sequence[str]) -> bool:
    return len(prefix) < len(longer) and longer[: len(prefix)] == prefix


def _path(segments: tuple[str, ...], templated: int) -> str:
    parts = ["{id}" if index == templated else segment for index, segment in enumerate(segments)]
    return "/" + "/".join(parts)


def _path_item(name: str, path: str) -> dict[str, Any]:
    parameters = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    more = {"parameters": parameters} if "{id}" in path else {}
    return {"get": operation(f"{name} {path}", **more)}


NAMES = ("Error", "Job", "Page", "State")
_LEAF = st.sampled_from(("string", "integer", "boolean")).map(lambda kind: {"type": kind})


@functools.cache
@st.composite
def conflicting_schemas(draw: DrawFn, *, references: bool, most: int = 3) -> Checkout:
    """Two services, or up to `most`, that define schemas of the same names, equal or not.

    Without `references` a schema refers to no other; with them to any, itself and in cycles included. Each
    schema is used by an operation of its service.
    """
    names = SERVICES[: draw(st.integers(2, most))]
    common = draw(_schemas(references))
    services = {}
    for name in names:
        own = draw(st.sets(st.sampled_from(NAMES), max_size=2))
        schemas = {**common, **draw(_schemas(references, sorted(own)))}
        services[name] = service(
            {f"/{name}/{schema}": {"get": _returning(name, schema)} for schema in schemas},
            components={"schemas": schemas},
        )
    return build([Route(f"/{name}", name, 8000) for name in names], services)


def _schemas(references: bool, names: Sequence[str] = NAMES) -> SearchStrategy[dict[str, Any]]:
    leaf: SearchStrategy[dict[str, Any]] = _LEAF
    if references:
        reference = st.sampled_from(NAMES).map(lambda name: {"$ref": f"#/components/schemas/{name}"})
        leaf = leaf | reference | reference.map(lambda ref: {"type": "array", "items": ref})
    schema = st.dictionaries(st.sampled_from(("a", "b")), leaf, min_size=1).map(
        lambda properties: {"type": "object", "properties": properties}
    )
    return st.fixed_dictionaries(dict.fromkeys(names, schema))


def _returning(name: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return operation(f"{name} {schema}", responses={"200": {"description": "Done", "content": content}})


@functools.cache
@st.composite
def mangled(draw: DrawFn, sound: Checkout, file: str) -> Checkout:
    """A sound checkout in which one or two lines of `file` were changed, as by a slip of the hand."""
    files = dict(sound.files)
    lines = files[file].decode().splitlines()
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(lines) - 1))
        lines[place : place + 1] = draw(st.sampled_from(_SLIPS))(lines[place])
    return Checkout.of({**files, file: ("\n".join(lines) + "\n").encode()})


def _with_value(value: str) -> Any:
    return lambda line: [f"{line.partition(':')[0]}: {value}"]


_SLIPS = (
    lambda _: [],
    lambda line: [line, line],
    lambda line: ["  " + line],
    lambda line: [line[2:]],
    lambda line: [line[: len(line) // 2]],
    lambda line: ["\t" + line],
    lambda line: [line.replace(":", "", 1)],
    *(_with_value(value) for value in ("", "null", "7", "true", "[]", "{}", "[1]", "{a: b}", "text", "''")),
)
