"""The JSON Schema dialect of the documents: one composed document has one."""

from __future__ import annotations

from collections.abc import Iterable

from gco_reference.composer.documents import Document
from gco_reference.composer.errors import ComposeError


def common_dialect(documents: Iterable[Document]) -> str | None:
    """The `jsonSchemaDialect` that all documents state; `None` when none does, and OpenAPI's own is meant."""
    stated: dict[str | None, str] = {}
    for document in documents:
        dialect = document.tree.get("jsonSchemaDialect")
        if dialect is not None and not isinstance(dialect, str):
            raise document.error("jsonSchemaDialect must be text")
        stated.setdefault(dialect, document.file)
    if len(stated) > 1:
        listed = ", ".join(f"{file} states {dialect or 'none'}" for dialect, file in stated.items())
        raise ComposeError(f"documents of several JSON Schema dialects can't be mixed: {listed}")
    return next(iter(stated), None)
