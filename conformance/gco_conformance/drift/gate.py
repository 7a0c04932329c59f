"""One run of the gate: read everything, find what is wrong, leave out what is suppressed or known."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Final

from gco_conformance.drift import rules
from gco_conformance.drift.baseline import split
from gco_conformance.drift.finding import Finding, Severity
from gco_conformance.drift.gateway_api import Manifest
from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem, Unusable
from gco_conformance.drift.project import Project
from gco_conformance.drift.readers import configuration as configurations
from gco_conformance.drift.readers.configuration import Configuration, Named, ServiceEntry
from gco_conformance.drift.readers.manifests import read_manifests
from gco_conformance.drift.readers.published import read_published
from gco_conformance.drift.readers.service_documents import read_services
from gco_conformance.drift.readers.text import read_text, shown
from gco_conformance.drift.report import Checked, Report, Suppressed
from gco_conformance.drift.rules import suppressions
from gco_conformance.drift.service import Places, Service
from gco_conformance.errors import UsageError

SECONDS: Final = 5.0
COMMAND_LINE: Final = Place("--service")


@dataclass(frozen=True)
class Request:
    """What to check. Files of the configuration are relative to `root`, the others to the working directory."""

    root: Path
    configuration: Path | None = None
    """Instead of the one at the root."""
    manifests: tuple[str, ...] = ()
    """Instead of those of the configuration; "-" is standard input."""
    services: Mapping[str, str] = field(default_factory=dict)
    """Instead of or beside those of the configuration: a URL or a file for each name."""
    seconds: float = SECONDS
    """How long running services may take, all together."""
    fail_on: Severity = Severity.ERROR
    baseline: Counter[str] = field(default_factory=Counter)


def run(request: Request, today: date) -> Report:
    """The report on a checkout. Raises `UsageError` where there is nothing to check."""
    # Documents are large trees without cycles: looking for garbage in them is half of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _run(request, today)
    finally:
        if collecting:
            gc.enable()


def read(request: Request) -> tuple[Project, list[Problem]]:
    """All that is to be compared, and what can't be. Raises `UsageError` where there is nothing."""
    configuration, problems = _configuration(request)
    manifest, more = _manifests(request, configuration)
    # A configuration that can't be read names nothing; that is said already.
    problems += more if configuration.manifests or request.manifests or not problems else []
    services, unreadable, more = read_services(request.root, configuration, _live(request))
    problems += more
    published, more = read_published(request.root, configuration)
    problems += more
    return Project(configuration, manifest, services, unreadable, published), problems


def _run(request: Request, today: date) -> Report:
    project, problems = read(request)
    found = rules.find(project)
    files = _relative_files(found, request.root)
    reported, hidden, wrong = suppressions.apply(project.configuration.suppressions, found, today, files)
    if problems:
        # What couldn't be read may be what a suppression is for.
        wrong = [finding for finding in wrong if finding.rule is not suppressions.UNMATCHED]
    new, known, gone = split([*reported, *wrong], request.baseline)
    readable = [*project.services.values()]
    if project.published is not None and project.published.service is not None:
        readable.append(project.published.service)
    return Report(
        findings=tuple(sorted(_located(new, readable), key=_order)),
        problems=tuple(problems),
        checked=Checked(
            services=len(project.services),
            paths=sum(len(service.paths) for service in project.services.values()),
            rules=sum(len(route.rules) for route in project.manifest.routes),
        ),
        suppressed=tuple(Suppressed(finding, suppression.reason) for finding, suppression in hidden),
        known=tuple(known),
        gone=gone,
        fail_on=request.fail_on,
        directory=Path.cwd().as_uri() + "/",
    )


def _configuration(request: Request) -> tuple[Configuration, list[Problem]]:
    path = request.configuration or request.root / configurations.FILE
    if not request.root.is_dir():
        raise UsageError(f"{request.root} is not a directory", "name the root of a checkout")
    configuration, problems = _read_configuration(request, path)
    listed = {entry.name for entry in configuration.services}
    added = [ServiceEntry(name, "", COMMAND_LINE) for name in request.services if name not in listed]
    return replace(configuration, services=(*configuration.services, *added)), problems


def _read_configuration(request: Request, path: Path) -> tuple[Configuration, list[Problem]]:
    if request.configuration is None and request.manifests and request.services and not path.exists():
        # The command line says all that a configuration must.
        return Configuration(Place(shown(path))), []
    try:
        return configurations.read_configuration(read_text(path), shown(path))
    except Unusable as error:
        hint = f"'gco-conformance drift init {request.root}' writes one"
        raise UsageError(str(error.problem), hint) from None


def _manifests(request: Request, configuration: Configuration) -> tuple[Manifest, list[Problem]]:
    if request.manifests:
        named = tuple(Named(text, Place("--manifest")) for text in request.manifests)
        return read_manifests(Path(), named)
    if not configuration.manifests:
        problem = Problem(configuration.place, "names no 'manifest'", "name the file with the HTTPRoute")
        return Manifest(complete=False), [problem]
    return read_manifests(request.root, configuration.manifests)


def _live(request: Request) -> Mapping[str, Service | Problem]:
    if not request.services:
        return {}
    # Only who asks for running services pays for loading an HTTP client.
    from gco_conformance.drift.readers.live import read_live

    return read_live(request.services, request.seconds)


def _relative_files(findings: Iterable[Finding], root: Path) -> dict[str, str]:
    """The files of the findings' places as they are called in the checkout."""
    prefix = shown(root)
    return {
        name: name.removeprefix(f"{prefix}/") if prefix != "." else name
        for name in {finding.place.file for finding in findings}
    }


def _located(findings: Sequence[Finding], services: Iterable[Service]) -> list[Finding]:
    """The findings with the lines of their places: only now is it known which ones are needed."""
    documents: dict[str, Places] = {service.file: service.places for service in services}
    pointers: dict[str, set[str]] = {}
    for finding in findings:
        for place in (finding.place, *(related.place for related in finding.related)):
            if place.pointer and place.line is None and place.file in documents:
                pointers.setdefault(place.file, set()).add(place.pointer)
    lines = {file: documents[file](wanted) for file, wanted in pointers.items()}

    def located(place: Place) -> Place:
        line, column = lines.get(place.file, {}).get(place.pointer, (place.line, place.column))
        return replace(place, line=line, column=column)

    return [
        replace(
            finding,
            place=located(finding.place),
            related=tuple(replace(related, place=located(related.place)) for related in finding.related),
        )
        for finding in findings
    ]


def _order(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.place
    return place.file, place.line or 0, place.column or 0, finding.rule.id
