"""Who receives a path: the route with the longest prefix, found in as many steps as the path has segments.

Contract section 3. Routes lie in a trie of segments, so that their number doesn't matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gco_reference.composer.routes import Route


def segments(path: str) -> list[str]:
    """The segments of a path or prefix; empty ones don't count."""
    return [segment for segment in path.split("/") if segment]


@dataclass
class _Branch:
    route: Route | None = None
    below: dict[str, _Branch] = field(default_factory=dict)


class Router:
    """The routes of a gateway, asked by path."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Branch()
        for route in routes:
            branch = self._root
            for segment in segments(route.prefix):
                branch = branch.below.setdefault(segment, _Branch())
            if branch.route is None:  # between equals the first one wins
                branch.route = route

    def winner(self, path: str) -> Route | None:
        """The route that receives `path`, or `None`."""
        return self._winner(segments(path))

    def shadows(self, path: str, service: str) -> list[Route]:
        """The routes to other services than `service` that win for some instance of the template `path`.

        Sorted by prefix, then service.
        """
        if "{" not in path:
            return []
        template = segments(path)
        found = {
            route
            for taken, route in self._meeting(self._root, template, 0, [])
            if route.service != service and self._winner([*taken, *template[len(taken) :]]) is route
        }
        return sorted(found, key=lambda route: (route.prefix, route.service))

    def _winner(self, path: Sequence[str]) -> Route | None:
        branch, winner = self._root, self._root.route
        for segment in path:
            below = branch.below.get(segment)
            if below is None:
                break
            branch = below
            winner = branch.route or winner
        return winner

    def _meeting(
        self, branch: _Branch, template: list[str], depth: int, taken: list[str]
    ) -> Iterator[tuple[list[str], Route]]:
        """The routes whose prefix leads some instance of `template`, each with the segments of its prefix."""
        if branch.route is not None:
            yield taken, branch.route
        if depth == len(template):
            return
        wanted = template[depth]
        if "{" not in wanted:
            met = [wanted] if wanted in branch.below else []
        else:
            met = [segment for segment in branch.below if _can_be(wanted, segment)]
        for segment in met:
            yield from self._meeting(branch.below[segment], template, depth + 1, [*taken, segment])


def _can_be(template: str, segment: str) -> bool:
    """Whether the template segment (`{id}`, `{id}:cancel`) has `segment` among its instances."""
    if template == segment:
        return True
    literals = re.split(r"\{[^}]*\}", template)
    return re.fullmatch(".+".join(map(re.escape, literals)), segment, re.DOTALL) is not None
