"""The checkouts of the checks that are about the command line and not about what is composed."""

from __future__ import annotations

from typing import Any, Final

from gco_conformance.checkouts.build import build, operation, service
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.checkouts.route import Route

_TOKEN: Final = {"token": {"type": "http", "scheme": "bearer"}}

LIMIT: Final = 128 * 1024
"""Bytes: far more than the document of `SHOP`, far less than that of `SHOP_GROWN`."""


def _shop(word: str, articles: int = 1, rules: bool = True, **orders_has: Any) -> Checkout:
    catalogue: dict[str, Any] = {
        f"/articles/{number}": {"get": operation(f"{word} {number}")} for number in range(articles)
    }
    orders = {
        "/orders": {
            "get": operation("Orders, newest first", tags=["zebra", "apple", "mango"]),
            "post": operation("Ordre passé: 注文 \U0001f6d2"),
        }
    }
    routes = [Route("/articles", "catalogue", 8080), Route("/orders", "orders", 8081)]
    services = {"catalogue": service(catalogue), "orders": service(orders, **orders_has)}
    return build(routes, services) if rules else _without_route(build(routes, services))


def _without_route(checkout: Checkout) -> Checkout:
    files = dict(checkout.files)
    files["manifest.yaml"] = files["manifest.yaml"].replace(b"kind: HTTPRoute", b"kind: TCPRoute")
    return Checkout.of(files)


SHOP: Final = _shop("Article")
SHOP_PATHS: Final = ("/articles/0", "/orders")
SHOP_CHANGED: Final = _shop("Another article")
SHOP_GROWN: Final = _shop("Article", articles=2000)
SHOP_WITH_A_SCHEME: Final = _shop("Article", components={"securitySchemes": _TOKEN})
SHOP_WITH_SECURITY: Final = _shop("Article", components={"securitySchemes": _TOKEN}, security=[{"token": []}])
SHOP_WITHOUT_A_ROUTE: Final = _shop("Article", rules=False)
EMPTY: Final = Checkout.of({"README": b"Nothing to compose here.\n"})
