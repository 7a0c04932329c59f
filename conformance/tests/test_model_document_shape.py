"""What has no shape in which the kit could look for anything is told as a breach, and breaks no check."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gco_conformance.model.document_shape import ill_shaped
from gco_conformance.model.references import at

RIGHT: dict[str, Any] = {
    "openapi": "3.1.0",
    "tags": [{"name": "jobs"}],
    "security": [{}],
    "paths": {
        "x-note": 5,
        "/jobs": {
            "parameters": [{"$ref": "#/components/parameters/Page"}],
            "get": {
                "tags": ["jobs"],
                "responses": {
                    "200": {
                        "description": "",
                        "headers": {"x-total": {"schema": {"type": "integer"}}},
                        "content": {"application/json": {"schema": True, "example": 5, "examples": {"a": {}}}},
                    },
                    "x-note": 5,
                },
                "callbacks": {"done": {"{$request.body#/url}": {"post": {"responses": {}}}, "x-note": 5}},
            },
        },
    },
    "components": {
        "parameters": {"Page": {"name": "page", "in": "query"}},
        "schemas": {
            "Job": {
                "required": ["$ref"],
                "properties": {"$ref": {"type": "string"}, "items": {"items": False}},
                "allOf": [{"not": {}}],
                "default": [5],
            }
        },
    },
}


def test_what_may_be_anything_has_no_shape_to_miss() -> None:
    assert ill_shaped(RIGHT) is None
    assert ill_shaped({"paths": {}}) is None


def test_a_schema_may_refer_to_itself_further_in() -> None:
    document = copy.deepcopy(RIGHT)
    job = document["components"]["schemas"]["Job"]
    job["properties"]["parent"] = {"$ref": "#/components/schemas/Job"}
    document["components"]["schemas"]["Told"] = {"$ref": "#/components/schemas/Job/properties/parent"}
    assert ill_shaped(document) is None


@pytest.mark.parametrize(
    ("kind", "chain"),
    [
        ("schemas", {"A": "A"}),
        ("schemas", {"A": "B", "B": "%41"}),
        ("responses", {"A": "B", "B": "C", "C": "B"}),
        ("pathItems", {"A": "B", "B": "A"}),
    ],
)
def test_references_that_lead_to_each_other_are_told(kind: str, chain: dict[str, str]) -> None:
    document = copy.deepcopy(RIGHT)
    for name, target in chain.items():
        document["components"].setdefault(kind, {})[name] = {"$ref": f"#/components/{kind}/{target}"}
    found = ill_shaped(document)
    assert found is not None
    assert found[0] in {f"/components/{kind}/{name}/$ref" for name in chain}
    assert found[1] == "a reference that ends at an object"


@pytest.mark.parametrize(
    ("place", "value", "wanted"),
    [
        ("/paths/~1jobs", None, "an object"),
        ("/paths/~1jobs/get", [], "an object"),
        ("/paths/~1jobs/parameters", {}, "a list"),
        ("/paths/~1jobs/parameters/0", "Page", "an object"),
        ("/paths/~1jobs/parameters/0/$ref", 5, "a text"),
        ("/paths/~1jobs/get/tags/0", {}, "a text"),
        ("/paths/~1jobs/get/responses", [], "an object"),
        ("/paths/~1jobs/get/responses/200/headers", None, "an object"),
        ("/paths/~1jobs/get/responses/200/content/application~1json/schema", 5, "an object"),
        ("/paths/~1jobs/get/callbacks/done/{$request.body#~1url}", "", "an object"),
        ("/components", None, "an object"),
        ("/components/parameters", [], "an object"),
        ("/components/schemas/Job", "Job", "an object"),
        ("/components/schemas/Job/allOf", {}, "a list"),
        ("/components/schemas/Job/properties/items/items", 5, "an object"),
        ("/components/schemas/Job/required", True, "a list"),
        ("/security", {}, "a list"),
        ("/tags/0", "jobs", "an object"),
    ],
)
def test_the_place_of_another_shape_is_told(place: str, value: Any, wanted: str) -> None:
    document = copy.deepcopy(RIGHT)
    above, _, key = place.rpartition("/")
    holder = at(document, above)
    holder[int(key) if isinstance(holder, list) else key.replace("~1", "/")] = value
    assert ill_shaped(document) == (place, wanted)
