"""Recorded decisions (`expected_winners`) about paths that several services document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.project import Project
from gco_conformance.drift.readers.configuration import Decision
from gco_conformance.drift.rules.answers import answer, example, rule_text
from gco_conformance.drift.service import path_key

BROKEN: Final = Rule(
    "decision.broken",
    Severity.ERROR,
    "a recorded decision that no longer holds",
    "The path is answered by another service than the one that somebody chose, or by one that no longer has it.",
    "Give the path back to the service that was chosen, or record the new decision with its reason.",
)
UNSERVED: Final = Rule(
    "decision.unserved",
    Severity.WARNING,
    "a recorded decision about a path that nobody serves any more",
    "Nothing yet. The entry misleads its readers, and hides the question when a service takes up the path again.",
    "Delete the entry.",
)
RULES: Final = (BROKEN, UNSERVED)


def check(project: Project) -> Iterator[Finding]:
    if not project.manifest.complete:
        return
    unauthenticated = {path_key(path.text) for path in project.configuration.unauthenticated}
    for decision in project.configuration.decisions:
        deliveries = project.documented_by.get(path_key(decision.path), ())
        if not deliveries:
            if not project.unreadable:
                yield _unserved(decision)
        elif path_key(decision.path) not in unauthenticated or holds(project, decision):
            yield from _broken(project, decision)


def holds(project: Project, decision: Decision) -> bool:
    """Whether the recorded service receives the path."""
    receiver = project.receiver(decision.path)
    return receiver is not None and (receiver.service == decision.service or receiver.opaque)


def _unserved(decision: Decision) -> Finding:
    return Finding(
        UNSERVED,
        Subject(decision.path, decision.service),
        decision.place,
        f"{decision.path} is meant for {decision.service}, but no service behind the gateway has it any more",
        "nothing different; the entry is only misleading",
        f"delete {decision.path} from expected_winners",
    )


def _broken(project: Project, decision: Decision) -> Iterator[Finding]:
    """Found at the decision, and only there: what it says about the path's other services goes without saying."""
    deliveries = project.documented_by[path_key(decision.path)]
    receiver = project.receiver(decision.path)
    documenting = next((own for own in deliveries if own.service.name == decision.service), deliveries[0])
    documented = documenting.documented
    client = answer(project, receiver, documented, example(documenting.service, documented))
    if not holds(project, decision):
        receiving = "nobody" if receiver is None else receiver.service or "nobody"
        by = "no rule matches it" if receiver is None else f"{rule_text(receiver)} decides"
        message = f"{decision.path} is meant for {decision.service}, and {receiving} receives it: {by}"
        mend = f"route {decision.path} to {decision.service} again, or record the new decision and its reason"
    elif decision.service in project.services and documenting.service.name != decision.service:
        message = (
            f"{decision.path} is meant for {decision.service}, which receives it and documents it no more; "
            f"{documenting.service.name} does"
        )
        mend = f"route {decision.path} to {documenting.service.name} and record that, or serve it again"
    else:
        return
    related = [] if receiver is None else [Related(receiver.place, f"{rule_text(receiver)} takes it")]
    related.append(Related(documenting.service.place(documented.pointer), "the path is documented here"))
    subject = Subject(decision.path, decision.service)
    yield Finding(BROKEN, subject, decision.place, message, client, mend, tuple(related))
