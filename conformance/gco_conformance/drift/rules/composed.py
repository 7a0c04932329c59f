"""The composed document on disk, against what the gateway exposes now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.diff.surfaces import differences
from gco_conformance.drift.finding import Finding, Rule, Severity, Subject
from gco_conformance.drift.project import Project

MISSING: Final = Rule(
    "document.missing",
    Severity.ERROR,
    "the composed document isn't there",
    "No description of the gateway: clients, mocks and portals that are made from it have nothing to read.",
    "Compose the document and commit it, or name the right file in output.",
)
STALE: Final = Rule(
    "document.stale",
    Severity.ERROR,
    "the composed document says something else than manifest and services",
    "What the differences say: operations that answer 404, others that nobody knows, requests and answers of "
    "another form. Breaking ones make clients fail that rely on the document.",
    "Compose the document anew. If a breaking difference isn't meant, mend the service or the rule instead.",
)
RULES: Final = (MISSING, STALE)


def check(project: Project) -> Iterator[Finding]:
    published = project.published
    if published is None:
        return
    output = project.configuration.output
    if published.service is None:
        yield Finding(
            MISSING,
            Subject(),
            output.place,
            f"there is no composed document {published.file}",
            "nothing describes what the gateway exposes",
            f"compose {published.file} and commit it, or say 'output: null' if nothing is composed",
        )
        return
    if not project.manifest.complete:
        return
    found = differences(project, published.document)
    if found:
        breaking = sum(difference.change.breaking for difference in found)
        operations = len({difference.change.operation for difference in found})
        first = next((difference for difference in found if difference.change.breaking), found[0])
        yield Finding(
            STALE,
            Subject(),
            published.place(first.pointer),
            f"the composed document is stale: {len(found)} {_plural('difference', len(found))} in {operations} "
            f"{_plural('operation', operations)}, {breaking} breaking",
            f"for example, {first.change.operation} {first.change.what}",
            f"compose {published.file} anew" + (", once it is meant that clients break" if breaking else ""),
            changes=tuple(difference.change for difference in found),
        )


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
