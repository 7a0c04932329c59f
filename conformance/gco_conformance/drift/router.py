"""Who receives a path among many rules: cost grows with the depth of a path, not with the number of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gco_conformance.drift.gateway_api import Match

Allows = Callable[[str, str], bool]
"""Whether a segment of a template, such as "{id}", can stand for a text."""


@dataclass(frozen=True)
class Taken:
    """Some requests of a template: the match that takes them, and the segments of one of them.

    Segments that no rule names are left as the template has them. `match` is `None` where none takes it.
    """

    match: Match | None
    segments: tuple[str, ...]


@dataclass
class _Node:
    below: dict[str, _Node] = field(default_factory=dict)
    prefix: Match | None = None
    exact: Match | None = None


class Router:
    """Gateway API's precedence for paths: an exact one, then the longest prefix, then the first of equals."""

    def __init__(self, matches: Iterable[Match]) -> None:
        self._root = _Node()
        self.beaten: dict[int, Match] = {}
        """By the identity of a match that can never win, the equal one that always does."""
        for match in matches:
            node = self._root
            for segment in match.segments:
                node = node.below.setdefault(segment, _Node())
            holder = node.exact if match.exact else node.prefix
            if holder is not None:
                self.beaten[id(match)] = holder
            elif match.exact:
                node.exact = match
            else:
                node.prefix = match

    def winner(self, segments: Sequence[str]) -> Match | None:
        """The match that takes a path; templates are compared as they stand."""
        node = self._root
        best = node.prefix
        for segment in segments:
            following = node.below.get(segment)
            if following is None:
                return best
            node = following
            best = node.prefix or best
        return node.exact or best

    def taken(self, segments: Sequence[str], allows: Allows) -> Iterator[Taken]:
        """For each way in which rules split the requests of a template: who takes them, and an example."""
        waiting: list[tuple[_Node | None, int, Match | None, tuple[str, ...]]] = [(self._root, 0, None, ())]
        while waiting:
            node, index, best, so_far = waiting.pop()
            if node is None or index == len(segments):
                exact = None if node is None else node.exact
                own = None if node is None else node.prefix
                yield Taken(exact or own or best, so_far + tuple(segments[index:]))
                continue
            best = node.prefix or best
            segment = segments[index]
            if "{" in segment:
                waiting.extend(
                    (below, index + 1, best, (*so_far, literal))
                    for literal, below in node.below.items()
                    if literal != segment and allows(segment, literal)
                )
            waiting.append((node.below.get(segment), index + 1, best, (*so_far, segment)))

    def longer_than(self, match: Match) -> Iterator[Match]:
        """The matches whose path continues that of `match`, which must be one of the router's."""
        node = self._root
        for segment in match.segments:
            node = node.below[segment]
        waiting = list(node.below.values())
        while waiting:
            node = waiting.pop()
            yield from (found for found in (node.prefix, node.exact) if found is not None)
            waiting.extend(node.below.values())
