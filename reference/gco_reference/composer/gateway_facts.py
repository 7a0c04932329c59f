"""`x-gco-gateway`: what the manifest says of the gateway, word for word (contract section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gco_reference.composer.manifest import Manifest
from gco_reference.composer.node import Node


def gateway_facts(manifest: Manifest) -> dict[str, Any]:
    """The facts; a missing value is `None`."""
    return {
        "name": manifest.gateway.name,
        "namespace": manifest.http_route.namespace,
        **_facts(manifest.gateway.spec, gatewayClassName=Node.text),
        **_facts(manifest.gateway_class.spec, controllerName=Node.text),
        "listener": _facts(
            manifest.listener, name=Node.text, protocol=Node.text, port=Node.port, allowedRoutes=_mapping
        ),
        "loadBalancer": _facts(
            manifest.load_balancer.spec,
            scheme=Node.text,
            listenerConfigurations=_list,
            loadBalancerAttributes=_list,
            tags=_mapping,
        ),
        "targetGroup": _target_group(manifest.target_group.spec),
        "httpRoute": manifest.http_route.name,
    }


def _target_group(spec: Node) -> dict[str, Any]:
    defaults = spec.get("defaultConfiguration")
    facts = _facts(
        defaults,
        targetType=Node.text,
        protocol=Node.text,
        healthCheckConfig=_mapping,
        targetGroupAttributes=_list,
    )
    facts["healthCheck"] = facts.pop("healthCheckConfig")
    return facts


def _facts(node: Node | None, **readers: Callable[[Node], Any]) -> dict[str, Any]:
    """The values at the keys of `readers`, each read as what it must be."""
    found = {key: None if node is None else node.get(key) for key in readers}
    return {key: None if below is None else readers[key](below) for key, below in found.items()}


def _mapping(node: Node) -> Any:
    return node.mapping().json()


def _list(node: Node) -> Any:
    return [item.json() for item in node.items()]
