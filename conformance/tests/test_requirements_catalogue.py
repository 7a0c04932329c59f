"""The catalogue: well-formed data, and finding requirements in it."""

from __future__ import annotations

import json
from importlib import resources
from importlib.resources.abc import Traversable

import jsonschema
import pytest
import yaml

from gco_conformance.errors import UsageError
from gco_conformance.requirements import COMPONENTS, UnknownRequirement, load
from gco_conformance.requirements.render import plain

PACKAGE = resources.files("gco_conformance.requirements")
FILES = {
    f"{component}/{file.name}": file
    for component in COMPONENTS
    for file in PACKAGE.joinpath(component).iterdir()
    if file.name.endswith(".yaml")
}
TERMINAL_WIDTH = 100

each_file = pytest.mark.parametrize("file", FILES.values(), ids=FILES)


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    published = json.loads(PACKAGE.joinpath("requirements.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    return jsonschema.Draft202012Validator(published)


@each_file
def test_data_follows_the_published_schema(file: Traversable, schema: jsonschema.Draft202012Validator) -> None:
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert [f"{error.json_path}: {error.message}" for error in schema.iter_errors(data)] == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "composer.Routing"),
        ("title", "ends with a full stop."),
        ("sentence", "A composer SHOULD do this, says a must."),
        ("source", []),
        ("example", ""),
        ("unknown", "key"),
    ],
)
def test_schema_refuses_malformed_data(field: str, value: object, schema: jsonschema.Draft202012Validator) -> None:
    data = yaml.safe_load(FILES["composer/routing.yaml"].read_text(encoding="utf-8"))
    assert data[0]["level"] == "must"
    assert not schema.is_valid([{**data[0], field: value}])


@each_file
def test_every_data_file_is_loaded(file: Traversable) -> None:
    identifiers = [entry["id"] for entry in yaml.safe_load(file.read_text(encoding="utf-8"))]
    assert identifiers
    assert all(identifier in load() for identifier in identifiers)


def test_no_id_is_given_twice() -> None:
    entries = sum(len(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in FILES.values())
    assert entries == len(load())


@each_file
def test_requirements_lie_in_the_file_of_their_group(file: Traversable) -> None:
    name = next(name for name, candidate in FILES.items() if candidate is file)
    for entry in yaml.safe_load(file.read_text(encoding="utf-8")):
        requirement = load().get(entry["id"])
        assert f"{requirement.component}/{requirement.group}.yaml" == name


def test_both_components_have_core_and_hardened_requirements() -> None:
    kinds = {(requirement.component, requirement.profile) for requirement in load()}
    assert kinds == {(component, profile) for component in COMPONENTS for profile in ("core", "hardened")}


def test_the_first_source_is_a_section_of_the_components_contract() -> None:
    assert [
        requirement.id
        for requirement in load()
        if not requirement.source[0].startswith(f"{requirement.component.capitalize()} contract, section ")
    ] == []


def test_texts_print_on_any_terminal() -> None:
    texts = {requirement.id: plain(requirement, TERMINAL_WIDTH) for requirement in load()}
    assert [identifier for identifier, text in texts.items() if not text.isascii()] == []
    widths = {identifier: max(map(len, text.splitlines())) for identifier, text in texts.items()}
    assert {identifier: width for identifier, width in widths.items() if width > TERMINAL_WIDTH} == {}


def test_get_finds_a_requirement_by_its_id() -> None:
    requirement = load().get("composer.routing.longest-prefix")
    assert (requirement.component, requirement.group) == ("composer", "routing")
    assert (requirement.profile, requirement.level) == ("core", "must")


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        ("composer.routing.longest-prefx", "'composer.routing.longest-prefix'"),
        ("longest-prefix", "'composer.routing.longest-prefix'"),
        ("composer.schema.faithful", "'composer.schemas.faithful'"),
        ("composer.routing", "'composer.routing.*'"),
        ("composer.", "'composer.*'"),
    ],
)
def test_an_unknown_id_says_what_was_probably_meant(mistyped: str, meant: str) -> None:
    with pytest.raises(UnknownRequirement) as caught:
        load().get(mistyped)
    assert mistyped in caught.value.message
    assert caught.value.hint == f"did you mean {meant}?"


def test_an_unknown_id_without_a_near_one_says_where_the_ids_are() -> None:
    with pytest.raises(UnknownRequirement, match="gco-conformance requirements"):
        load().get("qqqqqq")


def test_an_unknown_requirement_is_a_usage_error_in_one_line() -> None:
    with pytest.raises(UsageError) as caught:
        load().get("two\nlines")
    assert len(str(caught.value).splitlines()) == 1


def test_select_without_patterns_gives_everything_in_order() -> None:
    assert load().select() == tuple(load())


def test_select_takes_ids_and_globs_and_keeps_catalogue_order() -> None:
    selected = load().select(["composer.routing.trailing-slash", "*.longest-prefix", "composer.routing.t*"])
    assert [requirement.id for requirement in selected] == [
        "composer.routing.longest-prefix",
        "composer.routing.tie-first",
        "composer.routing.trailing-slash",
    ]


def test_select_narrows_to_a_component() -> None:
    assert {requirement.component for requirement in load().select(component="aggregator")} == {"aggregator"}


def test_profiles_divide_the_catalogue() -> None:
    core, hardened = load().select(profile="core"), load().select(profile="hardened")
    assert {requirement.profile for requirement in hardened} == {"hardened"}
    assert {requirement.profile for requirement in core} == {"core"}
    assert len(core) + len(hardened) == len(load().select(profile="all"))


def test_a_pattern_that_matches_nothing_is_refused_beside_one_that_does() -> None:
    with pytest.raises(UnknownRequirement, match=r"composer\.nowhere"):
        load().select(["composer.*", "composer.nowhere.*"])


@pytest.mark.parametrize(
    ("component", "profile", "why"),
    [(None, "core", "composer, hardened"), ("aggregator", "all", "composer, hardened")],
)
def test_a_pattern_that_the_selection_leaves_out_is_refused_and_says_why(
    component: str | None, profile: str, why: str
) -> None:
    with pytest.raises(UnknownRequirement) as caught:
        load().select(["composer.schemas.faithful"], component=component, profile=profile)
    assert why in caught.value.hint


@pytest.mark.parametrize("pattern", ["COMPOSER.*", ""])
def test_patterns_are_case_sensitive_and_never_empty(pattern: str) -> None:
    with pytest.raises(UnknownRequirement):
        load().select([pattern])
