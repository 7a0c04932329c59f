"""Whether two parts of two documents say the same, references followed: the quick answer for most operations."""

from __future__ import annotations

from typing import Any, Final

from gco_conformance.model.references import Dangling, Document, resolve

_MISSING: Final = object()


class Sameness:
    """Compares parts of two documents as JSON values, in which a reference stands for what it leads to.

    Everything that looks like a reference counts as one, wherever it stands. Pairs of references that were found
    to lead to the same aren't followed again; within one comparison they count as the same until they differ.
    """

    def __init__(self, old: Document, new: Document) -> None:
        self._old = old
        self._new = new
        self._same: set[tuple[str, str]] = set()

    def same(self, old: Any, new: Any) -> bool:
        """Whether both say the same. References that lead nowhere say nothing."""
        met: set[tuple[str, str]] = set()
        try:
            found = self._compare(old, new, met)
        except (Dangling, RecursionError):
            return False
        if found:
            self._same |= met
        return found

    def _compare(self, old: Any, new: Any, met: set[tuple[str, str]]) -> bool:
        kind = type(old)
        if kind is not type(new):
            # 1 and 1.0 are the same number, True is none.
            return kind is not bool and type(new) is not bool and bool(old == new)
        if kind is dict:
            return len(old) == len(new) and self._objects(old, new, met)
        if kind is list:
            return len(old) == len(new) and all(
                self._compare(own, other, met) for own, other in zip(old, new, strict=True)
            )
        return bool(old == new)

    def _objects(self, old: dict[str, Any], new: dict[str, Any], met: set[tuple[str, str]]) -> bool:
        for key, value in old.items():
            other = new.get(key, _MISSING)
            if type(value) is str and type(other) is str:
                if key == "$ref":
                    if not self._references(value, other, met):
                        return False
                elif value != other:
                    return False
            elif not self._compare(value, other, met):
                return False
        return True

    def _references(self, old: str, new: str, met: set[tuple[str, str]]) -> bool:
        pair = (old, new)
        if pair in self._same or pair in met:
            return True
        if not old.startswith("#/") or not new.startswith("#/"):
            return old == new
        met.add(pair)
        return self._compare(resolve(self._old, old), resolve(self._new, new), met)
