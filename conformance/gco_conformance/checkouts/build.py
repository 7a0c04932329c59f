"""Checkouts from their parts: routes, service documents, configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from gco_conformance.checkouts.checkout import CONFIGURATION, Checkout
from gco_conformance.checkouts.route import Route

NAMESPACE = "shop"
OUTPUT = "composed.json"
NO_CONFIGURATION: Mapping[str, Any] = {}


def build(
    routes: Iterable[Route],
    services: Mapping[str, Mapping[str, Any]],
    configuration: Mapping[str, Any] = NO_CONFIGURATION,
) -> Checkout:
    """A checkout whose HTTPRoute has one rule for each route, in order; `configuration` adds to its keys."""
    settings = {
        "manifest": "manifest.yaml",
        "services_dir": "services",
        "services": sorted(services),
        "output": OUTPUT,
        **configuration,
    }
    files = {
        CONFIGURATION: _as_yaml(settings),
        "manifest.yaml": _as_yaml(*_GATEWAY, _http_route(routes)),
    }
    for name, document in services.items():
        files[f"services/{name}.json"] = (json.dumps(document, indent=2) + "\n").encode()
    return Checkout.of(files)


def service(paths: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A service's OpenAPI document."""
    return {"openapi": "3.1.0", "info": {"title": "A service", "version": "1.0.0"}, "paths": paths, **more}


def operation(summary: str, **more: Any) -> dict[str, Any]:
    """An operation that can be told from others by its summary, wherever it ends up."""
    return {"summary": summary, "responses": {"200": {"description": "Done"}}, **more}


def _as_yaml(*documents: Mapping[str, Any]) -> bytes:
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # many times faster, and not in every PyYAML
    return yaml.dump_all(documents, Dumper=dumper, sort_keys=False).encode()


def _http_route(routes: Iterable[Route]) -> dict[str, Any]:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "routes", "namespace": NAMESPACE},
        "spec": {
            "parentRefs": [
                {
                    "group": "gateway.networking.k8s.io",
                    "kind": "Gateway",
                    "name": "edge",
                    "namespace": NAMESPACE,
                    "sectionName": "https",
                }
            ],
            "rules": [
                {
                    "matches": [{"path": {"type": "PathPrefix", "value": route.prefix}}],
                    "backendRefs": [
                        {
                            "group": "",
                            "kind": "Service",
                            "name": route.service,
                            "port": route.port,
                            "weight": 1,
                        }
                    ],
                }
                for route in routes
            ],
        },
    }


_GATEWAY: list[dict[str, Any]] = [
    {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "GatewayClass",
        "metadata": {"name": "alb"},
        "spec": {"controllerName": "gateway.k8s.aws/alb"},
    },
    {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "edge", "namespace": NAMESPACE},
        "spec": {
            "gatewayClassName": "alb",
            "infrastructure": {
                "parametersRef": {
                    "group": "gateway.k8s.aws",
                    "kind": "LoadBalancerConfiguration",
                    "name": "balancer",
                }
            },
            "listeners": [
                {
                    "name": "https",
                    "protocol": "HTTPS",
                    "port": 443,
                    "allowedRoutes": {"namespaces": {"from": "Same"}},
                }
            ],
        },
    },
    {
        "apiVersion": "gateway.k8s.aws/v1beta1",
        "kind": "LoadBalancerConfiguration",
        "metadata": {"name": "balancer", "namespace": NAMESPACE},
        "spec": {"scheme": "internal", "defaultTargetGroupConfiguration": {"name": "targets"}},
    },
    {
        "apiVersion": "gateway.k8s.aws/v1beta1",
        "kind": "TargetGroupConfiguration",
        "metadata": {"name": "targets", "namespace": NAMESPACE},
        "spec": {"defaultConfiguration": {"targetType": "ip", "protocol": "HTTP"}},
    },
]
