"""How long composing takes, measured against what no composer in Python can go below.

    python reference/benchmarks/compose.py [--rounds 7]

The input is generated: 20 services with 500 paths each behind 1,000 rules. The *floor* is the time that Python's
json takes to parse the same documents and to write the same output (indented by two, keys sorted), in the same
process, in turns with the composer; the ratio is the median over the rounds. A second table shows that the cost
of routing a path doesn't grow with the number of rules.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from gco_reference.composer.command import run
from gco_reference.composer.routes import Route
from gco_reference.composer.routing import Router

SERVICES = 20
PATHS = 500
RULES = 1000
SCHEMAS = 201
TARGET = 1.5

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
  infrastructure:
    parametersRef: {group: gateway.k8s.aws, kind: LoadBalancerConfiguration, name: edge}
  listeners:
    - {name: https, protocol: HTTPS, port: 443, allowedRoutes: {namespaces: {from: Same}}}
---
apiVersion: gateway.k8s.aws/v1beta1
kind: LoadBalancerConfiguration
metadata: {name: edge, namespace: apps}
spec: {scheme: internal, defaultTargetGroupConfiguration: {name: edge}}
---
apiVersion: gateway.k8s.aws/v1beta1
kind: TargetGroupConfiguration
metadata: {name: edge, namespace: apps}
spec: {defaultConfiguration: {targetType: ip, protocol: HTTP}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: routes, namespace: apps}
spec:
  parentRefs: [{name: edge, sectionName: https}]
  rules:
"""


