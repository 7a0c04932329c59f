"""What is asked of a composed document is asked in every right form that it may have, and in no wrong one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from gco_conformance.adapters.answer import Answer, Ending
from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.case import Expectation, Refusal
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.route import Route
from gco_conformance.evidence.expectations import composed, meets, mentions
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.violation import Violation

Document = dict[str, Any]


def jobs(name: str, kind: str) -> Document:
    """A service's document, in which a parameter and a schema have the names that other services give them."""
    answer = {
        "description": "Jobs",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Job"}}},
    }
    return service(
        {
            f"/{name}": {
                "get": operation(
                    name, parameters=[{"$ref": "#/components/parameters/Limit"}], responses={"200": answer}
                )
            }
        },
        components={
            "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": kind}}},
            "schemas": {
                "Job": {"properties": {"state": {"$ref": "#/components/schemas/State"}}},
                "State": {"type": kind, "default": {"$ref": "#/components/schemas/beta.State"}},
            },
        },
    )


CHECKOUT: Checkout = build(
    [Route("/alpha", "alpha", 80), Route("/beta", "beta", 80)],
    {"alpha": jobs("alpha", "integer"), "beta": jobs("beta", "string")},
)
BETA_SCHEMA = "/paths/~1beta/get/responses/200/content/application~1json/schema"
BETA_LIMIT = "/paths/~1beta/get/parameters/0"


def document() -> Document:
    """What a composer makes of `CHECKOUT`."""
    alpha, beta = jobs("alpha", "integer"), jobs("beta", "string")
    text = json.dumps(beta).replace("/Job", "/beta.Job").replace("/State", "/beta.State")
    beta = json.loads(text.replace("/Limit", "/beta.Limit"))
    composed = alpha
    composed["paths"].update(beta["paths"])
    for kind, named in beta["components"].items():
        composed["components"][kind].update({f"beta.{name}": each for name, each in named.items()})
    return composed


def observed(document: Document, checkout: Checkout = CHECKOUT) -> Observation:
    written = json.dumps(document).encode()
    return Observation(checkout, Answer(Ending.EXITED, 0, "", ""), written, (), "compose")


def broken(document: Document, expectation: Expectation) -> Violation | None:
    try:
        meets(observed(document), document, expectation)
    except Violation as violation:
        return violation
    return None


def write_out_parameters(document: Document) -> None:
    named = document["components"].pop("parameters")
    for item in document["paths"].values():
        item["get"]["parameters"] = [named[item["get"]["parameters"][0]["$ref"].rsplit("/", 1)[1]]]


def rename_parameter(document: Document) -> None:
    named = document["components"]["parameters"]
    named["Limit_beta"] = named.pop("beta.Limit")
    document["paths"]["/beta"]["get"]["parameters"] = [{"$ref": "#/components/parameters/Limit_beta"}]


def merge_parameters(document: Document) -> None:
    del document["components"]["parameters"]["beta.Limit"]
    document["paths"]["/beta"]["get"]["parameters"] = [{"$ref": "#/components/parameters/Limit"}]


def write_out_the_wrong_parameter(document: Document) -> None:
    limit = document["components"].pop("parameters")["Limit"]
    for item in document["paths"].values():
        item["get"]["parameters"] = [limit]


def leave_parameters_behind(document: Document) -> None:
    del document["components"]["parameters"]


def drop_parameters(document: Document) -> None:
    del document["components"]["parameters"]
    for item in document["paths"].values():
        del item["get"]["parameters"]


def write_out_schemas(document: Document) -> None:
    """As it is allowed: in operations, while the schemas of all services are there."""
    named = document["components"]["schemas"]
    for name, item in document["paths"].items():
        job = named["Job" if name == "/alpha" else "beta.Job"]
        item["get"]["responses"]["200"]["content"]["application/json"]["schema"] = copy.deepcopy(job)


def drop_schema(document: Document) -> None:
    write_out_schemas(document)
    del document["components"]["schemas"]["beta.Job"]


def lead_to_the_other_schema(document: Document) -> None:
    answer = document["paths"]["/beta"]["get"]["responses"]["200"]
    answer["content"]["application/json"]["schema"] = {"$ref": "#/components/schemas/Job"}


LIMIT = Expectation(
    equals=(
        ("/components/parameters/Limit/schema", {"type": "integer"}),
        ("/components/parameters/beta.Limit/schema", {"type": "string"}),
    )
)
LIMIT_IN_USE = Expectation(equals=((BETA_LIMIT, {"$ref": "#/components/parameters/beta.Limit"}),))
JOB = Expectation(
    equals=(("/components/schemas/beta.Job/properties/state/$ref", "#/components/schemas/beta.State"),)
)
JOB_IN_USE = Expectation(means=((BETA_SCHEMA, {"$ref": "#/components/schemas/beta.Job"}),))


