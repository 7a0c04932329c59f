"""Paths that are open to everybody who reaches the gateway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.project import Delivery, Project
from gco_conformance.drift.readers.configuration import Decision, Named
from gco_conformance.drift.rules.answers import rule_text
from gco_conformance.drift.rules.decisions import holds
from gco_conformance.drift.service import path_key
from gco_conformance.model.routing import segments

UNSERVED: Final = Rule(
    "unauthenticated.unserved",
    Severity.WARNING,
    "an unauthenticated path that doesn't exist",
    "404 today. Whatever a service serves there tomorrow is open without a signature, and nobody will be asked.",
    "Take the path out of unauthenticated_paths, or correct its spelling.",
)
OTHER_SERVICE: Final = Rule(
    "unauthenticated.other-service",
    Severity.ERROR,
    "an unauthenticated path that another service answers than the one recorded",
    "An answer without a signature from a service of which nobody decided that it may be asked without one.",
    "Give the path back to the recorded service, or record the new one in expected_winners.",
)
COVERS_MORE: Final = Rule(
    "unauthenticated.covers-more",
    Severity.ERROR,
    "an unauthenticated path that covers more than it says",
    "Requests get in without a signature that nobody meant: a template also matches other documented paths, and a "
    "path opens all of its methods, those that change something included.",
    "Name the paths that are meant one by one, and serve what changes something at a path of its own.",
)
RULES: Final = (UNSERVED, OTHER_SERVICE, COVERS_MORE)
_READING = frozenset({"get", "head", "options", "trace"})


def check(project: Project) -> Iterator[Finding]:
    if not project.manifest.complete:
        return
    decisions = {path_key(decision.path): decision for decision in project.configuration.decisions}
    for open_path in project.configuration.unauthenticated:
        deliveries = project.documented_by.get(path_key(open_path.text), ())
        delivered = [delivery for delivery in deliveries if delivery.delivered]
        decision = decisions.get(path_key(open_path.text))
        if not deliveries and not _answered(project, open_path):
            if not project.unreadable:
                yield _unserved(project, open_path)
        elif decision is not None and deliveries and not holds(project, decision):
            yield _other_service(project, open_path, decision)
        else:
            yield from _covers_more(project, open_path, delivered)


def _answered(project: Project, open_path: Named) -> bool:
    """Whether a template of the service that receives the path takes it, or that isn't known."""
    receiver = project.receiver(open_path.text)
    if receiver is not None and receiver.opaque:
        return True
    finder = None if receiver is None else project.finder(receiver.service)
    return finder is not None and finder.find(segments(open_path.text)) is not None


def _unserved(project: Project, open_path: Named) -> Finding:
    lost = segments(open_path.text)
    close = sorted(
        {
            delivery.documented.path
            for delivery in project.deliveries
            if delivery.delivered
            and lost
            and "{" not in delivery.documented.path
            and segments(delivery.documented.path)[-len(lost) :] == lost
        }
    )
    hint = f" ({close[0]} exists)" if len(close) == 1 else ""
    return Finding(
        UNSERVED,
        Subject(open_path.text),
        open_path.place,
        f"{open_path.text} is open without a signature, but no service behind the gateway documents it{hint}",
        "404 today; whatever a service serves there tomorrow is open",
        f"take {open_path.text} out of unauthenticated_paths, or correct it",
    )


def _other_service(project: Project, open_path: Named, decision: Decision) -> Finding:
    receiver = project.receiver(open_path.text)
    receiving = "nobody" if receiver is None else receiver.service or "nobody"
    related = [Related(decision.place, f"{decision.service} is recorded")]
    if receiver is not None:
        related.append(Related(receiver.place, f"{rule_text(receiver)} takes it"))
    return Finding(
        OTHER_SERVICE,
        Subject(open_path.text, decision.service),
        open_path.place,
        f"{open_path.text} is open without a signature for {decision.service}, and {receiving} receives it",
        f"an answer of {receiving} without a signature",
        f"route {open_path.text} to {decision.service} again, or record {receiving} in expected_winners",
        tuple(related),
    )


def _covers_more(project: Project, open_path: Named, delivered: list[Delivery]) -> Iterator[Finding]:
    said = {path_key(path.text) for path in project.configuration.unauthenticated}
    covered = [
        delivery
        for delivery in (project.deliveries if "{" in open_path.text else ())
        if delivery.delivered
        and delivery.documented.key not in said
        and _covers(open_path.text, delivery.documented.path)
    ]
    changing = sorted(
        {method.upper() for delivery in delivered for method in delivery.documented.methods} - _upper(_READING)
    )
    reading = any(_READING & set(delivery.documented.methods) for delivery in delivered)
    if covered:
        more = f" and {len(covered) - 1} more" if len(covered) > 1 else ""
        message = (
            f"{open_path.text} is open without a signature, and also takes {covered[0].documented.path}{more}"
        )
        client = f"{covered[0].documented.operations} may get in without a signature"
        related = covered
    elif reading and changing:
        methods = ", ".join(changing)
        message = f"{open_path.text} is open without a signature for reading, and so is {methods} {open_path.text}"
        client = f"{methods} {open_path.text} gets in without a signature"
        related = delivered
    else:
        return
    yield Finding(
        COVERS_MORE,
        Subject(open_path.text),
        open_path.place,
        message,
        client,
        "name the paths that are meant one by one, and serve what changes something at a path of its own",
        tuple(
            Related(delivery.service.place(delivery.documented.pointer), "this is open, too")
            for delivery in related[:5]
        ),
    )


def _covers(template: str, path: str) -> bool:
    own, other = segments(template), segments(path)
    return len(own) == len(other) and all(
        mine == theirs or "{" in mine for mine, theirs in zip(own, other, strict=True)
    )


def _upper(methods: frozenset[str]) -> set[str]:
    return {method.upper() for method in methods}
