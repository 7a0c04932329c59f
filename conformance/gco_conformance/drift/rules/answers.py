"""What a client would see, and how rules are called in messages."""

from __future__ import annotations

from gco_conformance.drift.gateway_api import Match
from gco_conformance.drift.project import Project
from gco_conformance.drift.service import Documented, Service
from gco_conformance.drift.templates import Parameters
from gco_conformance.model.routing import segments


def rule_text(match: Match) -> str:
    """Such as "the rule /jobs"."""
    if match.catches_all:
        return "the catch-all rule /"
    return f"the rule {match.path}" + (" (Exact)" if match.exact else "")


def example(service: Service, documented: Documented, taken: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The segments of a request for a documented path; `taken` gives some of them."""
    parameters = Parameters(service.document, documented)
    return tuple(
        parameters.example(segment) if "{" in segment else segment
        for segment in taken or segments(documented.path)
    )


def answer(project: Project, receiver: Match | None, documented: Documented, path: tuple[str, ...]) -> str:
    """What comes back for `path`, a request of the documented path, from the Service that gets it."""
    if receiver is None:
        return "404 from the gateway itself: no rule takes it"
    if not receiver.service:
        return "500 from the gateway: the rule that takes it leads nowhere"
    finder = project.finder(receiver.service)
    if finder is None or receiver.opaque:
        return f"whatever {receiver.service} answers: its document isn't known"
    found = finder.find(path)
    if found is None:
        return f"404 from {receiver.service}, which has no such path"
    missing = [method.upper() for method in documented.methods if method not in found.methods]
    if missing and len(missing) == len(documented.methods):
        return f"405 from {receiver.service}, whose {found.path} has no {' and no '.join(missing)}"
    own = f"the answer of {receiver.service}'s own {found.path}"
    return f"{own}, and 405 for {', '.join(missing)}" if missing else own
