"""From pytest's items and exceptions to the report's values."""

from __future__ import annotations

import os
import platform
import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

import gco_conformance
from gco_conformance.adapters.answer import Identity
from gco_conformance.checkouts.case import Check
from gco_conformance.evidence.violation import NotTested, Violation
from gco_conformance.report.model import (
    CheckResult,
    Environment,
    Implementation,
    Kit,
    Report,
    RequirementResult,
    Run,
)
from gco_conformance.report.outcome import Outcome
from gco_conformance.report.verdicts import requirement_outcome
from gco_conformance.requirements import Requirement
from gco_conformance.suite.settings import EXAMPLES, Settings


def requirement_of(item: pytest.Item) -> str:
    """The one requirement that an item judges."""
    marker = item.get_closest_marker("requirement")
    return str(marker.args[0]) if marker else ""


def check_id(item: pytest.Item) -> str:
    """The check's id: that of its case, or the names of the module and the function that judge it."""
    case = _case(item)
    if case is not None:
        return case.id
    module = item.path.stem.removeprefix("test_")
    name, bracket, parameters = item.name.removeprefix("test_").partition("[")
    return f"{module}/{name}".replace("_", "-") + bracket + parameters


def check_result(
    item: pytest.Item, settings: Settings, error: BaseException | None, seconds: float
) -> CheckResult:
    """What a check that raised `error`, or nothing, found in `seconds`."""
    violation = error if isinstance(error, Violation) else None
    observation = violation.observation if violation else None
    requirement = requirement_of(item)
    return CheckResult(
        id=check_id(item),
        requirement=requirement,
        outcome=_outcome(error),
        seconds=seconds,
        message=_message(error),
        expected=violation.expected if violation else None,
        actual=violation.actual if violation else None,
        reproduction=observation.reproduction if observation else None,
        command=_command(requirement, settings) if violation else None,
        why=_why(item),
        location=f"{Path(item.location[0]).name}::{item.location[2]}",
    )


def not_run(item: pytest.Item, settings: Settings, reason: str) -> CheckResult:
    """The result of a check that the run didn't come to."""
    result = check_result(item, settings, None, 0.0)
    return CheckResult(**{**result.__dict__, "outcome": Outcome.ERROR, "message": reason})


def assemble(
    settings: Settings,
    said: Identity,
    results: Sequence[CheckResult],
    errors: tuple[str, ...],
    started: datetime,
    seconds: float,
) -> Report:
    """The report of a run, requirements in the catalogue's order and checks by id."""
    named = settings.implementation
    spec = "; ".join(filter(None, (named.composer, named.aggregator)))
    return Report(
        kit=Kit("gco-conformance", gco_conformance.__version__),
        implementation=Implementation(
            name=named.name or said.name or spec,
            version=named.version or said.version,
            language=named.language or said.language,
            url=named.url or said.homepage,
            spec=f"{spec} (unsealed)" if settings.unsealed else spec,
        ),
        environment=Environment(
            python=platform.python_version(),
            platform=platform.platform(),
            machine=platform.machine(),
            cpus=os.cpu_count() or 1,
        ),
        run=Run(
            seed=settings.seed,
            profile=settings.profile,
            jobs=settings.jobs,
            requirements=settings.patterns,
            started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=seconds,
        ),
        requirements=tuple(
            _requirement_result(requirement, settings, results) for requirement in settings.requirements
        ),
        errors=errors,
    )


def _requirement_result(
    requirement: Requirement, settings: Settings, results: Sequence[CheckResult]
) -> RequirementResult:
    own = sorted((r for r in results if r.requirement == requirement.id), key=lambda result: result.id)
    verdict = requirement_outcome(
        own,
        known_failure=settings.known_failures.get(requirement.id),
        unsupported=settings.unsupported.get(requirement.id),
    )
    return RequirementResult(
        id=requirement.id,
        component=requirement.component,
        profile=requirement.profile,
        level=requirement.level,
        title=requirement.title,
        sentence=requirement.sentence,
        outcome=verdict.outcome,
        reason=verdict.reason,
        issue=verdict.issue,
        checks=tuple(own),
    )


def _case(item: pytest.Item) -> Check | None:
    parameters = getattr(item, "callspec", None)
    case = parameters.params.get("check") if parameters else None
    return case if isinstance(case, Check) else None


def _why(item: pytest.Item) -> str | None:
    case = _case(item)
    if case is not None:
        return case.why
    docstring = getattr(getattr(item, "obj", None), "__doc__", None)
    return " ".join(docstring.split()) if docstring else None


def _outcome(error: BaseException | None) -> Outcome:
    if error is None:
        return Outcome.PASSED
    if isinstance(error, NotTested):
        return Outcome.NOT_TESTED
    return Outcome.FAILED if isinstance(error, Violation) else Outcome.ERROR


def _message(error: BaseException | None) -> str:
    if error is None:
        return ""
    if isinstance(error, (NotTested, Violation)):
        return str(error)
    return f"the kit broke: {type(error).__name__}: {error}"


def _command(requirement: str, settings: Settings) -> str:
    component = requirement.split(".")[0]
    spec = getattr(settings.implementation, component) or ""
    command = f"gco-conformance run --{component} {shlex.quote(spec)} --requirement {requirement}"
    command += "".join(f" --checkout {shlex.quote(directory)}" for directory in settings.checkouts)
    command += "" if settings.examples == EXAMPLES else f" --examples {settings.examples}"
    command += " --unsealed" if settings.unsealed and component == "aggregator" else ""
    return f"{command} --seed {settings.seed}"
