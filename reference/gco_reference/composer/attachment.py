"""Whether the listener serves the HTTPRoute as a whole; anything that narrows it is refused.

Contract section 2.
"""

from __future__ import annotations

from gco_reference.composer.manifest import KubernetesObject, Manifest
from gco_reference.composer.node import Node, optional_text

_GROUP = "gateway.networking.k8s.io"


def check_attachment(manifest: Manifest) -> None:
    """Raises a `ComposeError` unless the listener serves every rule of the HTTPRoute to every client."""
    _check_class(manifest)
    hostnames = manifest.http_route.spec.get("hostnames")
    if hostnames is not None and hostnames.items():
        raise hostnames.error("hostnames aren't supported: the rules would hold for some hosts only")
    _check_parents(manifest)
    _check_listener(manifest)


def _check_class(manifest: Manifest) -> None:
    named = manifest.gateway.spec.get("gatewayClassName")
    if named is not None and named.text() != manifest.gateway_class.name:
        raise named.error(
            f'"{named.text()}" isn\'t the GatewayClass of the manifest ("{manifest.gateway_class.name}")'
        )


def _check_parents(manifest: Manifest) -> None:
    route = manifest.http_route
    parents = route.spec.get("parentRefs")
    found = [] if parents is None else parents.items()
    misses = [_miss(parent, manifest) for parent in found]
    if None in misses:
        return
    if parents is None or not misses:
        raise (parents or route.spec).error(f'no parentRefs name the Gateway "{manifest.gateway.name}"')
    raise parents.error(
        f"the HTTPRoute isn't attached to the Gateway's listener: {'; '.join(filter(None, misses))}"
    )


def _miss(parent: Node, manifest: Manifest) -> str | None:
    """Why `parent` isn't the Gateway's listener; `None` when it is."""
    gateway, route, listener = manifest.gateway, manifest.http_route, manifest.listener
    port = parent.get("port")
    named = {
        "group": (optional_text(parent.get("group")) or _GROUP, _GROUP),
        "kind": (optional_text(parent.get("kind")) or "Gateway", "Gateway"),
        "name": (parent.need("name").text(), gateway.name),
        "namespace": (optional_text(parent.get("namespace")) or route.namespace, gateway.namespace),
    }
    section, listener_name = optional_text(parent.get("sectionName")), listener.get("name")
    if section is not None:
        named["sectionName"] = (section, optional_text(listener_name))
    for key, (given, meant) in named.items():
        if given != meant:
            return f'{key} "{given}" isn\'t "{meant}"'
    if port is not None and port.port() != listener.need("port").port():
        return f"port {port.value} isn't the listener's"
    return None


def _check_listener(manifest: Manifest) -> None:
    listener = manifest.listener
    protocol = listener.get("protocol")
    if protocol is not None and protocol.text() in ("TLS", "TCP", "UDP"):
        raise protocol.error(f"a {protocol.text()} listener serves no HTTPRoute")
    allowed = listener.get("allowedRoutes")
    if allowed is None:
        _check_same_namespace(manifest, listener)
        return
    kinds = allowed.get("kinds")
    if kinds is not None and kinds.items() and not any(_is_http_route(kind) for kind in kinds.items()):
        raise kinds.error("the listener doesn't admit HTTPRoutes")
    namespaces = allowed.get("namespaces")
    source = namespaces and namespaces.get("from")
    if namespaces is None or source is None or source.text() == "Same":
        _check_same_namespace(manifest, source or allowed)
    elif source.text() == "Selector":
        _check_selector(manifest, namespaces)
    elif source.text() != "All":
        raise source.error(f"{source.text()} admits no route")


def _is_http_route(kind: Node) -> bool:
    group = kind.get("group")
    return kind.need("kind").text() == "HTTPRoute" and (group is None or group.value == _GROUP)


def _check_same_namespace(manifest: Manifest, node: Node) -> None:
    gateway, route = manifest.gateway, manifest.http_route
    if gateway.namespace != route.namespace:
        raise node.error(
            f'only routes of the Gateway\'s namespace "{gateway.namespace}" are admitted, '
            f'and the HTTPRoute is in "{route.namespace}"'
        )


def _check_selector(manifest: Manifest, namespaces: Node) -> None:
    selector = namespaces.need("selector")
    expressions = selector.get("matchExpressions")
    if expressions is not None and expressions.items():
        raise expressions.error("matchExpressions aren't supported, matchLabels are")
    labels = _labels(manifest, manifest.http_route)
    wanted = selector.get("matchLabels")
    for key, label in [] if wanted is None else wanted.pairs():
        if labels.get(key) != label.text():
            raise label.error(
                f"nothing in the manifest says that the HTTPRoute's namespace "
                f'"{manifest.http_route.namespace}" has this label'
            )


def _labels(manifest: Manifest, route: KubernetesObject) -> dict[str, str]:
    """The labels that the route's namespace is known to have."""
    known = {"kubernetes.io/metadata.name": route.namespace or ""}  # Kubernetes sets this one itself
    for namespace in manifest.namespaces:
        metadata = namespace.need("metadata")
        labels = metadata.get("labels")
        if metadata.need("name").text() == route.namespace and labels is not None:
            known.update({key: label.text() for key, label in labels.pairs()})
    return known