def main() -> None:
    """Generates, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often both are measured (default 7)")
    rounds = parser.parse_args().rounds
    if rounds < 1:
        parser.error("--rounds: at least 1 is needed")
    print(f"Python {platform.python_version()}, {platform.machine()}, {rounds} rounds")
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        generate(root)
        report_composing(root, rounds)
    report_routing()


def report_composing(root: Path, rounds: int) -> None:
    """Measures the composer and the floor in turns, and prints both with their ratio."""
    documents = sorted((root / "services").iterdir())
    output = root / "composed.json"
    compose(root, output)  # once for the caches, and for the floor's output
    composed = json.loads(output.read_bytes())
    size = sum(path.stat().st_size for path in documents)
    print(
        f"{len(documents)} documents, {size / 1e6:.1f} MB in, {output.stat().st_size / 1e6:.1f} MB out: "
        f"{len(composed['paths'])} paths, {len(composed['x-gco-unreachable'])} unreachable, "
        f"{len(composed['components']['schemas'])} schemas, {len(composed['x-gco-routes'])} rules"
    )
    totals, floors = [], []
    for _ in range(rounds):
        floors.append(seconds(lambda: floor(documents, composed, root / "floor.json")))
        totals.append(seconds(lambda: compose(root, output)))
    assert (root / "floor.json").read_bytes() == output.read_bytes()
    ratios = [total / floor for total, floor in zip(totals, floors, strict=True)]
    ratio = statistics.median(ratios)
    print(f"floor    {statistics.median(floors):6.2f} s  (parse the inputs, write the output)")
    print(f"composed {statistics.median(totals):6.2f} s")
    print(
        f"ratio    {ratio:6.2f}    (from {min(ratios):.2f} to {max(ratios):.2f}; target {TARGET}: "
        f"{'met' if ratio <= TARGET else 'MISSED'})"
    )


def compose(root: Path, output: Path) -> None:
    """The whole command: read, compose, write."""
    output.unlink(missing_ok=True)
    outcome = run(root)
    assert outcome.exit == 0, outcome.stderr


def floor(documents: list[Path], composed: Any, output: Path) -> None:
    """Parses the same inputs and writes the same output."""
    for path in documents:
        json.loads(path.read_bytes())
    output.write_text(json.dumps(composed, indent=2, sort_keys=True) + "\n", encoding="ascii")


def report_routing() -> None:
    """Prints what one path costs among few and many rules."""
    print("routing a path of six segments among")
    for count in (10, 1_000, 10_000):
        routes = [Route(f"/api/v1/group-{number % 100}/part-{number}", "alpha", 80) for number in range(count)]
        router = Router([Route("/", "alpha", 80), *routes])
        paths = [f"{route.prefix}/jobs/{{id}}" for route in routes[:: max(1, count // 10)]]
        took = statistics.median(seconds(partial(ask, router, paths)) for _ in range(7))
        print(f"  {count:6,} rules: {took / len(paths) / 100 * 1e6:5.2f} µs")


def ask(router: Router, paths: list[str]) -> None:
    """Asks for each path a hundred times."""
    for _ in range(100):
        for path in paths:
            router.winner(path)


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes, garbage of earlier work not counted."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def generate(root: Path) -> None:
    """Writes a checkout: one catch-all rule, and the others spread over the services."""
    names = [f"service-{number:02}" for number in range(SERVICES)]
    (root / "services").mkdir()
    for number, name in enumerate(names):
        (root / "services" / f"{name}.json").write_text(json.dumps(document(number, name), indent=2))
    per_service = (RULES - 1) // SERVICES + 1
    rules = [(f"/api/v1/{name}/area-{area}", name) for name in names for area in range(per_service)][: RULES - 1]
    (root / "manifest.yaml").write_text(MANIFEST + "".join(rule(*pair) for pair in [*rules, ("/", names[0])]))
    (root / "gateway-composition.yaml").write_text(
        f"manifest: manifest.yaml\nservices_dir: services\nservices: [{', '.join(names)}]\noutput: composed.json\n"
    )


def rule(prefix: str, service: str) -> str:
    """One rule of the HTTPRoute."""
    return (
        f"    - matches:\n        - path: {{type: PathPrefix, value: {prefix}}}\n"
        f"      backendRefs:\n        - {{kind: Service, name: {service}, port: 80, weight: 1}}\n"
    )


def document(number: int, name: str) -> Any:
    """A document as a web framework writes it; its schemas partly conflict with those of other services."""
    return {
        "openapi": "3.1.0",
        "info": {"title": name, "version": f"1.{number}.0"},
        "paths": dict(path_items(number, name)),
        "components": {"schemas": dict(schemas(number))},
    }


def path_items(number: int, name: str) -> Iterator[tuple[str, Any]]:
    """The paths: most are delivered, those of `/internal` (one in twenty) go to the catch-all."""
    for index in range(PATHS):
        area = f"/api/v1/{name}/area-{index % 50}" if index % 20 else "/internal"
        model = f"Model{index % SCHEMAS}"
        yield (
            f"{area}/things-{index}/{{thing_id}}",
            {
                "get": operation(f"get_{number}_{index}", model),
                "put": {
                    **operation(f"put_{number}_{index}", model),
                    "requestBody": {"required": True, "content": content(f"{model}")},
                },
            },
        )


def operation(operation_id: str, model: str) -> Any:
    """An operation with two parameters and two answers."""
    return {
        "tags": ["things"],
        "summary": operation_id.replace("_", " ").title(),
        "description": f"Answers with one {model}. It is read from the nearest region, and may be a second old.",
        "operationId": operation_id,
        "parameters": [
            {
                "name": "thing_id",
                "in": "path",
                "required": True,
                "schema": {"type": "string", "title": "Thing Id"},
            },
            {
                "name": "limit",
                "in": "query",
                "required": False,
                "schema": {"type": "integer", "maximum": 1000, "minimum": 1, "default": 100, "title": "Limit"},
                "description": "How many parts are listed.",
            },
        ],
        "responses": {
            "200": {"description": "Successful Response", "content": content(model)},
            "422": {"description": "Validation Error", "content": content("HTTPValidationError")},
        },
    }


def content(model: str) -> Any:
    """JSON of one schema."""
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}


def schemas(number: int) -> Iterator[tuple[str, Any]]:
    """The schemas: a third is every service's own, a third differs in some services, a third is shared by all."""
    for index in range(SCHEMAS):
        variant = (f" of service {number}", f" of release {number % 4}", "")[index % 3]
        yield (
            f"Model{index}",
            {
                "type": "object",
                "title": f"Model{index}",
                "description": f"A model{variant}, with the parts that it is made of.",
                "required": ["id", "state"],
                "properties": {
                    "id": {"type": "string", "format": "uuid", "title": "Id"},
                    "state": {
                        "type": "string",
                        "enum": ["pending", "running", "succeeded", "failed"],
                        "title": "State",
                    },
                    "created_at": {"type": "string", "format": "date-time", "title": "Created At"},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}, "title": "Labels"},
                    "count": {"type": "integer", "minimum": 0, "default": 0, "title": "Count"},
                    "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": 0.5, "title": "Ratio"},
                    "next": {"$ref": f"#/components/schemas/Model{(index * 7 + 3) % SCHEMAS}"},
                    "parts": {
                        "type": "array",
                        "items": {"$ref": f"#/components/schemas/Model{(index + 3) % SCHEMAS}"},
                    },
                },
            },
        )
    error = {"loc": {"type": "array"}, "msg": {"type": "string"}, "type": {"type": "string"}}
    if number % 2:
        error["ctx"] = {"type": "object"}
    yield "ValidationError", {"type": "object", "title": "ValidationError", "properties": error}
    items = {"type": "array", "items": {"$ref": "#/components/schemas/ValidationError"}}
    yield (
        "HTTPValidationError",
        {"type": "object", "title": "HTTPValidationError", "properties": {"detail": items}},
    )


if __name__ == "__main__":
    main()
