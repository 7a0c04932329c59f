"""The composed document that is on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem, Unusable
from gco_conformance.drift.readers.configuration import Configuration
from gco_conformance.drift.readers.service_documents import ENDINGS, read_service_file
from gco_conformance.drift.readers.text import shown
from gco_conformance.drift.service import Service


@dataclass(frozen=True)
class Published:
    """The composed document. `service` is its content, `None` where the file is missing."""

    file: str
    service: Service | None

    @property
    def document(self) -> Mapping[str, Any]:
        return {} if self.service is None else self.service.document

    def place(self, pointer: str) -> Place:
        return Place(self.file, pointer=pointer)


def read_published(root: Path, configuration: Configuration) -> tuple[Published | None, list[Problem]]:
    """The composed document, `None` where none is asked for or where it can't be used.

    A file that isn't there matters only if the configuration names it: not every repository composes.
    """
    output = configuration.output
    if not output.text:
        return None, []
    path = root / output.text
    if path.suffix not in ENDINGS:
        return None, [Problem(output.place, f"the composed document must be one of {', '.join(ENDINGS)}")]
    if not path.exists():
        return (Published(shown(path), None) if configuration.output_is_given else None), []
    try:
        return Published(shown(path), read_service_file("", path, written_by_people=False)), []
    except Unusable as error:
        return None, [error.problem]
