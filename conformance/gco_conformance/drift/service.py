"""A service as its OpenAPI document shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gco_conformance.drift.place import Place

_PARAMETER = re.compile(r"\{[^{}]*\}")
Places = Callable[[Iterable[str]], Mapping[str, tuple[int, int]]]
"""Line and column of what each of several JSON Pointers leads to, where it leads somewhere."""


@dataclass(frozen=True)
class Documented:
    """A path that a service documents, as clients of the gateway see it."""

    path: str
    """With the base path of the document's server."""
    pointer: str
    methods: tuple[str, ...]
    """In lower case, in the order of the alphabet."""
    item: Mapping[str, Any]
    """The path item, with what it refers to."""

    @property
    def key(self) -> str:
        """Equal for templates that differ only in the names of their parameters."""
        return path_key(self.path)

    @property
    def operations(self) -> str:
        """Such as "GET, POST /jobs"."""
        methods = ", ".join(method.upper() for method in self.methods)
        return f"{methods} {self.path}" if methods else self.path


@dataclass(frozen=True)
class Service:
    """A service whose document was read."""

    name: str
    file: str
    document: Mapping[str, Any]
    paths: tuple[Documented, ...]
    places: Places = field(compare=False, repr=False)

    def place(self, pointer: str) -> Place:
        """A place in the document whose line is looked up when it is shown."""
        return Place(self.file, pointer=pointer)


def path_key(path: str) -> str:
    """The path with the names of its parameters left out."""
    return _PARAMETER.sub("{}", path)
