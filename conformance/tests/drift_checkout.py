"""Checkouts for the tests of the drift gate, and the gate run on them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import settings

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.edit import Edit, from_data
from gco_conformance.drift.finding import Finding
from gco_conformance.drift.gate import Request, run
from gco_conformance.drift.report import Report
from gco_fixtures.drift import DriftCase, drift_base, drift_cases

TODAY = date(2026, 1, 1)
searched = settings(derandomize=True, deadline=None, database=None)
"""The same examples in every run, however slow the machine is."""


def base(*edits: Mapping[str, Any]) -> Checkout:
    """The clean checkout with edits, in the form of a case's."""
    return Checkout.of(drift_base()).edited(tuple(map(from_data, edits)))


def broken(name: str) -> Checkout:
    """The broken checkout of a case."""
    [case] = [case for case in drift_cases() if case.name == name]
    return edited(case)


def edited(case: DriftCase) -> Checkout:
    return Checkout.of(drift_base()).edited(as_edits(case.about["broken"]))


def as_edits(data: Iterable[Mapping[str, Any]]) -> tuple[Edit, ...]:
    return tuple(map(from_data, data))


def gated(checkout: Checkout, root: Path, **asked: Any) -> Report:
    """The gate's report on a checkout; its places are relative to `root`."""
    checkout.write(root)
    before = Path.cwd()
    os.chdir(root)
    try:
        return run(Request(Path(), **asked), TODAY)
    finally:
        os.chdir(before)


def rules(findings: Iterable[Finding]) -> list[str]:
    return [finding.rule.id for finding in findings]


def service(*paths: str, method: str = "get") -> dict[str, Any]:
    """An OpenAPI document with one operation for each path."""
    operation = {"responses": {"200": {"description": "Done"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "A service", "version": "1.0.0"},
        "paths": {path: {method: operation} for path in paths},
    }


def checkout(rules: Iterable[str], services: Mapping[str, Any], configuration: str = "") -> Checkout:
    """A checkout without a Gateway. A rule is such as "/jobs alpha", or YAML that begins with a brace."""
    lines = [
        rule
        if rule.startswith("{")
        else "{{matches: [{{path: {{value: {}}}}}], backendRefs: [{{name: {}, port: 80}}]}}".format(*rule.split())
        for rule in rules
    ]
    route = "kind: HTTPRoute\nmetadata: {name: routes, namespace: shop}\nspec:\n  rules:\n"
    files = {
        "gateway-composition.yaml": f"manifest: gateway.yaml\nservices_dir: services\n"
        f"services: [{', '.join(services)}]\n{configuration}",
        "gateway.yaml": route + "".join(f"    - {line}\n" for line in lines),
        **{f"services/{name}.json": json.dumps(document, indent=2) for name, document in services.items()},
    }
    return Checkout.of({name: text.encode() for name, text in files.items()})
