"""Who receives a path: the composer contract's section 3, as short as it can be said."""

from __future__ import annotations

from collections.abc import Sequence

from gco_conformance.checkouts.route import Route


def segments(path: str) -> tuple[str, ...]:
    """The parts of a path or a prefix between slashes; empty ones don't count."""
    return tuple(segment for segment in path.split("/") if segment)


def winner(routes: Sequence[Route], path: str) -> Route | None:
    """The route with most segments among those that lead `path`; the first of equals."""
    parts = segments(path)
    leading = [route for route in routes if parts[: len(segments(route.prefix))] == segments(route.prefix)]
    return max(leading, key=lambda route: len(segments(route.prefix)), default=None)


def shadows(routes: Sequence[Route], template: str) -> list[Route]:
    """The routes that take some instance of `template` from the Service that wins the template itself.

    Sorted by prefix, then service. Routes to the winning Service itself are not among them.
    """
    own = winner(routes, template)
    taken = {
        taker
        for route in routes
        if (instance := _instance(template, route)) is not None
        and (taker := winner(routes, instance)) is not None
        and (own is None or taker.service != own.service)
    }
    return sorted(taken, key=lambda route: (route.prefix, route.service))


def _instance(template: str, route: Route) -> str | None:
    """A path of the template's form that the route's prefix leads, `None` when there is none."""
    parts, prefix = segments(template), segments(route.prefix)
    if len(prefix) > len(parts):
        return None
    if any(part != wanted and "{" not in part for part, wanted in zip(parts, prefix, strict=False)):
        return None
    rest = (part.replace("{", "any-").replace("}", "") for part in parts[len(prefix) :])
    return "/" + "/".join([*prefix, *rest])
