"""Writing the first configuration."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gco_conformance.drift.discovery.proposal import as_yaml, propose
from gco_conformance.drift.discovery.repository import look_at
from gco_conformance.drift.readers.configuration import FILE
from gco_conformance.drift.readers.text import shown
from gco_conformance.errors import UsageError


def initialise(root: Path, *, force: bool) -> int:
    """Look at `root` and write its configuration. Asks only people. Raises `UsageError`."""
    if not root.is_dir():
        raise UsageError(f"{root} is not a directory")
    path = root / FILE
    if path.exists() and not force:
        raise UsageError(f"{shown(path)} exists", "--force replaces it")
    repository = look_at(root)
    if not repository.manifests:
        raise UsageError(f"there is no HTTPRoute below {root}", _way_out(repository.templates))
    text = as_yaml(propose(repository, _ask if _is_somebody_there() else _leave))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from None
    print(text, end="")
    print(f"{shown(path)}: written; 'gco-conformance drift {root}' compares what it names")
    return 0


def _way_out(templates: Sequence[str]) -> str:
    if templates:
        return (
            f"{templates[0]} is a template: pipe 'helm template' into "
            "'gco-conformance drift --manifest - --service NAME=FILE'"
        )
    return "name another directory"


def _is_somebody_there() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty() and not os.environ.get("CI")


def _leave(_backend: str, _documents: Sequence[str]) -> str | None:
    return None


def _ask(backend: str, documents: Sequence[str]) -> str | None:
    print(f"Which document describes {backend}?")
    for number, document in enumerate(documents, 1):
        print(f"  {number}  {document}")
    try:
        answer = input("number, or nothing for none: ").strip()
    except EOFError:
        return None
    return documents[int(answer) - 1] if answer.isdigit() and 0 < int(answer) <= len(documents) else None