@pytest.mark.parametrize("expectation", [LIMIT, LIMIT_IN_USE, JOB, JOB_IN_USE])
@pytest.mark.parametrize("form", [lambda _: None, write_out_parameters, write_out_schemas])
def test_right_forms_meet_what_is_expected(form: Callable[[Document], None], expectation: Expectation) -> None:
    right = document()
    form(right)
    assert broken(right, expectation) is None


@pytest.mark.parametrize(
    ("form", "expectation"),
    [
        (rename_parameter, LIMIT),
        (rename_parameter, LIMIT_IN_USE),
        (merge_parameters, LIMIT),
        (merge_parameters, LIMIT_IN_USE),
        (write_out_the_wrong_parameter, LIMIT),
        (write_out_the_wrong_parameter, LIMIT_IN_USE),
        (leave_parameters_behind, LIMIT),
        (drop_parameters, LIMIT),
        (drop_parameters, LIMIT_IN_USE),
        (drop_schema, JOB),
        (drop_schema, JOB_IN_USE),
        (lead_to_the_other_schema, JOB_IN_USE),
    ],
)
def test_wrong_forms_do_not(form: Callable[[Document], None], expectation: Expectation) -> None:
    wrong = document()
    form(wrong)
    assert broken(wrong, expectation) is not None


def test_a_reference_may_be_escaped_and_text_in_data_may_not() -> None:
    right = document()
    right["components"]["schemas"]["beta.Job"]["properties"]["state"]["$ref"] = "#/components/schemas/beta%2EState"
    assert broken(right, JOB) is None
    state = right["components"]["schemas"]["beta.State"]
    data = Expectation(equals=(("/components/schemas/beta.State/default", state["default"]),))
    assert broken(right, data) is None
    wrong = copy.deepcopy(right)
    wrong["components"]["schemas"]["beta.State"]["default"] = {"$ref": "#/components/schemas/beta%2EState"}
    assert broken(wrong, data) is not None


def test_a_mapping_may_be_escaped() -> None:
    right = document()
    job = right["components"]["schemas"]["beta.Job"]
    job["discriminator"] = {"propertyName": "kind", "mapping": {"job": "#/components/schemas/beta%2EState"}}
    place = "/components/schemas/beta.Job/discriminator/mapping/job"
    assert broken(right, Expectation(equals=((place, "#/components/schemas/beta.State"),))) is None
    assert broken(right, Expectation(equals=((place, "#/components/schemas/State"),))) is not None


def test_an_unfaithful_document_is_told_as_json_with_its_place() -> None:
    wrong = document()
    lead_to_the_other_schema(wrong)
    violation = broken(wrong, Expectation(holds=("faithful",)))
    assert violation is not None
    assert violation.message.startswith(
        "GET /beta doesn't mean what its service says: /components/schemas/State/type"
    )
    assert (violation.expected, violation.actual) == ('"string"', '"integer"')


def test_paths_that_are_missing_are_what_the_check_wants() -> None:
    with pytest.raises(Violation, match="lacks paths that this check wants"):
        composed(observed(document()), ["/gamma"])


RULE = Refusal(mentions=(("/orders", "rule 2", "2nd rule", "manifest.yaml 43"),))


@pytest.mark.parametrize(
    "line",
    [
        "manifest.yaml:44: HTTPRoute edge: rule number 2 backendRef: there is no port",
        "HTTPRoute edge: spec.rules[2].backendRefs[0] has no port",
        "rule #2 has no port",
        "Rule (no. 2) has no port",
        "rules/2/backendRefs/0: no port",
        "the 2nd rule has no port",
        "manifest.yaml:43:5: no port",
        "manifest.yaml, line 43: no port",
        "rule /orders: no port",
    ],
)
def test_a_rule_is_named_in_many_ways(line: str) -> None:
    mentions(observed(document()), line, RULE)


@pytest.mark.parametrize(
    "line",
    [
        "a backendRef has no port",
        "manifest.yaml:44: a backendRef has no port",
        "manifest.yaml:430: a backendRef has no port",
        "rule 25 has no port",
        "a rule has 2 backends",
        "a rule has weight 2",
        "rule 1 has no port: 2",
    ],
)
def test_a_rule_that_is_not_named_is_missed(line: str) -> None:
    with pytest.raises(Violation, match="doesn't say what is wrong"):
        mentions(observed(document()), line, RULE)


def sloppy(document: Document) -> Document:
    """The document with what many have that were written by hand: `required` beside the property."""
    document["components"]["schemas"]["State"]["required"] = True
    return document


def test_a_shape_that_the_composer_made_is_told_with_its_place() -> None:
    with pytest.raises(Violation, match="/components/schemas/State/required isn't a list"):
        composed(observed(sloppy(document())), ["/alpha"])


def test_a_shape_that_a_service_has_is_not_the_composers() -> None:
    alpha = sloppy(jobs("alpha", "integer"))
    checkout = build([Route("/alpha", "alpha", 80)], {"alpha": alpha})
    assert composed(observed(alpha, checkout), ["/alpha"]) == alpha
