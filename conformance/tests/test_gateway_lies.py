"""A composed document that lies is found out by its use, by the check that is meant for the lie and no other."""

from __future__ import annotations

import copy
import functools
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters.answer import Answer, Ending
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.violation import Violation
from gco_conformance.extras import missing
from gco_conformance.suite.routed import operations, surface
from gco_conformance.suite.routed.exercise import Exercise
from gco_conformance.suite.routed.used import Used, written

pytestmark = pytest.mark.skipif(bool(missing("schemathesis")), reason=missing("schemathesis"))

EXAMPLES = 3
SHOP, STORE, KIOSK = "bookshop", "warehouse", "kiosk"

ROUTE = "composer.document.route-annotation"
SECURITY = "composer.document.security"
DELIVERED = "composer.document.delivered-only"
UNROUTED = "composer.routing.no-match"
UNREACHABLE = "composer.document.unreachable"
SHADOW = "composer.routing.partial-shadow"
FACTS = "composer.document.gateway-facts"
SERVER = "composer.document.top-level"
PARAMETERS = "composer.document.path-items"
REFERENCES = "composer.schemas.references-follow"
COMPONENTS = "composer.schemas.other-components"
FAITHFUL = "composer.schemas.faithful"
FOLLOWS = "composer.schemas.unique-follows"


@functools.cache
def used(name: str) -> Used:
    return next(one for one in written() if one.name == name)


