"""The kit sees when a composed document means something else, and sees nothing where it doesn't."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.route import Route
from gco_conformance.model.invariants import faithful, references_resolve

Document = dict[str, Any]
ERROR = {
    "type": "object",
    "properties": {"code": {"type": "integer"}, "cause": {"$ref": "#/components/schemas/Error"}},
}
CAT = {"type": "object", "properties": {"kind": {"type": "string"}}}


def pets() -> Document:
    """A document that uses a reference in most of the places that can have one."""
    schema = {"$ref": "#/components/schemas/Pet"}
    answer = {
        "description": "Pets",
        "headers": {"x-next": {"$ref": "#/components/headers/Next"}},
        "content": {
            "text/plain": {"schema": {"$ref": "#/components/schemas/Animal"}},
            "application/json": {
                "schema": {"type": "array", "items": schema},
                "example": {"$ref": "#/components/schemas/Pet"},
            },
        },
        "links": {"one": {"operationId": "one_pet"}},
    }
    return service(
        {
            "/pets": {
                "parameters": [{"$ref": "#/components/parameters/Limit"}],
                "get": operation("Pets", operationId="all_pets", responses={"200": answer}),
            },
            "/pet": {"get": operation("Pet", operationId="one_pet")},
        },
        components={
            "headers": {"Next": {"schema": {"type": "string"}}},
            "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer"}}},
            "schemas": {
                "Cat": CAT,
                "Error": ERROR,
                "Dog": {"allOf": [{"$ref": "#/components/schemas/Animal"}]},
                "Spitz": {"allOf": [{"$ref": "#/components/schemas/Dog"}, {"type": "object"}]},
                "Animal": {"type": "object", "discriminator": {"propertyName": "kind"}},
                "Pet": {
                    "oneOf": [{"$ref": "#/components/schemas/Cat"}],
                    "discriminator": {"propertyName": "kind"},
                    "properties": {
                        "$ref": {"$ref": "#/components/schemas/Error"},
                        "enum": {"enum": [1, {"$ref": "x"}]},
                    },
                },
            },
        },
    )


CHECKOUT: Checkout = build([Route("/", "pets", 80)], {"pets": pets()})


def composed() -> Document:
    """`pets` composed under other names, which changes nothing of what it means."""
    document = copy.deepcopy(pets())
    schemas = document["components"]["schemas"]
    schemas["pets.Cat"] = schemas.pop("Cat")
    schemas["Cat"] = {"type": "string"}
    schemas["Pet"]["oneOf"][0]["$ref"] = "#/components/schemas/pets.Cat"
    schemas["Pet"]["discriminator"]["mapping"] = {"Cat": "#/components/schemas/pets.Cat"}
    document["paths"]["/pet"]["get"]["operationId"] = "pets.one_pet"
    answer(document)["links"]["one"]["operationId"] = "pets.one_pet"
    for item in document["paths"].values():
        item["get"]["tags"] = ["pets"]
    return document


def answer(document: Document) -> Document:
    found: Document = document["paths"]["/pets"]["get"]["responses"]["200"]
    return found


def test_other_names_are_faithful() -> None:
    assert list(faithful(composed(), CHECKOUT)) == []
    assert list(references_resolve(composed(), CHECKOUT)) == []


def test_inlined_references_are_faithful() -> None:
    document = composed()
    answer(document)["headers"]["x-next"] = {"schema": {"type": "string"}}
    document["paths"]["/pets"]["parameters"] = [document["components"]["parameters"]["Limit"]]
    assert list(faithful(document, CHECKOUT)) == []


def schemas(document: Document) -> Document:
    found: Document = document["components"]["schemas"]
    return found


LIES: dict[str, Callable[[Document], Any]] = {
    "a schema of the same name from elsewhere": lambda d: schemas(d).update(Error={"type": "string"}),
    "deep inside a recursive schema": lambda d: schemas(d)["Error"]["properties"]["code"].update(type="number"),
    "a lost mapping": lambda d: schemas(d)["Pet"]["discriminator"].pop("mapping"),
    "a renamed child without a mapping": lambda d: schemas(d).update({"pets.Dog": schemas(d).pop("Dog")}),
    "a renamed grandchild without a mapping": lambda d: schemas(d).update({"pets.Spitz": schemas(d).pop("Spitz")}),
    "a lost discriminator": lambda d: schemas(d)["Pet"].pop("discriminator"),
    "a property called $ref that was taken for a reference": lambda d: schemas(d)["Pet"]["properties"].update(
        {"$ref": {"$ref": "#/components/schemas/Cat"}}
    ),
    "a rewritten example": lambda d: answer(d)["content"]["application/json"].update(
        example={"$ref": "#/components/schemas/pets.Pet"}
    ),
    "a rewritten enum": lambda d: schemas(d)["Pet"]["properties"]["enum"].update(enum=[True, {"$ref": "x"}]),
    "a link to nowhere": lambda d: answer(d)["links"]["one"].update(operationId="one_pet"),
    "a header that dangles": lambda d: d["components"]["headers"].clear(),
    "a parameter that changed": lambda d: d["components"]["parameters"]["Limit"].update(name="max"),
    "a response that is gone": lambda d: d["paths"]["/pets"]["get"]["responses"].clear(),
    "a keyword that was added": lambda d: schemas(d)["Error"].update(required=["code"]),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_lie_is_seen(lie: Callable[[Document], Any]) -> None:
    document = composed()
    lie(document)
    assert list(faithful(document, CHECKOUT)) != []


@pytest.mark.parametrize(
    "cut",
    [
        lambda d: d["components"]["headers"].clear(),
        lambda d: schemas(d).pop("Error"),
        lambda d: schemas(d)["Pet"]["discriminator"]["mapping"].update(Bird="Bird"),
    ],
    ids=["header", "schema", "mapping"],
)
def test_a_dangling_reference_is_seen(cut: Callable[[Document], Any]) -> None:
    document = composed()
    cut(document)
    assert list(references_resolve(document, CHECKOUT)) != []


def test_what_looks_like_a_reference_in_data_is_none() -> None:
    document = composed()
    document["paths"]["/pet"]["get"]["x-note"] = {"$ref": "#/nowhere"}
    assert list(references_resolve(document, CHECKOUT)) == []
