"""What must be true of an observation. Each function raises `Violation` when it isn't."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gco_conformance.adapters.answer import Ending
from gco_conformance.checkouts.case import Expectation, Refusal
from gco_conformance.evidence.inlining import inlined
from gco_conformance.evidence.observation import ERROR, Observation
from gco_conformance.evidence.violation import Violation
from gco_conformance.model.document_shape import ill_shaped
from gco_conformance.model.faithfulness import MISSING, schemas_differ
from gco_conformance.model.invariants import INVARIANTS, as_text
from gco_conformance.model.json_equality import equal
from gco_conformance.model.positions import METHODS
from gco_conformance.model.references import Dangling, at, reference_of, resolve, spelled_alike

_JOINED = r"\W{0,3}(?:(?:number|no|nr|index|position|entry|item|line)\W{1,3})?"
_SHOWN = 1000
_REFUSAL = "exit status 2, one line `ERROR: …` on stderr, nothing written"


def composed(observation: Observation, paths: Iterable[str]) -> dict[str, Any]:
    """The composed document, which must be there with `paths` in it: the control that each check begins with.

    It asks for no more than that, so that a composer with one fault fails the requirement concerned and not
    every other, and for no less, so that one that writes nothing, anything, or some service's own document
    passes nothing.
    """
    document = observation.document
    if observation.answer.ending is not Ending.EXITED or observation.answer.exit != 0:
        raise Violation(
            "a checkout that can be composed wasn't",
            expected=f"exit status 0, and {observation.checkout.output} written",
            actual=observation.summary(),
            observation=observation,
        )
    if observation.output is None:
        raise Violation(
            "success was reported but nothing was written",
            expected=f"{observation.checkout.output} written",
            actual=observation.summary(),
            observation=observation,
        )
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise Violation(
            f"{observation.checkout.output} isn't an OpenAPI document with paths",
            expected="a JSON object with a member `paths`",
            actual=observation.summary(),
            observation=observation,
        )
    misshapen = ill_shaped(document)
    # What a service's own document has of another shape is passed on as it is, like all that it has.
    if misshapen is not None and not any(map(ill_shaped, observation.checkout.services().values())):
        place, wanted = misshapen
        raise Violation(
            f"{observation.checkout.output} isn't an OpenAPI document: {place} isn't {wanted}",
            expected=f"{wanted} at {place}",
            actual=as_text(at(document, place))[:_SHOWN],
            observation=observation,
        )
    missing = sorted(set(paths) - document["paths"].keys())
    if missing:
        raise Violation(
            "the composed document lacks paths that this check wants in it",
            expected=sorted(paths),
            actual=sorted(document["paths"]),
            observation=observation,
        )
    return document


def refused(observation: Observation, refusal: Refusal) -> None:
    """The checkout was refused: an error line that says why, an exit status other than 0, and no crash.

    The form of a refusal is a requirement of its own, `refused_in_form`: a composer that refuses with another
    exit status is told so once, and not by every requirement that something be refused.
    """
    if not observation.is_refusal:
        accepted = observation.answer.exit == 0 and observation.output is not None
        raise Violation(
            "a checkout that can't be composed was accepted"
            if accepted
            else "a checkout that can't be composed wasn't refused cleanly",
            expected=_REFUSAL,
            actual=observation.summary(),
            observation=observation,
        )
    mentions(observation, " ".join(observation.error_lines()), refusal)


def refused_in_form(observation: Observation, twin: Observation) -> None:
    """A checkout that was refused was so with exit status 2, one line on stderr, and nothing written.

    `twin` is what was seen of the same checkout without the fault: what it printed on stderr is the
    implementation's usual noise and no part of the refusal.
    """
    if observation.answer.exit != 2:
        raise Violation(
            "a refusal has another exit status",
            expected=_REFUSAL,
            actual=observation.summary(),
            observation=observation,
        )
    if observation.output is not None or observation.changed:
        raise Violation(
            "a refusal wrote files",
            expected="nothing written",
            actual=[*observation.changed, *([observation.checkout.output] if observation.output else [])],
            observation=observation,
        )
    noise = set(twin.answer.stderr.splitlines())
    said = [line for line in observation.answer.stderr.splitlines() if line.strip() and line not in noise]
    if len(said) != 1 or not said[0].removeprefix(ERROR).strip():
        raise Violation(
            "a refusal isn't one line on stderr",
            expected="one line that begins with `ERROR: ` and says what is wrong",
            actual=observation.answer.stderr or "nothing on stderr",
            observation=observation,
        )


def mentions(observation: Observation, line: str, refusal: Refusal) -> None:
    """The refusing line names what the contract wants it to name."""
    text = line.lower()
    for alternatives in refusal.mentions:
        if not any(_mentioned(alternative.lower(), text) for alternative in alternatives):
            raise Violation(
                "the refusal doesn't say what is wrong",
                expected=f"a line that mentions {' or '.join(alternatives)}",
                actual=line,
                observation=observation,
            )
    position = -1
    for name in refusal.in_order:
        position = text.find(name.lower(), position + 1)
        if position < 0:
            raise Violation(
                "the refusal doesn't list all names in order",
                expected=", ".join(refusal.in_order),
                actual=line,
                observation=observation,
            )


def _mentioned(words: str, text: str) -> bool:
    """Whether the text has the words in it; a number counts as a whole only, since 12 doesn't say 2.

    A word and its number may be joined as people and programs join them: `rule 2` is also said by `rules[2]`,
    `rule #2`, `rule number 2` and `Rule (no. 2)`, and `routes.yaml 7` by `routes.yaml:7`.
    """
    word, _, number = words.rpartition(" ")
    if not number.isdecimal():
        return words in text
    before = rf"{re.escape(word)}s?{_JOINED}" if word else r"(?<!\d)"
    return re.search(rf"{before}{number}(?!\d)", text) is not None


def meets(observation: Observation, document: dict[str, Any], expectation: Expectation) -> None:
    """The composed document says what `expectation` wants."""
    plain = spelled_alike(document)
    for pointer, value in expectation.equals:
        found = _found(plain, pointer)
        if not equal(found, value) and not inlined(plain, observation.checkout, pointer, value, found):
            raise Violation(
                f"{pointer} of the composed document is wrong",
                expected=value,
                actual=as_text(found) if found is MISSING else found,
                observation=observation,
            )
    for pointer, value in expectation.means:
        difference = schemas_differ(plain, value, _found(plain, pointer), pointer)
        if difference is not None:
            raise Violation(
                f"{pointer} of the composed document means something else: {difference.place}",
                expected=as_text(difference.expected),
                actual=as_text(difference.actual),
                observation=observation,
            )
    for pointer in expectation.absent:
        try:
            found = at(document, pointer)
        except Dangling:
            continue
        raise Violation(
            f"{pointer} of the composed document shouldn't be there",
            expected="nothing there",
            actual=found,
            observation=observation,
        )
    if expectation.operations is not None and operations(document) != expectation.operations:
        raise Violation(
            "the composed document hasn't the operations that the gateway delivers",
            expected=sorted(expectation.operations),
            actual=sorted(operations(document)),
            observation=observation,
        )
    for pointer, names in expectation.says:
        found = _named(document, pointer)
        if found != names:
            raise Violation(
                f"{pointer} of the composed document names other services",
                expected=sorted(names),
                actual=sorted(found),
                observation=observation,
            )
    for name in expectation.holds:
        for breach in INVARIANTS[name](document, observation.checkout):
            raise Violation(
                breach.message, expected=breach.expected, actual=breach.actual, observation=observation
            )


def _found(document: dict[str, Any], pointer: str) -> Any:
    try:
        return at(document, pointer)
    except Dangling:
        return MISSING


def operations(document: dict[str, Any]) -> frozenset[str]:
    """The operations of a document, as `GET /path`, those of path items behind a reference included."""
    found = set()
    for path, item in document["paths"].items():
        while isinstance(item, dict) and (reference := reference_of(item)) is not None:
            try:
                item = {**resolve(document, reference), **{k: v for k, v in item.items() if k != "$ref"}}
            except Dangling:
                break
        if isinstance(item, dict) and not path.startswith("x-"):
            found |= {f"{method.upper()} {path}" for method in METHODS & item.keys()}
    return frozenset(found)


def _named(document: dict[str, Any], pointer: str) -> frozenset[str]:
    """The services that a container names: the keys of a mapping, the items of a list or their `service`."""
    try:
        container = at(document, pointer)
    except Dangling:
        return frozenset()
    if isinstance(container, dict):
        return frozenset(container)
    items = container if isinstance(container, list) else []
    return frozenset(
        str(item.get("service", item.get("name"))) if isinstance(item, dict) else str(item) for item in items
    )
