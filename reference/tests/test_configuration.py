"""gateway-composition.yaml: defaults, and errors that name file, line and key (contract section 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gco_reference.composer.configuration import schema
from gco_reference.composer.errors import ComposeError
from gco_reference.composer.located_yaml import load_all
from gco_reference.composer.node import Node
from gco_reference.composer.schema_check import check


@pytest.fixture
def make(make_checkout: Callable[..., Any], make_operation: Callable[..., Any]) -> Callable[[str], Any]:
    paths = {"/alpha/open": {"get": make_operation()}, "/alpha/signed": {"get": make_operation()}}
    return lambda configuration: make_checkout(configuration=configuration, alpha={"paths": paths})


def test_defaults(make: Callable[[str], Any]) -> None:
    composed = make("").compose()
    assert composed["info"] == {"title": "edge", "version": "1.0.0"}
    assert composed["servers"] == [
        {
            "url": "https://{alb_hostname}",
            "variables": {"alb_hostname": {"default": "<internal-alb-hostname>"}},
        }
    ]
    (name, scheme), *others = composed["components"]["securitySchemes"].items()
    assert not others
    assert name == "gcoHmac"
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "x-gco-signature")
    assert composed["x-gco-not-exposed"] == composed["x-gco-downstream"] == {}


def test_settings_of_a_drift_gate_mean_nothing_here(make: Callable[[str], Any]) -> None:
    assert make("drift: {suppressions: [{rule: a, reason: b}]}").compose() == make("").compose()


def test_what_is_given_takes_the_place_of_the_default(make: Callable[[str], Any]) -> None:
    composed = make(
        "info: {title: The API, version: '2'}\n"
        "server: {url: 'https://{host}/', variables: {host: {default: a.example}}}\n"
        "security: {scheme: mine, header: x-mine, envelope: [x-mine]}\n"
        "unauthenticated_paths: [/z, /alpha/open]\n"
    ).compose()
    assert composed["info"] == {"title": "The API", "version": "2"}
    assert composed["servers"] == [{"url": "https://{host}/", "variables": {"host": {"default": "a.example"}}}]
    assert composed["components"]["securitySchemes"]["mine"]["name"] == "x-mine"
    assert composed["x-gco-unauthenticated-paths"] == ["/alpha/open", "/z"]
    assert composed["paths"]["/alpha/open"]["get"]["security"] == []
    assert composed["paths"]["/alpha/signed"]["get"]["security"] == [{"mine": []}]


@pytest.mark.parametrize(
    ("stated", "line", "said"),
    [
        ("ouptut: a.json", 5, 'unknown key "ouptut"; did you mean "output"?'),
        ("info: {title: []}", 5, "info.title: must be text, not a list"),
        ("security:\n  envelope: [1]", 6, "security.envelope[0]: must be text"),
        ("downstream: {alpha: {hop: a}}", 5, 'downstream.alpha: "target" is missing'),
        ("unauthenticated_paths: [healthz]", 5, "unauthenticated_paths[0]: must be a path that begins with /"),
        ("server: {url: 'https://{host}'}", 5, '"host"'),
        ("manifest: again.yaml", 5, 'duplicate key "manifest"'),
        ("internal_consumers: {alpha: {via: alpha, pathPrefix: /alpha}}", 5, "delivers to alpha"),
        ("internal_consumers: {cost: {via: alpha, pathPrefix: /alp}}", 5, '"/alp"'),
        ("internal_consumers: {cost: {via: ghost, pathPrefix: /alpha}}", 5, "ghost"),
    ],
)
def test_an_error_names_file_line_and_key(make: Callable[[str], Any], stated: str, line: int, said: str) -> None:
    error = make(stated).refusal()
    assert (error.file, error.line) == ("gateway-composition.yaml", line)
    assert said in str(error)


def test_a_missing_file_is_said_where_it_is_named(make: Callable[[str], Any]) -> None:
    checkout = make("")
    checkout.edit("gateway-composition.yaml", "[alpha]", "[alpha, beta]")
    assert str(checkout.refusal()) == "gateway-composition.yaml:3: services: services/beta.json: no such file"
    checkout.edit("gateway-composition.yaml", "manifest.yaml", "gone.yaml")
    assert str(checkout.refusal()) == "gateway-composition.yaml:1: manifest: gone.yaml: no such file"
    (checkout.root / "gateway-composition.yaml").unlink()
    assert str(checkout.refusal()) == "gateway-composition.yaml: no such file"


def test_what_takes_part_without_being_exposed(
    make_checkout: Callable[..., Any], make_operation: Callable[..., Any]
) -> None:
    checkout = make_checkout(
        rules=[("/alpha", "alpha")],
        configuration="internal_consumers: {beta: {via: alpha, pathPrefix: /alpha/cost}}\n"
        "downstream: {alpha: {hop: h, target: t}, beta: {hop: h, target: t}}\n",
        alpha={"paths": {"/alpha/cost/{day}": {"get": make_operation()}}},
        beta={"paths": {"/beta": {"get": make_operation()}}, "components": {"schemas": {"Own": {}}}},
    )
    composed = checkout.compose()
    assert composed["x-gco-not-exposed"] == {"beta": {"via": "alpha", "pathPrefix": "/alpha/cost"}}
    assert list(composed["x-gco-downstream"]) == ["alpha"]
    assert list(composed["paths"]) == ["/alpha/cost/{day}"]
    assert composed["x-gco-unreachable"] == []
    assert composed["components"]["schemas"] == {"Own": {}}
    assert composed["x-gco-source"]["composedFrom"] == ["services/alpha.json"]


VALUES = st.recursive(
    st.sampled_from(["", "a", "/a", 1, True, 1.5]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from([*schema()["properties"], "via", "url", "default", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(derandomize=True, deadline=None)
@given(st.dictionaries(st.sampled_from([*schema()["properties"], "x"]), VALUES, max_size=4))
def test_the_small_check_agrees_with_a_json_schema_validator(stated: dict[str, Any]) -> None:
    configuration = {"manifest": "m.yaml", "services": ["alpha"], **stated}
    (document,) = load_all(yaml.safe_dump(configuration), "file")
    try:
        check(Node(document, "file", 1, ""), schema())
    except ComposeError:
        accepted = False
    else:
        accepted = True
    assert accepted == jsonschema.Draft202012Validator(schema()).is_valid(configuration)


def test_the_published_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
