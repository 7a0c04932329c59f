"""Lies about routes in a composed document are told, each by its kind; the truth is told nothing about."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gco_conformance.checkouts.edit import merge_patch
from gco_conformance.drift.coverage import coverage

from .drift_checkout import base

CHECKOUT = base()
COMPOSED = json.loads(dict(CHECKOUT.files)["composed.json"])
ORDER = "/api/orders/{order_id}"


def test_the_truth_is_covered() -> None:
    assert coverage(COMPOSED, CHECKOUT) == []


@pytest.mark.parametrize(
    ("lie", "kind", "operation"),
    [
        ({"paths": {ORDER: None}}, "delivery", f"GET {ORDER}"),
        ({"paths": {"/api/orders": {"delete": {"responses": {}}}}}, "delivery", "DELETE /api/orders"),
        ({"paths": {"/figures/{month}": {"get": {"responses": {}}}}}, "delivery", "GET /figures/{month}"),
        ({"paths": {ORDER: {"get": {"x-gco-route": {"service": "web"}}}}}, "route", f"GET {ORDER}"),
        ({"paths": {ORDER: {"get": {"x-gco-route": {"rule": "/"}}}}}, "route", f"GET {ORDER}"),
        ({"paths": {ORDER: {"get": {"security": []}}}}, "security", f"GET {ORDER}"),
        (
            {"paths": {ORDER: {"get": {"x-gco-shadowed-by": [{"rule": "/", "service": "web"}]}}}},
            "shadow",
            f"GET {ORDER}",
        ),
        ({"x-gco-unreachable": []}, "fact", "x-gco-unreachable"),
        ({"x-gco-routes": []}, "fact", "x-gco-routes"),
        ({"x-gco-not-exposed": []}, "fact", "x-gco-not-exposed"),
        ({"x-gco-unauthenticated-paths": ["/healthz", "/"]}, "fact", "x-gco-unauthenticated-paths"),
    ],
)
def test_a_lie_is_told_by_its_kind(lie: Any, kind: str, operation: str) -> None:
    told = coverage(merge_patch(COMPOSED, lie), CHECKOUT)
    assert told
    assert {(change.kind, change.operation) for change in told} == {(kind, operation)}


def test_the_content_of_operations_is_not_about_routes() -> None:
    lie = merge_patch(COMPOSED, {"paths": {ORDER: {"get": {"summary": "Another"}}}})
    assert coverage(lie, CHECKOUT) == []
    assert [change.what for change in coverage(lie, CHECKOUT, {"content"})] == ["another summary"]
