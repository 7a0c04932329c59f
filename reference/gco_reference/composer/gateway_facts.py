"""`x-gco-gateway`: what the manifest says of the gateway, word for word (contract section 4)."""

from __future__ import annotations

from typing import Any

from gco_reference.composer.manifest import Manifest
from gco_reference.composer.node import Node, optional_json


def gateway_facts(manifest: Manifest) -> dict[str, Any]:
    """The facts; a missing value is `None`."""
    return {
        "name": manifest.gateway.name,
        "namespace": manifest.http_route.namespace,
        "gatewayClassName": optional_json(manifest.gateway.spec.get("gatewayClassName")),
        "controllerName": optional_json(manifest.gateway_class.spec.get("controllerName")),
        "listener": _facts(manifest.listener, "name", "protocol", "port", "allowedRoutes"),
        "loadBalancer": _facts(
            manifest.load_balancer.spec, "scheme", "listenerConfigurations", "loadBalancerAttributes", "tags"
        ),
        "targetGroup": _target_group(manifest.target_group.spec),
        "httpRoute": manifest.http_route.name,
    }


def _target_group(spec: Node) -> dict[str, Any]:
    defaults = spec.get("defaultConfiguration")
    facts = _facts(defaults, "targetType", "protocol", "healthCheckConfig", "targetGroupAttributes")
    facts["healthCheck"] = facts.pop("healthCheckConfig")
    return facts


def _facts(node: Node | None, *keys: str) -> dict[str, Any]:
    return {key: None if node is None else optional_json(node.get(key)) for key in keys}