@functools.cache
def observed(checkout: Checkout) -> Observation:
    """What the reference makes of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        checkout.write(root)
        command = [sys.executable, "-m", "gco_reference", "compose", str(root)]
        subprocess.run(command, check=True, capture_output=True)
        output = (root / checkout.output).read_bytes()
    return Observation(checkout, Answer(Ending.EXITED, 0, "", ""), output, (), 'gco-reference compose "$root"')


def exercise(name: str, lie: Callable[[Any], object], examples: int = EXAMPLES) -> Exercise:
    told = observed(used(name).checkout)
    document = copy.deepcopy(told.document)
    lie(document)
    return Exercise(told, document, seed=0, examples=examples)


def broken(found: Exercise, name: str, labels: tuple[str, ...]) -> dict[str, list[Violation]]:
    """The requirements that some check says are broken: of the whole, and of these operations."""
    judged: list[tuple[str, Callable[[], None]]] = [
        (requirement, functools.partial(check, found))
        for requirement, check in (
            (DELIVERED, surface.delivers_what_it_documents),
            (UNROUTED, surface.documents_nothing_unrouted),
            (UNREACHABLE, surface.delivers_nothing_unreachable),
            (SHADOW, surface.tells_what_is_shadowed),
            (FACTS, surface.answers_nothing_else),
            (SERVER, surface.is_at_its_server),
        )
    ]
    for operation in used(name).operations():
        if operation.label in labels:
            judged += [
                (requirement, functools.partial(check, found, operation.label))
                for requirement, check in (
                    (ROUTE, operations.reaches_its_service),
                    (SECURITY, operations.asks_for_signatures_as_documented),
                    (operation.of_requests, operations.accepts_what_is_documented),
                    (operation.of_answers, operations.answers_as_documented),
                )
            ]
    violations: dict[str, list[Violation]] = {}
    for requirement, check in judged:
        try:
            check()
        except Violation as violation:
            violations.setdefault(requirement, []).append(violation)
    return violations


def nothing(_: Any) -> None:
    pass


@pytest.mark.parametrize("name", [SHOP, STORE, KIOSK])
def test_a_document_that_tells_the_truth_breaks_nothing(name: str) -> None:
    labels = tuple(operation.label for operation in used(name).operations())
    assert broken(exercise(name, nothing), name, labels) == {}


def inlined(document: Any) -> None:
    """Every reference replaced by what it leads to, and no components left."""
    components = document["components"]

    def follow(node: Any) -> Any:
        if isinstance(node, dict):
            if "$ref" in node:
                _, _, group, name = node["$ref"].split("/")
                return follow(components[group][name])
            return {key: follow(value) for key, value in node.items()}
        return [follow(item) for item in node] if isinstance(node, list) else node

    document["paths"] = follow(document["paths"])
    document["components"] = {"securitySchemes": components["securitySchemes"]}


def renamed(document: Any) -> None:
    """Other names for all schemas."""
    text = json.dumps(document["paths"]).replace("/schemas/", "/schemas/the ")
    document["paths"] = json.loads(text.replace("/schemas/the ", "/schemas/the%20"))
    schemas = json.loads(json.dumps(document["components"]["schemas"]).replace("/schemas/", "/schemas/the%20"))
    document["components"]["schemas"] = {f"the {name}": schema for name, schema in schemas.items()}


def spelled_otherwise(document: Any) -> None:
    """Security for all, numbers with a point, and rules that end with a slash."""
    for item in document["paths"].values():
        for operation in (item[method] for method in item if method != "parameters"):
            if operation["security"]:
                del operation["security"]
            if operation["x-gco-route"]["rule"] != "/":
                operation["x-gco-route"]["rule"] += "/"
            operation["x-gco-route"]["port"] += 0.0
    document["security"] = [{"gcoHmac": []}]
    document["paths"]["/articles"]["get"]["parameters"][0]["schema"]["maximum"] = 50.0


@pytest.mark.parametrize("form", [inlined, renamed, spelled_otherwise])
def test_a_truth_of_another_form_breaks_nothing(form: Callable[[Any], object]) -> None:
    labels = tuple(operation.label for operation in used(SHOP).operations())
    assert broken(exercise(SHOP, form), SHOP, labels) == {}


@dataclass(frozen=True)
class Lie:
    """A change to the composed document of a checkout, the requirements that it breaks, and who shows it."""

    name: str
    tell: Callable[[Any], object]
    checkout: str
    labels: tuple[str, ...]
    breaks: frozenset[str]


LIES: list[Lie] = []


def lie(
    checkout: str, *labels: str, breaks: str | tuple[str, ...]
) -> Callable[[Callable[[Any], object]], Callable[[Any], object]]:
    def keep(tell: Callable[[Any], object]) -> Callable[[Any], object]:
        requirements = frozenset([breaks] if isinstance(breaks, str) else breaks)
        LIES.append(Lie(tell.__name__, tell, checkout, labels, requirements))
        return tell

    return keep


def content(operation: Any, status: str = "200") -> Any:
    return operation["responses"][status]["content"]["application/json"]


def schema(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@lie(SHOP, "GET /orders", "GET /articles", breaks=ROUTE)
def wrong_service_in_the_route(document: Any) -> None:
    document["paths"]["/orders"]["get"]["x-gco-route"]["service"] = "catalogue"


@lie(SHOP, "GET /orders", breaks=ROUTE)
def wrong_rule_in_the_route(document: Any) -> None:
    document["paths"]["/orders"]["get"]["x-gco-route"]["rule"] = "/"


@lie(SHOP, "GET /articles", breaks=ROUTE)
def port_of_another_rule(document: Any) -> None:
    document["paths"]["/articles"]["get"]["x-gco-route"]["port"] = 8082


@lie(SHOP, "DELETE /orders/{id}", breaks=PARAMETERS)
def dropped_path_level_parameters(document: Any) -> None:
    del document["paths"]["/orders/{id}"]["parameters"]


@lie(SHOP, "GET /articles/{sku}", breaks=PARAMETERS)
def a_path_level_parameter_that_allows_more(document: Any) -> None:
    document["paths"]["/articles/{sku}"]["parameters"][1]["schema"]["enum"].append("fr")


@lie(SHOP, "GET /articles/{sku}", breaks=PARAMETERS)
def a_path_level_parameter_that_allows_less(document: Any) -> None:
    document["paths"]["/articles/{sku}"]["parameters"][1]["schema"]["enum"] = ["de"]


@lie(SHOP, "POST /orders", breaks=REFERENCES)
def another_services_schema_of_the_same_name(document: Any) -> None:
    body = document["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]
    body["schema"]["items"] = schema("Article")


@lie(SHOP, "GET /orders", breaks=REFERENCES)
def a_parameter_with_another_services_schema(document: Any) -> None:
    document["paths"]["/orders"]["get"]["parameters"][0]["schema"] = schema("Status")


@lie(SHOP, "GET /orders", "POST /orders", breaks=SECURITY)
def emptied_security(document: Any) -> None:
    document["paths"]["/orders"]["get"]["security"] = []


@lie(SHOP, "GET /health", breaks=SECURITY)
def an_open_path_that_is_said_to_be_signed(document: Any) -> None:
    document["paths"]["/health"]["get"]["security"] = [{"gcoHmac": []}]


@lie(KIOSK, "GET /news", breaks=SECURITY)
def a_signature_in_another_header(document: Any) -> None:
    document["components"]["securitySchemes"]["seal"]["name"] = "x-gco-signature"


@lie(SHOP, "GET /orders", breaks=DELIVERED)
def an_operation_that_is_not_delivered(document: Any) -> None:
    document["paths"]["/stock"] = {"get": copy.deepcopy(document["paths"]["/orders"]["get"])}


@lie(KIOSK, breaks=UNROUTED)
def an_operation_that_no_rule_takes(document: Any) -> None:
    document["paths"]["/archive/{issue}"] = {"get": copy.deepcopy(document["paths"]["/drinks"]["get"])}


@lie(SHOP, "GET /articles", breaks=DELIVERED)
def an_operation_of_another_method(document: Any) -> None:
    document["paths"]["/articles"]["post"] = copy.deepcopy(document["paths"]["/orders"]["post"])


@lie(SHOP, "GET /articles", breaks=DELIVERED)
def an_operation_that_was_lost(document: Any) -> None:
    del document["paths"]["/orders"]["post"]


@lie(SHOP, "GET /orders/{id}", breaks=REFERENCES)
def an_answer_of_another_service(document: Any) -> None:
    content(document["paths"]["/orders/{id}"]["get"])["schema"] = schema("Status")


@lie(SHOP, "GET /orders/{id}", breaks=REFERENCES)
def an_answer_that_allows_more(document: Any) -> None:
    content(document["paths"]["/orders/{id}"]["get"])["schema"] = {"type": "string"}


@lie(SHOP, "GET /articles", breaks=REFERENCES)
def an_answer_that_was_lost(document: Any) -> None:
    del document["paths"]["/articles"]["get"]["responses"]["404"]


@lie(SHOP, "POST /orders", breaks=REFERENCES)
def required_that_was_lost(document: Any) -> None:
    del document["components"]["schemas"]["orders.Article"]["required"]


@lie(SHOP, "PUT /articles/{sku}", breaks=PARAMETERS)
def a_body_that_need_not_be_there(document: Any) -> None:
    del document["paths"]["/articles/{sku}"]["put"]["requestBody"]["required"]


@lie(SHOP, "PUT /articles/{sku}", breaks=PARAMETERS)
def a_limit_that_was_lost(document: Any) -> None:
    del document["components"]["schemas"]["Article"]["properties"]["price"]["minimum"]


@lie(SHOP, "GET /orders", breaks=REFERENCES)
def a_list_in_an_answer_that_may_be_empty(document: Any) -> None:
    items = content(document["paths"]["/orders"]["get"])["schema"]["items"]
    del items["properties"]["articles"]["minItems"]


@lie(SHOP, "GET /articles", breaks=SERVER)
def a_server_with_a_path(document: Any) -> None:
    document["servers"][0]["url"] += "/api"


@lie(KIOSK, "GET /news/{issue}", breaks=SERVER)
def a_server_without_its_path(document: Any) -> None:
    document["servers"][0]["url"] = "https://{host}"


@lie(SHOP, breaks=UNREACHABLE)
def unreachable_with_another_receiver(document: Any) -> None:
    document["x-gco-unreachable"][1].update(rule="/orders", deliveredTo="orders")


@lie(SHOP, breaks=UNREACHABLE)
def unreachable_that_is_not_told(document: Any) -> None:
    del document["x-gco-unreachable"][2]


@lie(KIOSK, breaks=UNREACHABLE)
def unreachable_with_a_receiver_where_there_is_none(document: Any) -> None:
    document["x-gco-unreachable"][0].update(rule="/news", deliveredTo="press")


@lie(SHOP, breaks=UNREACHABLE)
def unreachable_that_is_delivered(document: Any) -> None:
    entry = {"path": "/orders", "service": "orders", "rule": "/orders", "deliveredTo": "orders"}
    document["x-gco-unreachable"].append(entry)


@lie(STORE, breaks=SHADOW)
def a_shadow_that_is_not_told(document: Any) -> None:
    del document["paths"]["/depot/bins/{bin}"]["get"]["x-gco-shadowed-by"]


@lie(STORE, breaks=SHADOW)
def a_shadow_of_another_service(document: Any) -> None:
    document["paths"]["/depot/bins/{bin}"]["put"]["x-gco-shadowed-by"][0]["service"] = "depot"


@lie(STORE, breaks=SHADOW)
def a_shadow_that_is_none(document: Any) -> None:
    shadows = document["paths"]["/depot/bins/{bin}"]["put"]["x-gco-shadowed-by"]
    shadows.append({"rule": "/fleet", "service": "fleet"})


@lie(SHOP, breaks=FACTS)
def routes_with_another_service(document: Any) -> None:
    document["x-gco-routes"][1]["service"] = "catalogue"


@lie(SHOP, breaks=FACTS)
def routes_without_one(document: Any) -> None:
    del document["x-gco-routes"][0]


@lie(STORE, "GET /fleet/trips", breaks=COMPONENTS)
def a_shared_parameter_of_another_service(document: Any) -> None:
    document["paths"]["/fleet/trips"]["get"]["parameters"] = [{"$ref": "#/components/parameters/Limit"}]


@lie(STORE, "POST /fleet/trips", "GET /fleet/trips", breaks=COMPONENTS)
def a_shared_body_of_another_service(document: Any) -> None:
    document["paths"]["/fleet/trips"]["post"]["requestBody"] = {"$ref": "#/components/requestBodies/New"}


@lie(STORE, "GET /depot/bins/{bin}", breaks=COMPONENTS)
def a_shared_answer_of_another_service(document: Any) -> None:
    document["paths"]["/depot/bins/{bin}"]["get"]["responses"]["200"] = {
        "$ref": "#/components/responses/fleet.Report"
    }


@lie(STORE, "GET /depot/bins/{bin}", "GET /fleet/vans", breaks=COMPONENTS)
def shared_components_that_were_left_behind(document: Any) -> None:
    del document["components"]["parameters"]["Limit"]


@lie(STORE, "POST /fleet/jobs", "GET /fleet/jobs", "GET /depot/jobs", breaks=FAITHFUL)
def a_conflict_one_reference_away(document: Any) -> None:
    document["components"]["schemas"]["fleet.Job"]["properties"]["error"] = schema("Error")


@lie(STORE, "POST /fleet/report", breaks=FOLLOWS)
def a_schema_that_does_not_follow(document: Any) -> None:
    document["components"]["schemas"]["Summary"]["properties"]["status"] = schema("Status")


@lie(STORE, "GET /fleet/vans", breaks="composer.document.path-item-references")
def an_operation_behind_a_reference_without_its_parameter(document: Any) -> None:
    item = document["paths"]["/fleet/vans"]
    del item["get"]["parameters"]


@pytest.mark.parametrize("told", [pytest.param(one, id=one.name.replace("_", "-")) for one in LIES])
def test_a_lie_is_found_by_the_check_that_is_meant_for_it(told: Lie) -> None:
    found = broken(exercise(told.checkout, told.tell), told.checkout, told.labels)
    assert {name: str(violations[0]) for name, violations in found.items() if name not in told.breaks} == {}
    assert found.keys() == told.breaks


def test_a_document_that_is_none_is_told_as_a_breach_and_breaks_no_check() -> None:
    told = observed(used(SHOP).checkout).document
    chance = random.Random(0)
    everywhere = [place for place in places(told) if place[0] in ("paths", "components") and len(place) > 2]
    for place in chance.sample(everywhere, 12):

        def corrupt(document: Any, place: tuple[Any, ...] = place) -> None:
            for key in place[:-1]:
                document = document[key]
            document[place[-1]] = chance.choice((None, 7, "x", [], {}, [7], {"$ref": "#/nowhere"}, {"$ref": 7}))

        broken(exercise(SHOP, corrupt, examples=0), SHOP, (f"GET {place[1]}", "POST /orders"))


def places(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value in a document, below the document itself."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in entries:
        yield (*place, key)
        yield from places(value, (*place, key))


def test_a_lie_is_shown_by_a_small_request_that_can_be_sent_again() -> None:
    found = broken(exercise(SHOP, required_that_was_lost), SHOP, ("POST /orders",))
    violation = next(one for one in found[REFERENCES] if "refuses" in str(one))
    assert violation.actual is not None
    assert "--data-binary '[{}]'" in violation.actual
    assert violation.observation is not None
    script = violation.observation.reproduction
    assert 'gco-reference compose "$root"\ngco-conformance serve-gateway "$root" --port 8080 --seed 0 &' in script
    assert (
        json.loads(script.split("services/orders.json <<'EOF'\n")[1].split("\nEOF")[0])["info"]["title"]
        == "Orders"
    )


def test_the_same_seed_shows_the_same() -> None:
    shown = []
    for _ in range(2):
        found = broken(exercise(SHOP, a_parameter_with_another_services_schema), SHOP, ("GET /orders",))
        shown.append([(str(one), one.expected, one.actual) for one in found[REFERENCES]])
    assert shown[0] == shown[1]
