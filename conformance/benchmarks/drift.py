"""How long the drift gate takes: `python conformance/benchmarks/drift.py`.

Each run is a process of its own, start of Python included, as CI starts it. A small checkout has 3 services and
12 paths, a large one 20 services, 10,000 paths of two operations and 1,000 rules, where one path in twenty isn't
delivered; once without and once with a composed document, in which every schema has another name.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUNS = 5
SMALL = (3, 4, 4, 3)
LARGE = (20, 500, 1_000, 100)
TARGETS = {"small": 1.0, "large": 3.0, "large, composed": 3.0}


def main() -> None:
    """Measures and prints."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    for title, size, composed in (
        ("small", SMALL, False),
        ("large", LARGE, False),
        ("large, composed", LARGE, True),
    ):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            generate(root, *size, composed=composed)
            times = [measure(root) for _ in range(RUNS)]
        wall, cpu = (statistics.median(values) for values in zip(*times, strict=True))
        met = "met" if wall <= TARGETS[title] else "MISSED"
        print(f"{title:<16} {wall:5.2f} s ({cpu:5.2f} s of CPU; target {TARGETS[title]:g} s: {met})")


def measure(root: Path) -> tuple[float, float]:
    """Seconds on the clock and of CPU of one run."""
    before = os.times()
    start = time.perf_counter()
    command = [sys.executable, "-m", "gco_conformance", "drift", str(root), "--format", "json"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    wall = time.perf_counter() - start
    after = os.times()
    assert done.returncode in (0, 1), done.stderr
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu


def generate(root: Path, services: int, paths: int, rules: int, schemas: int, *, composed: bool) -> None:
    """Writes a checkout: one catch-all rule, the others spread over the services."""
    names = [f"service-{number:02}" for number in range(services)]
    areas = max(1, (rules - 1) // services)
    (root / "services").mkdir()
    documents = {name: document(name, paths, areas, schemas) for name in names}
    for name, content in documents.items():
        (root / "services" / f"{name}.json").write_text(json.dumps(content, indent=2))
    listed = [(f"/api/v1/{name}/area-{area}", name) for name in names for area in range(areas)]
    manifest = MANIFEST + "".join(rule(*pair) for pair in [*listed[: rules - 1], ("/", names[0])])
    (root / "manifest.yaml").write_text(manifest)
    configuration = f"manifest: manifest.yaml\nservices_dir: services\nservices: [{', '.join(names)}]\n"
    if composed:
        configuration += "output: composed.json\n"
        (root / "composed.json").write_text(json.dumps(merged(documents), indent=2))
    (root / "gateway-composition.yaml").write_text(configuration)


MANIFEST = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: routes, namespace: shop}
spec:
  rules:
"""


def rule(prefix: str, service: str) -> str:
    """One rule of the HTTPRoute."""
    return (
        f"    - matches:\n        - path: {{type: PathPrefix, value: {prefix}}}\n"
        f"      backendRefs:\n        - {{kind: Service, name: {service}, port: 80, weight: 1}}\n"
    )


def document(name: str, paths: int, areas: int, schemas: int) -> dict[str, Any]:
    """A document as a web framework writes it."""
    return {
        "openapi": "3.1.0",
        "info": {"title": name, "version": "1.0.0"},
        "paths": dict(path_items(name, paths, areas, schemas)),
        "components": {"schemas": {f"Model{number}": schema(number, schemas) for number in range(schemas)}},
    }


def path_items(name: str, paths: int, areas: int, schemas: int) -> Iterator[tuple[str, Any]]:
    """The paths: most are delivered, those of `/internal` (one in twenty) go to the catch-all."""
    for index in range(paths):
        area = f"/api/v1/{name}/area-{index % areas}" if (index + 1) % 20 else f"/internal/{name}"
        body = content(f"Model{index % schemas}")
        yield (
            f"{area}/things-{index}/{{thing_id}}",
            {
                "get": operation(index, body),
                "put": {**operation(index, body), "requestBody": {"required": True, "content": body}},
            },
        )


def operation(index: int, body: Any) -> dict[str, Any]:
    """An operation with two parameters and two answers."""
    return {
        "summary": f"Thing {index}",
        "description": "Answers with one thing. It is read from the nearest region, and may be a second old.",
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
            },
        ],
        "responses": {
            "200": {"description": "Successful Response", "content": body},
            "422": {"description": "Validation Error", "content": body},
        },
    }


def content(model: str) -> Any:
    """JSON of one schema."""
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}


def schema(number: int, schemas: int) -> dict[str, Any]:
    """A schema that refers to another one."""
    return {
        "type": "object",
        "title": f"Model{number}",
        "required": ["id", "state"],
        "properties": {
            "id": {"type": "string", "format": "uuid", "title": "Id"},
            "state": {"type": "string", "enum": ["pending", "running", "failed"], "title": "State"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}, "title": "Labels"},
            "next": {"$ref": f"#/components/schemas/Model{(number * 7 + 3) % schemas}"},
        },
    }


def merged(documents: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """All that is delivered in one document, each schema under the name of its service."""
    paths: dict[str, Any] = {}
    components: dict[str, Any] = {}
    for name, own in documents.items():
        renamed = json.loads(json.dumps(own).replace("#/components/schemas/", f"#/components/schemas/{name}."))
        paths.update({path: item for path, item in renamed["paths"].items() if name in path.split("/")[:4]})
        components.update({f"{name}.{key}": value for key, value in renamed["components"]["schemas"].items()})
    return {
        "openapi": "3.1.0",
        "info": {"title": "All", "version": "1.0.0"},
        "paths": {path: item for path, item in paths.items() if not path.startswith("/internal")},
        "components": {"schemas": components},
    }


if __name__ == "__main__":
    main()
