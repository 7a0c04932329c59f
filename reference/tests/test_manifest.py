"""The manifest: what is read, what is refused, and that the error points at the line (contract section 2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

BACKEND = "backendRefs: [{name: alpha, port: 80}]"
MATCH = "matches: [{path: {type: PathPrefix, value: /alpha}}]"


@pytest.fixture
def checkout(make_checkout: Callable[..., Any], make_operation: Callable[..., Any]) -> Any:
    return make_checkout(alpha={"paths": {"/alpha/jobs": {"get": make_operation()}}})


def test_the_facts_of_the_gateway(checkout: Any) -> None:
    facts = checkout.compose()["x-gco-gateway"]
    assert facts == {
        "name": "edge",
        "namespace": "apps",
        "gatewayClassName": "alb",
        "controllerName": "gateway.k8s.aws/alb",
        "listener": {"name": "https", "protocol": "HTTPS", "port": 443, "allowedRoutes": None},
        "loadBalancer": {
            "scheme": "internal",
            "listenerConfigurations": None,
            "loadBalancerAttributes": None,
            "tags": None,
        },
        "targetGroup": {
            "targetType": "ip",
            "protocol": None,
            "healthCheck": None,
            "targetGroupAttributes": None,
        },
        "httpRoute": "routes",
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(MATCH, "name: all", id="no matches"),
        pytest.param(MATCH, "matches: []", id="empty matches"),
        pytest.param(MATCH, "matches: [{}]", id="no path"),
        pytest.param(MATCH, "matches: [{path: {}}]", id="neither type nor value"),
        pytest.param(MATCH, "matches: [{path: {value: /}}]", id="no type"),
        pytest.param(MATCH, "matches: [{path: {type: PathPrefix}}]", id="no value"),
    ],
)
def test_what_a_rule_leaves_out_has_gateway_apis_default(checkout: Any, old: str, new: str) -> None:
    checkout.edit("manifest.yaml", old, new)
    assert checkout.compose()["x-gco-routes"] == [{"prefix": "/", "service": "alpha", "port": 80}]


def test_each_match_is_a_route_in_document_order(checkout: Any) -> None:
    checkout.edit("manifest.yaml", MATCH, "matches: [{path: {value: /b}}, {path: {value: /a}}]")
    assert [route["prefix"] for route in checkout.compose()["x-gco-routes"]] == ["/b", "/a"]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (MATCH, "matches: [{path: {type: Exact, value: /alpha}}]", 30, "Exact"),
        (MATCH, "matches: [{method: GET}]", 30, "method"),
        (MATCH, "matches: [{headers: [{name: a, value: b}]}]", 30, "headers"),
        (MATCH, "matches: [{path: {value: [/alpha]}}]", 30, "must be text, not a list"),
        (MATCH, "matches: [{path: {value: alpha}}]", 30, "must begin with /"),
        (MATCH, "matches: [{path: {value: /a//b}}]", 30, "//"),
        (MATCH, "matches: [{path: {value: /a/../b}}]", 30, ".."),
        (MATCH, "matches: [{path: {value: /a%2Fb}}]", 30, "%2F"),
        (MATCH, "matches: [{path: {value: '/a b'}}]", 30, "character"),
        (MATCH, "mathces: [{path: {value: /a}}]", 30, "mathces"),
        (BACKEND, "backendRefs: []", 31, "found 0"),
        (BACKEND, "backendRefs: [{name: alpha, port: 80}, {name: b, port: 80}]", 31, "found 2"),
        (BACKEND, "backendRefs: [{name: alpha}]", 31, '"port" is missing'),
        (BACKEND, "backendRefs: [{name: alpha, port: '80'}]", 31, "must be an integer"),
        (BACKEND, "backendRefs: [{name: alpha, port: true}]", 31, "must be an integer"),
        (BACKEND, "backendRefs: [{name: alpha, port: 70000}]", 31, "between 1 and 65535"),
        (BACKEND, "backendRefs: [{name: alpha, port: 80, weight: 0}]", 31, "weight 0"),
        (BACKEND, "backendRefs: [{name: alpha, port: 80, group: example.com}]", 31, "example.com"),
        (BACKEND, "backendRefs: [{name: alpha, port: 80, kind: Pod}]", 31, "Pod"),
        (BACKEND, "backendRefs: [{name: alpha, port: 80, namespace: other}]", 31, "namespace"),
        (BACKEND, "backendRefs: [{name: alpha, port: 80, filters: [{type: X}]}]", 31, "filters"),
        (BACKEND, f"filters: [{{type: X}}]\n      {BACKEND}", 31, "filters"),
        ("parentRefs: [", "hostnames: [a.example]\n  parentRefs: [", 28, "hostnames"),
        ("parentRefs: [{name: edge}]", "parentRefs: []", 28, "parentRefs"),
        ("parentRefs: [{name: edge}]", "parentRefs: [{name: other}]", 28, '"other"'),
        ("parentRefs: [{name: edge}]", "parentRefs: [{name: edge, sectionName: http}]", 28, "sectionName"),
        ("parentRefs: [{name: edge}]", "parentRefs: [{name: edge, port: 80}]", 28, "port 80"),
        ("gatewayClassName: alb", "gatewayClassName: other", 10, '"other"'),
        ("port: 443}", "port: 443}, {name: http, protocol: HTTP, port: 80}", 12, "exactly one listener"),
        ("port: 443}", "port: 443, allowedRoutes: {namespaces: {from: None}}}", 12, "None"),
        ("port: 443}", "port: 443, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}", 12, "HTTPRoute"),
        ("protocol: HTTPS", "protocol: TCP", 12, "TCP"),
        ("protocol: HTTPS", "name: again, protocol: HTTPS", 12, 'duplicate key "name"'),
        ("Configuration, name: lb", "Configuration, name: x", 11, 'LoadBalancerConfiguration named "x"'),
        ("Configuration: {name: tg", "Configuration: {name: x", 17, 'TargetGroupConfiguration named "x"'),
        ("spec: {scheme: internal", "spec: {scheme: [internal]", 17, "scheme: must be text"),
        ("metadata: {name: routes, namespace: apps}", "other: {}", 24, '"metadata" is missing'),
        ("kind: HTTPRoute", "kind: Gateway", 24, "found 2"),
        ("spec: {controllerName", "spec: {{controllerName", 5, "isn't valid YAML"),
        ("spec: {scheme", "spec: {tags: {8080: a}, scheme", 17, "quote it"),
    ],
)  # fmt: skip
def test_a_refusal_points_at_the_line(checkout: Any, old: str, new: str, line: int, said: str) -> None:
    checkout.edit("manifest.yaml", old, new)
    error = checkout.refusal()
    assert (error.file, error.line) == ("manifest.yaml", line)
    assert said in str(error)


@pytest.mark.parametrize("text", ["", "---\n", "- a\n", "text\n"])
def test_a_manifest_without_objects_names_the_kind_and_the_number(checkout: Any, text: str) -> None:
    checkout.write("manifest.yaml", text)
    assert str(checkout.refusal()) == "manifest.yaml: needs exactly one GatewayClass, found 0"


def test_a_route_of_another_namespace_needs_the_listeners_leave(checkout: Any) -> None:
    checkout.edit("manifest.yaml", "{name: routes, namespace: apps}", "{name: routes, namespace: jobs}")
    checkout.edit("manifest.yaml", "[{name: edge}]", "[{name: edge, namespace: apps}]")
    assert '"jobs"' in str(checkout.refusal())
    selector = "{from: Selector, selector: {matchLabels: {team: jobs}}}"
    checkout.edit("manifest.yaml", "port: 443}", f"port: 443, allowedRoutes: {{namespaces: {selector}}}}}")
    assert "label" in str(checkout.refusal())
    namespace = "---\nkind: Namespace\nmetadata: {name: jobs, labels: {team: jobs}}\n"
    checkout.write("manifest.yaml", checkout.read("manifest.yaml") + namespace)
    assert checkout.compose()["x-gco-gateway"]["namespace"] == "jobs"


def test_a_kind_of_another_api_group_is_not_the_gateways(checkout: Any) -> None:
    istio = "---\napiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: mesh}\nspec: {}\n"
    checkout.write("manifest.yaml", checkout.read("manifest.yaml") + istio)
    assert checkout.compose()["x-gco-gateway"]["name"] == "edge"


def test_merge_keys_and_dates_are_read_as_kubernetes_does(checkout: Any) -> None:
    spec = "spec: {<<: {scheme: internet-facing, tags: {since: 2026-01-01}}, scheme: internal"
    checkout.edit("manifest.yaml", "spec: {scheme: internal", spec)
    facts = checkout.compose()["x-gco-gateway"]["loadBalancer"]
    assert (facts["scheme"], facts["tags"]) == ("internal", {"since": "2026-01-01"})
