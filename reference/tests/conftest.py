"""Small checkouts, composed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gco_reference.cli import main
from gco_reference.composer import ComposeError, compose

MANIFEST = """\
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: alb}
spec: {controllerName: gateway.k8s.aws/alb}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: apps}
spec:
  gatewayClassName: alb
  infrastructure: {parametersRef: {group: gateway.k8s.aws, kind: LoadBalancerConfiguration, name: lb}}
  listeners: [{name: https, protocol: HTTPS, port: 443}]
---
apiVersion: gateway.k8s.aws/v1beta1
kind: LoadBalancerConfiguration
metadata: {name: lb, namespace: apps}
spec: {scheme: internal, defaultTargetGroupConfiguration: {name: tg}}
---
apiVersion: gateway.k8s.aws/v1beta1
kind: TargetGroupConfiguration
metadata: {name: tg, namespace: apps}
spec: {defaultConfiguration: {targetType: ip}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: routes, namespace: apps}
spec:
  parentRefs: [{name: edge}]
  rules:
"""
RULE = """\
    - matches: [{path: {type: PathPrefix, value: %s}}]
      backendRefs: [{name: %s, port: 80}]
"""


@dataclass(frozen=True)
class Checkout:
    """A checkout whose service `alpha` gets `/alpha`, and so on for each of its services."""

    root: Path

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert text.count(old) == 1
        self.write(name, text.replace(old, new))

    def compose(self) -> dict[str, Any]:
        return compose(self.root)

    def refusal(self) -> ComposeError:
        with pytest.raises(ComposeError) as caught:
            compose(self.root)
        assert "\n" not in str(caught.value)
        return caught.value


@pytest.fixture
def make_checkout(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Checkout]:
    """`make_checkout(alpha={…document…}, beta=…, rules=[(prefix, service)], configuration="more: yaml")`.

    A document needs no `openapi` and no `info`. Without `rules`, each service gets `/<service>`.
    """

    def make(
        rules: list[tuple[str, str]] | None = None, configuration: str = "", **services: dict[str, Any]
    ) -> Checkout:
        checkout = Checkout(tmp_path_factory.mktemp("checkout"))
        used = [(f"/{name}", name) for name in services] if rules is None else rules
        checkout.write("manifest.yaml", MANIFEST + "".join(RULE % rule for rule in used))
        checkout.write(
            "gateway-composition.yaml",
            f"manifest: manifest.yaml\nservices_dir: services\nservices: [{', '.join(services)}]\n"
            f"output: composed.json\n{configuration}",
        )
        for name, document in services.items():
            whole = {"openapi": "3.1.0", "info": {"title": name, "version": "1"}, "paths": {}, **document}
            checkout.write(f"services/{name}.json", json.dumps(whole))
        return checkout

    return make


def operation(schema: Any = None, **more: Any) -> dict[str, Any]:
    """An operation that answers with `schema`."""
    response: dict[str, Any] = {"description": "ok"}
    if schema is not None:
        response["content"] = {"application/json": {"schema": schema}}
    return {"responses": {"200": response}, **more}


@pytest.fixture
def make_operation() -> Callable[..., dict[str, Any]]:
    """`make_operation(schema, **more)`: an operation that answers with `schema`."""
    return operation


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """`run("compose", root)`: exit status, stdout and stderr of the command."""

    def run_command(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run_command
