"""The names of schemas, by definition: examples of the contract's section 4."""

from __future__ import annotations

from typing import Any

from gco_conformance.checkouts.build import service
from gco_conformance.model.naming import names

TEXT = {"type": "string"}
NUMBER = {"type": "number"}


def to(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"to": {"$ref": f"#/components/schemas/{name}"}}}


def named(**services: dict[str, Any]) -> set[str]:
    documents = {name: service({}, components={"schemas": schemas}) for name, schemas in services.items()}
    return set(names(documents).values())


def test_identical_definitions_share_a_name() -> None:
    assert named(a={"F": TEXT}, b={"F": TEXT}) == {"F"}


def test_the_later_service_gets_its_own() -> None:
    assert named(a={"F": TEXT}, b={"F": NUMBER}, c={"F": NUMBER}) == {"F", "b.F", "c.F"}


def test_a_conflict_spreads_to_what_refers_to_it() -> None:
    a, b = {"X": to("Y"), "Y": to("Z"), "Z": TEXT}, {"X": to("Y"), "Y": to("Z"), "Z": NUMBER}
    assert named(a=a, b=b) == {"X", "Y", "Z", "b.X", "b.Y", "b.Z"}


def test_a_conflict_spreads_through_a_cycle() -> None:
    a = {"P": to("Q"), "Q": {**to("P"), "items": {"$ref": "#/components/schemas/Z"}}, "Z": TEXT}
    assert named(a=a, b={**a, "Z": NUMBER}) == {"P", "Q", "Z", "b.P", "b.Q", "b.Z"}


def test_identical_recursive_schemas_keep_one_name() -> None:
    both = {"P": to("Q"), "Q": to("P"), "N": to("N")}
    assert named(a=both, b=both) == {"P", "Q", "N"}


def test_a_property_called_like_a_keyword_is_no_reference() -> None:
    a = {"F": {"properties": {"$ref": TEXT}}, "G": TEXT}
    assert named(a=a, b={**a, "G": NUMBER}) == {"F", "G", "b.G"}
