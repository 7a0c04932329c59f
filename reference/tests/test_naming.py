"""Schemas of several services in one namespace: who keeps a name, who gets another (contract section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Schemas = dict[str, Any]


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.fixture
def merged(make_checkout: Callable[..., Any], make_operation: Callable[..., Any]) -> Callable[..., Schemas]:
    """The composed schemas of services that define `schemas` each and answer with the first of them."""

    def merge(**services: Schemas) -> Schemas:
        documents = {
            name: {
                "paths": {f"/{name}": {"get": make_operation(ref(next(iter(schemas))))}},
                "components": {"schemas": schemas},
            }
            for name, schemas in services.items()
        }
        composed = make_checkout(**documents).compose()
        found: Schemas = composed["components"]["schemas"]
        for name in services:
            content = composed["paths"][f"/{name}"]["get"]["responses"]["200"]["content"]
            found[f"{name}'s answer"] = content["application/json"]["schema"]["$ref"].rpartition("/")[2]
        return found

    return merge


def test_identical_definitions_keep_one_name(merged: Callable[..., Schemas]) -> None:
    found = merged(
        alpha={"Job": {"type": "object", "title": "Job"}}, beta={"Job": {"title": "Job", "type": "object"}}
    )
    assert found == {
        "Job": {"type": "object", "title": "Job"},
        "alpha's answer": "Job",
        "beta's answer": "Job",
    }


def test_a_different_definition_gets_its_services_prefix(merged: Callable[..., Schemas]) -> None:
    found = merged(alpha={"Job": {"type": "object"}}, beta={"Job": {"type": "string"}})
    assert (found["Job"], found["beta.Job"]) == ({"type": "object"}, {"type": "string"})
    assert (found["alpha's answer"], found["beta's answer"]) == ("Job", "beta.Job")


def test_each_later_service_that_differs_has_a_name_of_its_own(merged: Callable[..., Schemas]) -> None:
    found = merged(alpha={"Job": {"title": "a"}}, beta={"Job": {"title": "b"}}, gamma={"Job": {"title": "b"}})
    assert (found["beta's answer"], found["gamma's answer"]) == ("beta.Job", "gamma.Job")


def test_a_unique_schema_follows_a_renamed_one(merged: Callable[..., Schemas]) -> None:
    found = merged(
        alpha={"Status": {"type": "string"}},
        beta={"Job": {"properties": {"status": ref("Status")}}, "Status": {"type": "integer"}},
    )
    assert found["Job"]["properties"]["status"] == ref("beta.Status")


def test_the_same_text_is_another_schema_when_it_leads_to_another(merged: Callable[..., Schemas]) -> None:
    chain = {"Outer": {"items": ref("Middle")}, "Middle": {"items": ref("Inner")}}
    found = merged(alpha={**chain, "Inner": {"title": "a"}}, beta={**chain, "Inner": {"title": "b"}})
    assert found["beta's answer"] == "beta.Outer"
    assert found["beta.Outer"]["items"] == ref("beta.Middle")
    assert found["beta.Middle"]["items"] == ref("beta.Inner")
    assert found["Outer"]["items"] == ref("Middle")


def test_a_difference_is_found_through_a_cycle(merged: Callable[..., Schemas]) -> None:
    cycle = {"P": {"items": ref("Q")}, "Q": {"anyOf": [ref("P"), ref("Z")]}}
    found = merged(alpha={**cycle, "Z": {"title": "a"}}, beta={**cycle, "Z": {"title": "b"}})
    assert (found["alpha's answer"], found["beta's answer"]) == ("P", "beta.P")
    assert found["beta.Q"]["anyOf"] == [ref("beta.P"), ref("beta.Z")]


def test_identical_recursive_definitions_keep_one_name(merged: Callable[..., Schemas]) -> None:
    cycle = {"P": {"items": ref("Q")}, "Q": {"anyOf": [ref("P"), ref("Q")]}}
    assert {name for name in merged(alpha=cycle, beta=cycle) if "'" not in name} == {"P", "Q"}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"const": True}, {"const": 1}, False),
        ({"const": False}, {"const": 0}, False),
        ({"const": 1}, {"const": 1.0}, True),
        ({"const": 1e2}, {"const": 100}, True),
        ({"const": 0.5}, {"const": 0.5}, True),
        ({"const": "1"}, {"const": 1}, False),
        ({"const": None}, {"const": False}, False),
        ({"enum": [1, 2]}, {"enum": [2, 1]}, False),
        ({"const": {"a": 1, "b": 2}}, {"const": {"b": 2, "a": 1}}, True),
        ({"const": 2**63}, {"const": float(2**63)}, True),
        ({"const": 2**63 + 1}, {"const": float(2**63)}, False),
        (True, {}, False),
    ],
)
def test_equal_means_equal_json(merged: Callable[..., Schemas], one: Any, other: Any, equal: bool) -> None:
    found = merged(alpha={"Job": one}, beta={"Job": other})
    assert found["beta's answer"] == ("Job" if equal else "beta.Job")


def test_a_rename_never_lands_on_a_taken_name(merged: Callable[..., Schemas]) -> None:
    found = merged(
        alpha={"Job": {"title": "a"}, "beta.Job": {"title": "taken by alpha"}},
        beta={"Job": {"title": "b"}, "beta.Job.2": {"title": "taken by beta"}},
    )
    assert found["beta.Job"] == {"title": "taken by alpha"}
    assert found["beta.Job.2"] == {"title": "taken by beta"}
    assert found[found["beta's answer"]] == {"title": "b"}


def test_a_service_that_is_not_exposed_takes_part(make_checkout: Callable[..., Any], make_operation: Any) -> None:
    composed = make_checkout(
        rules=[("/beta", "beta")],
        alpha={"components": {"schemas": {"Job": {"title": "a"}}}},
        beta={
            "paths": {"/beta": {"get": make_operation(ref("Job"))}},
            "components": {"schemas": {"Job": {"title": "b"}}},
        },
    ).compose()
    assert composed["components"]["schemas"] == {"Job": {"title": "a"}, "beta.Job": {"title": "b"}}


def test_names_do_not_depend_on_the_order_of_services_or_keys(
    make_checkout: Callable[..., Any], make_operation: Any
) -> None:
    documents = {
        name: {
            "paths": {f"/{name}": {"get": make_operation(ref("Job"))}},
            "components": {"schemas": {"Job": {"title": name}, "Other": {"items": ref("Job")}}},
        }
        for name in ("alpha", "beta", "gamma")
    }
    one = make_checkout(rules=[(f"/{name}", name) for name in documents], **documents)
    reversed_documents = dict(reversed(documents.items()))
    other = make_checkout(rules=[(f"/{name}", name) for name in documents], **reversed_documents)
    assert one.compose() == other.compose()
