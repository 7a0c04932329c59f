"""A discriminator means the same after a rename: the wire value stays (contract section 4, hardened)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def pet(**discriminator: Any) -> dict[str, Any]:
    return {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind", **discriminator}}


CAT, DOG = {"title": "Cat"}, {"title": "Dog"}


@pytest.fixture
def merged(make_checkout: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    def merge(**services: dict[str, Any]) -> dict[str, Any]:
        documents = {name: {"components": {"schemas": schemas}} for name, schemas in services.items()}
        found: dict[str, Any] = make_checkout(**documents).compose()["components"]["schemas"]
        return found

    return merge


def test_a_mapping_follows_in_the_form_that_it_has(merged: Callable[..., dict[str, Any]]) -> None:
    mapping = {"c": "Cat", "d": "#/components/schemas/Dog", "$ref": "Cat"}
    found = merged(alpha={"Cat": {}, "Dog": {}}, beta={"Cat": CAT, "Dog": DOG, "Pet": pet(mapping=mapping)})
    assert found["Pet"]["discriminator"]["mapping"] == {
        "c": "beta.Cat",
        "d": "#/components/schemas/beta.Dog",
        "$ref": "beta.Cat",
    }


def test_a_default_mapping_follows(merged: Callable[..., dict[str, Any]]) -> None:
    mapping = {"c": "Cat", "d": "Dog"}
    found = merged(
        alpha={"Cat": {}}, beta={"Cat": CAT, "Dog": DOG, "Pet": pet(mapping=mapping, defaultMapping="Cat")}
    )
    assert found["Pet"]["discriminator"]["defaultMapping"] == "beta.Cat"


def test_names_become_a_mapping_when_one_of_them_changes(merged: Callable[..., dict[str, Any]]) -> None:
    found = merged(alpha={"Cat": {}}, beta={"Cat": CAT, "Dog": DOG, "Pet": pet()})
    assert found["Pet"]["oneOf"] == [ref("beta.Cat"), ref("Dog")]
    assert found["Pet"]["discriminator"]["mapping"] == {
        "Cat": "#/components/schemas/beta.Cat",
        "Dog": "#/components/schemas/Dog",
    }


def test_a_mapping_that_says_less_than_all_is_completed(merged: Callable[..., dict[str, Any]]) -> None:
    found = merged(alpha={"Cat": {}, "Dog": {}}, beta={"Cat": CAT, "Dog": DOG, "Pet": pet(mapping={"c": "Cat"})})
    assert found["Pet"]["discriminator"]["mapping"] == {
        "c": "beta.Cat",
        "Dog": "#/components/schemas/beta.Dog",
    }


def test_without_a_rename_nothing_is_added(merged: Callable[..., dict[str, Any]]) -> None:
    schemas = {"Cat": CAT, "Dog": DOG, "Pet": pet()}
    assert merged(alpha=schemas, beta=schemas) == schemas


def family(*children: str) -> dict[str, Any]:
    parent = {"Pet": {"type": "object", "discriminator": {"propertyName": "kind"}}}
    return {**parent, **{child: {"allOf": [ref("Pet"), {"title": child}]} for child in children}}


def test_children_that_name_their_parent_are_implied(merged: Callable[..., dict[str, Any]]) -> None:
    schemas = {**family("Cat"), "Lion": {"allOf": [ref("Cat")]}}
    found = merged(alpha={"Lion": {}}, beta=schemas)
    assert found["Pet"]["discriminator"]["mapping"] == {
        "Cat": "#/components/schemas/Cat",
        "Lion": "#/components/schemas/beta.Lion",
    }


def test_a_parent_with_other_children_is_another_schema(merged: Callable[..., dict[str, Any]]) -> None:
    found = merged(alpha=family("Cat", "Dog"), beta=family("Cat"))
    assert found["beta.Pet"]["discriminator"]["mapping"] == {"Cat": "#/components/schemas/beta.Cat"}
    assert found["beta.Cat"]["allOf"][0] == ref("beta.Pet")
    assert found["Pet"] == family()["Pet"]


def test_equal_families_are_shared(merged: Callable[..., dict[str, Any]]) -> None:
    assert merged(alpha=family("Cat", "Dog"), beta=family("Cat", "Dog")) == family("Cat", "Dog")
