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
        "links": {"one": {"operationId": "one_pet"}, "shop": {"operationId": "one_shop"}},
    }
    return service(
        {
            "/pets": {
                "parameters": [{"$ref": "#/components/parameters/Limit"}],
                "get": operation("Pets", operationId="all_pets", responses={"200": answer}),
            },
            "/pet": {"get": operation("Pet", operationId="one_pet", **{"x-team": {"name": "zoo"}})},
            "/shops": {"get": operation("Shop", operationId="one_shop")},
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
                "Told": {"$ref": "#/components/schemas/Cat", "description": "A cat."},
                "Pet": {
                    "oneOf": [{"$ref": "#/components/schemas/Cat"}],
                    "discriminator": {"propertyName": "kind"},
                    "properties": {
                        "$ref": {"$ref": "#/components/schemas/Error"},
                        "enum": {"enum": [1, {"$ref": "x"}]},
                        "told": {"$ref": "#/components/schemas/Told"},
                    },
                },
            },
        },
    )


CHECKOUT: Checkout = build(
    [Route("/", "pets", 80), Route("/shops", "shops", 80)],
    {"pets": pets(), "shops": service({"/shops": {"get": operation("Shop")}})},
)


def composed() -> Document:
    """`pets` composed under other names, which changes nothing of what it means."""
    document = copy.deepcopy(pets())
    schemas = document["components"]["schemas"]
    schemas["pets.Cat"] = schemas.pop("Cat")
    schemas["Cat"] = {"type": "string"}
    schemas["Told"]["$ref"] = schemas["Pet"]["oneOf"][0]["$ref"] = "#/components/schemas/pets.Cat"
    schemas["Pet"]["discriminator"]["mapping"] = {"Cat": "#/components/schemas/pets.Cat"}
    document["paths"]["/pet"]["get"]["operationId"] = "pets.one_pet"
    answer(document)["links"]["one"]["operationId"] = "pets.one_pet"
    del document["paths"]["/shops"]
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


def pet(document: Document) -> Document:
    found: Document = document["paths"]["/pet"]["get"]
    return found


TRUTHS: dict[str, Callable[[Document], Any]] = {
    "an extension of the composer's own": lambda d: pet(d).update({"x-origin": "services/pets.json"}),
    "a link to what another service receives is gone": lambda d: answer(d)["links"].pop("shop"),
    "references with escapes that need none": lambda d: (
        schemas(d)["Told"].update({"$ref": "#/components/schemas/pets%2ECat"}),
        schemas(d)["Pet"].update(oneOf=[{"$ref": "#/components/schemas/%70ets.Cat"}]),
    ),
    "a description written into what it describes": lambda d: schemas(d).update(
        Told={**CAT, "description": "A cat."}
    ),
    "a path among the components": lambda d: (
        d["components"].update(pathItems={"Pet": d["paths"]["/pet"]}),
        d["paths"].update({"/pet": {"$ref": "#/components/pathItems/Pet"}}),
    ),
    "a link by reference to an escaped path": lambda d: answer(d)["links"].update(
        one={"operationRef": "#/paths/~1%70et/get"}
    ),
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS.keys())
def test_what_changes_no_meaning_is_faithful(truth: Callable[[Document], Any]) -> None:
    document = composed()
    truth(document)
    assert list(faithful(document, CHECKOUT)) == []
    assert list(references_resolve(document, CHECKOUT)) == []


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
    "an extension that is gone": lambda d: pet(d).pop("x-team"),
    "an extension that changed": lambda d: pet(d).update({"x-team": {"name": "shop"}}),
    "an extension added to a schema": lambda d: schemas(d)["Error"].update({"x-origin": "services/pets.json"}),
    "a link to what is delivered is gone": lambda d: answer(d)["links"].pop("one"),
    "all links are gone": lambda d: answer(d).pop("links"),
    "a link that nobody documents": lambda d: answer(d)["links"].update(two={"operationId": "pets.one_pet"}),
    "a description that is gone": lambda d: schemas(d).update(Told=CAT),
    "a constraint beside a reference that was written out": lambda d: schemas(d).update(
        Told={**CAT, "minProperties": 1}
    ),
    "a keyword that was added": lambda d: schemas(d)["Error"].update(required=["code"]),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_lie_is_seen(lie: Callable[[Document], Any]) -> None:
    document = composed()
    lie(document)
    assert list(faithful(document, CHECKOUT)) != []


@pytest.mark.parametrize(
    ("lie", "place", "expected", "actual"),
    [
        (
            "deep inside a recursive schema",
            "/components/schemas/Error/properties/code/type",
            '"integer"',
            '"number"',
        ),
        ("a response that is gone", "/paths/~1pets/get/responses/200", None, "missing"),
        ("a keyword that was added", "/components/schemas/Error/required", "missing", '[\n  "code"\n]'),
        (
            "a header that dangles",
            "/paths/~1pets/get/responses/200/headers/x-next",
            "a reference that leads somewhere",
            '{\n  "$ref": "#/components/headers/Next"\n}',
        ),
        (
            "a rewritten example",
            "/paths/~1pets/get/responses/200/content/application~1json/example/$ref",
            '"#/components/schemas/Pet"',
            '"#/components/schemas/pets.Pet"',
        ),
    ],
)
def test_a_lie_is_told_with_its_place_and_as_json(lie: str, place: str, expected: str | None, actual: str) -> None:
    document = composed()
    LIES[lie](document)
    [breach] = faithful(document, CHECKOUT)
    assert breach.message == f"GET /pets doesn't mean what its service says: {place} of the composed document"
    assert expected in (None, breach.expected)
    assert breach.actual == actual


def test_a_value_that_reads_like_what_is_said_of_a_missing_one_is_seen() -> None:
    document = composed()
    pet(document)["summary"] = "missing"
    del pet(document)["x-team"]
    document["paths"]["/pet"]["get"]["description"] = "missing"
    assert len(list(faithful(document, CHECKOUT))) == 1


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
