"""The routes of a gateway and what can be asked of it, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator

from gco_conformance.gateway.routed import Gateway


def lines(gateway: Gateway) -> Iterator[str]:
    """Each rule with the operations that it delivers, and what is documented and not delivered."""
    surface = gateway.surface
    delivered = sorted(surface.kept.items(), key=lambda entry: (entry[0][0], entry[0][1]))
    width = max((len(method) for (_, method), _ in delivered), default=0)
    for route in surface.routes:
        yield f"{route.prefix} → {route.service}:{route.port}"
        for (path, method), kept in delivered:
            if kept.route is route:
                found = gateway.services[route.service].find(path)
                sign = "signed" if gateway.is_signed(path, found) else "open"
                yield f"    {method.upper():{width}}  {gateway.mounted_at}{path}  ({sign})"
    for entry in surface.unreachable:
        taken = f"{entry.route.prefix} takes it to {entry.route.service}" if entry.route else "no rule takes it"
        yield f"not delivered: {entry.path} of {entry.service}, {taken}"
