"""Documented paths that don't arrive where they are documented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gco_conformance.drift.finding import Finding, Related, Rule, Severity, Subject
from gco_conformance.drift.gateway_api import Match
from gco_conformance.drift.project import Delivery, Project
from gco_conformance.drift.rules.answers import answer, example, rule_text
from gco_conformance.drift.rules.mending import mend_delivery

NOT_DELIVERED: Final = Rule(
    "route.not-delivered",
    Severity.ERROR,
    "a documented path that its service never receives",
    "The path is documented, yet a rule gives it to another Service. Usually that one answers 404; manifest and "
    "documents are each valid, and only comparing them shows it.",
    "Add a rule for the path, point the rule that takes it at the right Service, or take the path out of the "
    "document.",
    ("https://gateway-api.sigs.k8s.io/reference/spec/#httppathmatch",),
)
NO_MATCH: Final = Rule(
    "route.no-match",
    Severity.ERROR,
    "a documented path that no rule matches",
    "404 from the gateway itself, before any service is asked.",
    "Add a rule for the path, or take the path out of the document.",
    ("https://gateway-api.sigs.k8s.io/reference/spec/#httproutespec",),
)
CONTESTED: Final = Rule(
    "route.contested",
    Severity.ERROR,
    "a path that several services document, without a decision who is meant",
    "The answer of whichever service the rules happen to choose; the next change of a rule may choose another.",
    "Record who is meant in expected_winners, or take the path out of the other documents.",
)
PARTLY_SHADOWED: Final = Rule(
    "route.partly-shadowed",
    Severity.WARNING,
    "an operation of which a more specific rule takes some requests",
    "Nearly all requests arrive, and those with one particular parameter value go to another Service: the job "
    "that is called 'archive' can't be fetched.",
    "Move one of the two below another prefix, or exclude the value in the parameter's schema (enum, pattern).",
    ("https://gateway-api.sigs.k8s.io/reference/spec/#httprouterule",),
)
RULES: Final = (NOT_DELIVERED, NO_MATCH, CONTESTED, PARTLY_SHADOWED)


def check(project: Project) -> Iterator[Finding]:
    """Findings by service and path. Paths about which a decision is recorded are the decisions' business."""
    if not project.manifest.complete:
        return
    contested: set[str] = set()
    for delivery in project.deliveries:
        key = delivery.documented.key
        if delivery.delivered:
            yield from _partly_shadowed(project, delivery)
        elif key in project.decided or delivery.service.name in project.uncertain:
            continue
        elif delivery.receiver is None:
            yield _no_match(project, delivery)
        elif delivery.receiver.opaque:
            continue
        elif any(other.delivered for other in project.documented_by[key]):
            if key not in contested:
                contested.add(key)
                yield _contested(project, delivery)
        else:
            yield _not_delivered(project, delivery, delivery.receiver)


def _no_match(project: Project, delivery: Delivery) -> Finding:
    documented, service = delivery.documented, delivery.service
    return Finding(
        NO_MATCH,
        Subject(documented.path, service.name),
        service.place(documented.pointer),
        f"{documented.operations} of {service.name} never arrives: no rule matches it",
        answer(project, None, documented, ()),
        mend_delivery(project, delivery),
    )


def _not_delivered(project: Project, delivery: Delivery, receiver: Match) -> Finding:
    documented, service = delivery.documented, delivery.service
    receiving = receiver.service or "nobody"
    return Finding(
        NOT_DELIVERED,
        Subject(documented.path, service.name),
        service.place(documented.pointer),
        f"{documented.operations} of {service.name} never arrives: {rule_text(receiver)} gives it to {receiving}",
        answer(project, receiver, documented, example(service, documented)),
        mend_delivery(project, delivery),
        (Related(receiver.place, f"{rule_text(receiver)} takes it"),),
    )


def _contested(project: Project, delivery: Delivery) -> Finding:
    documented, service = delivery.documented, delivery.service
    winner = next(other for other in project.documented_by[documented.key] if other.delivered)
    names = [other.service.name for other in project.documented_by[documented.key]]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    related = [Related(winner.service.place(winner.documented.pointer), f"{winner.service.name} receives it")]
    if winner.receiver is not None:
        related.append(Related(winner.receiver.place, f"{rule_text(winner.receiver)} decides"))
    return Finding(
        CONTESTED,
        Subject(documented.path),
        service.place(documented.pointer),
        f"{documented.path} is documented by {listed}, and nothing says who is meant; "
        f"{winner.service.name} receives it",
        f"for what {service.name} documents: "
        + answer(project, winner.receiver, documented, example(service, documented)),
        f"expected_winners: {{{documented.path}: {{service: {winner.service.name}, reason: …}}}} in "
        f"{project.configuration.place.file}, or take it out of {service.file}",
        tuple(related),
    )


def _partly_shadowed(project: Project, delivery: Delivery) -> Iterator[Finding]:
    astray = [
        taken
        for taken in delivery.taken
        if taken.match is not None and taken.match.service != delivery.service.name and not taken.match.opaque
    ]
    if not astray:
        return
    documented, service = delivery.documented, delivery.service
    astray.sort(key=lambda taken: (taken.match is None or taken.match.path, taken.segments))
    first, takers = astray[0], list({id(taken.match): taken.match for taken in astray}.values())
    assert first.match is not None
    path = example(service, documented, first.segments)
    request = f"{documented.methods[0].upper() if documented.methods else 'GET'} /{'/'.join(path)}"
    more = f", and {len(takers) - 1} more rules take others" if len(takers) > 1 else ""
    yield Finding(
        PARTLY_SHADOWED,
        Subject(documented.path, service.name),
        service.place(documented.pointer),
        f"{documented.operations} of {service.name} is partly shadowed: {request} goes to "
        f"{first.match.service or 'nobody'} by {rule_text(first.match)}{more}",
        f"for {request}: " + answer(project, first.match, documented, path),
        f"move {first.match.path} or {documented.path} below another prefix, or exclude the value in the "
        "parameter's schema; if it is meant, suppress this finding with the reason",
        tuple(Related(taker.place, f"{rule_text(taker)} takes it") for taker in takers[:5] if taker is not None),
    )
