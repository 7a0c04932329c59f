"""Manifests: files, directories as `kubectl apply -f` takes them, a pipe. What isn't about routing is skipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gco_conformance.drift.gateway_api import Gateway, HttpRoute, Manifest, TargetGroup
from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem, Unusable, kept_in
from gco_conformance.drift.readers.configuration import Named
from gco_conformance.drift.readers.http_routes import names, read_http_route
from gco_conformance.drift.readers.text import STANDARD_INPUT, read_standard_input, read_text, shown
from gco_conformance.drift.readers.yaml_tree import Tree, plain, read_documents

PIPE: Final = "-"
_ENDINGS = (".yaml", ".yml", ".json")
_GATEWAY_API = "gateway.networking.k8s.io"
_AWS = "gateway.k8s.aws"
_GROUPS = {
    "Gateway": _GATEWAY_API,
    "GatewayClass": _GATEWAY_API,
    "HTTPRoute": _GATEWAY_API,
    "LoadBalancerConfiguration": _AWS,
    "TargetGroupConfiguration": _AWS,
}


def read_manifests(root: Path, manifests: Sequence[Named]) -> tuple[Manifest, list[Problem]]:
    """All objects of `manifests`, relative to `root`, and what couldn't be read."""
    found = _Found()
    for manifest in manifests:
        for file in _files(root, manifest, found.problems):
            with kept_in(found.problems):
                text, name = _text(file)
                for document in read_documents(text, name):
                    plain(document)
                    for tree in objects(document):
                        with kept_in(found.problems):
                            found.add(tree)
    if not found.routes and not found.problems and manifests:
        places = ", ".join(manifest.text for manifest in manifests)
        problem = Problem(
            manifests[0].place, f"there is no HTTPRoute in {places}", "name the manifest that has it"
        )
        found.problems.append(problem)
    return found.manifest(), found.problems


def _files(root: Path, manifest: Named, problems: list[Problem]) -> Iterator[Path | None]:
    """The files of a manifest, `None` for a pipe."""
    if manifest.text == PIPE:
        yield None
        return
    path = root / manifest.text
    if not path.is_dir():
        if path.exists():
            yield path
        else:
            problems.append(Problem(manifest.place, f"there is no manifest {shown(path)}"))
        return
    files = sorted(file for file in path.iterdir() if file.suffix in _ENDINGS and file.is_file())
    if not files:
        problems.append(Problem(manifest.place, f"there is no YAML file in {shown(path)}"))
    yield from files


def _text(file: Path | None) -> tuple[str, str]:
    return (read_standard_input(), STANDARD_INPUT) if file is None else (read_text(file), shown(file))


def objects(tree: Tree) -> Iterator[Tree]:
    """The object that a document holds, or those of a List, at any depth."""
    kind = tree.get("kind")
    items = tree.get("items")
    if kind is not None and str(kind.value).endswith("List") and items is not None and items.is_list:
        for item in items.items("items"):
            yield from objects(item)
    else:
        yield tree


@dataclass
class _Found:
    routes: list[HttpRoute] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    target_groups: list[TargetGroup] = field(default_factory=list)
    defaults: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    on_aws: bool = False
    _seen: dict[tuple[str, str], Place] = field(default_factory=dict)

    def add(self, tree: Tree) -> None:
        kind = tree.get("kind")
        version = tree.get("apiVersion")
        group = _GROUPS.get(str(kind.value)) if kind is not None else None
        if kind is None or group is None:
            return
        if version is not None and not str(version.value).startswith(f"{group}/"):
            return
        self.on_aws = self.on_aws or group == _AWS
        if kind.value == "HTTPRoute":
            self._add_route(read_http_route(tree))
        elif kind.value == "Gateway":
            self.gateways.append(_gateway(tree))
        elif kind.value == "GatewayClass":
            controller = tree.at("spec", "controllerName")
            self.on_aws = self.on_aws or (controller is not None and str(controller.value).startswith(f"{_AWS}/"))
        elif kind.value == "TargetGroupConfiguration":
            self.target_groups.append(_target_group(tree))
        else:
            default = tree.at("spec", "defaultTargetGroupConfiguration", "name")
            if default is not None:
                self.defaults.append((names(tree)[1], default.text("defaultTargetGroupConfiguration.name")))

    def _add_route(self, route: HttpRoute) -> None:
        key = (route.namespace, route.name)
        if key in self._seen:
            raise Unusable(
                route.place,
                f"HTTPRoute {route.title} is already defined at {self._seen[key]}",
                "name only one of the two manifests",
            )
        self._seen[key] = route.place
        self.routes.append(route)

    def manifest(self) -> Manifest:
        return Manifest(
            routes=tuple(self.routes),
            gateways=tuple(self.gateways),
            target_groups=tuple(self.target_groups),
            default_target_groups=tuple(self.defaults),
            on_aws=self.on_aws,
            complete=not self.problems,
        )


def _gateway(tree: Tree) -> Gateway:
    namespace, name = names(tree)
    class_name = tree.at("spec", "gatewayClassName")
    listeners = tree.at("spec", "listeners")
    parameters = tree.at("spec", "infrastructure", "parametersRef", "name")
    return Gateway(
        namespace=namespace,
        name=name,
        class_name="" if class_name is None else class_name.text("gatewayClassName"),
        listeners=tuple(
            listener.text("a listener's name")
            for item in ([] if listeners is None else listeners.items("listeners"))
            if (listener := item.get("name")) is not None
        ),
        parameters="" if parameters is None else parameters.text("parametersRef.name"),
    )


def _target_group(tree: Tree) -> TargetGroup:
    _, name = names(tree)
    service = tree.at("spec", "targetReference", "name")
    check = tree.at("spec", "defaultConfiguration", "healthCheckConfig")
    protocol = None if check is None else check.get("healthCheckProtocol")
    path = None if check is None else check.get("healthCheckPath")
    if protocol is not None and str(protocol.value).upper() == "TCP":
        path = None
    return TargetGroup(
        name=name,
        service="" if service is None else service.text("targetReference.name"),
        health_check="" if path is None else path.text("healthCheckPath"),
        place=(path or tree).place,
    )
