"""The manifest's objects: what the composed document is about (contract section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gco_reference.composer.configuration import Configuration
from gco_reference.composer.errors import ComposeError
from gco_reference.composer.files import read_text
from gco_reference.composer.located_yaml import LocatedMapping, load_all
from gco_reference.composer.node import Node, optional_text

# A kind that another API group defines too (Istio has a Gateway) isn't the Gateway API's.
_GROUPS = {
    "GatewayClass": "gateway.networking.k8s.io",
    "Gateway": "gateway.networking.k8s.io",
    "HTTPRoute": "gateway.networking.k8s.io",
    "LoadBalancerConfiguration": "gateway.k8s.aws",
    "TargetGroupConfiguration": "gateway.k8s.aws",
}


@dataclass(frozen=True)
class KubernetesObject:
    """A Kubernetes object; `spec` is a mapping, `namespace` is `None` where the manifest leaves it open."""

    kind: str
    name: str
    namespace: str | None
    spec: Node


@dataclass(frozen=True)
class Manifest:
    """The five objects, the one listener, and the Namespaces that the manifest happens to define."""

    gateway_class: KubernetesObject
    gateway: KubernetesObject
    http_route: KubernetesObject
    load_balancer: KubernetesObject
    target_group: KubernetesObject
    listener: Node
    namespaces: tuple[Node, ...]


def read_manifest(root: Path, configuration: Configuration) -> Manifest:
    """The objects of the manifest; anything but exactly the objects needed is an error."""
    file = configuration.manifest
    text = read_text(root, file, configuration.place("manifest"))
    documents = [
        Node(document, file, document.line, str(document.get("kind")))
        for document in load_all(text, file)
        if isinstance(document, LocatedMapping)
    ]
    gateway_class = _only(documents, "GatewayClass", file)
    gateway = _only(documents, "Gateway", file)
    http_route = _only(documents, "HTTPRoute", file)
    infrastructure = gateway.spec.get("infrastructure")
    load_balancer = _referenced(
        documents,
        "LoadBalancerConfiguration",
        infrastructure and infrastructure.get("parametersRef"),
        gateway,
    )
    target_group = _referenced(
        documents,
        "TargetGroupConfiguration",
        load_balancer.spec.get("defaultTargetGroupConfiguration"),
        load_balancer,
    )
    return Manifest(
        gateway_class=gateway_class,
        gateway=gateway,
        http_route=http_route,
        load_balancer=load_balancer,
        target_group=target_group,
        listener=_listener(gateway),
        namespaces=tuple(node for node in documents if node.value.get("kind") == "Namespace"),
    )


def _of_kind(documents: Iterable[Node], kind: str) -> list[Node]:
    return [node for node in documents if node.value.get("kind") == kind and _group(node) in (None, _GROUPS[kind])]


def _group(node: Node) -> str | None:
    version = node.value.get("apiVersion")
    return version.rpartition("/")[0] if isinstance(version, str) else None


def _only(documents: list[Node], kind: str, file: str) -> KubernetesObject:
    found = _of_kind(documents, kind)
    if not found:
        raise ComposeError(f"needs exactly one {kind}, found 0", file)
    if len(found) > 1:
        lines = ", ".join(str(node.line) for node in found)
        raise ComposeError(f"needs exactly one {kind}, found {len(found)} (lines {lines})", file, found[1].line)
    return _object(found[0], kind)


def _object(node: Node, kind: str) -> KubernetesObject:
    metadata = node.need("metadata")
    name = metadata.need("name").text()
    spec = node.need("spec").mapping()
    return KubernetesObject(
        kind=kind,
        name=name,
        namespace=optional_text(metadata.get("namespace")),
        spec=replace(spec, place=f"{kind} {name}: spec"),
    )


def _referenced(
    documents: list[Node], kind: str, reference: Node | None, referrer: KubernetesObject
) -> KubernetesObject:
    """The object of `kind` that `reference` names; when there is no reference, the only one that there is."""
    named = reference and reference.get("name")
    if named is None:
        return _only(documents, kind, referrer.spec.file)
    name = named.text()
    expected = {"kind": kind, "group": _GROUPS[kind]}
    for key, meant in expected.items():
        given = reference and reference.get(key)
        if given is not None and given.text() != meant:
            raise given.error(f"must be {meant}, not {given.text()}")
    found = [node for node in _of_kind(documents, kind) if node.need("metadata").need("name").text() == name]
    if len(found) != 1:
        raise named.error(f'needs exactly one {kind} named "{name}", found {len(found)}')
    return _object(found[0], kind)


def _listener(gateway: KubernetesObject) -> Node:
    listeners = gateway.spec.need("listeners")
    found = listeners.items()
    if len(found) != 1:
        raise listeners.error(f"needs exactly one listener, found {len(found)}")
    return found[0].mapping()
