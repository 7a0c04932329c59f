"""Components other than schemas that a composer wrote where they are used, so that nothing needs them."""

from __future__ import annotations

from typing import Any

from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.model.invariants import faithful
from gco_conformance.model.positions import COMPONENTS, every_object
from gco_conformance.model.references import Document, last_token, reference_of, unescaped

KINDS = COMPONENTS.keys() - {"schemas"}
"""The schemas of all services are in the document, used or not; other components come when they are needed."""


def inlined(document: Document, checkout: Checkout, pointer: str, wanted: Any, found: Any) -> bool:
    """Whether `found`, at `pointer`, isn't what was `wanted` for no other reason than that.

    A place inside a component may be missing with the whole component when nothing refers to it, also not by a
    name that no service gave it; and what is wanted as a reference to a component may stand there itself. Either
    must leave every operation with its meaning.
    """
    return (_left_out(document, checkout, pointer) or _written_out(wanted, found)) and not any(
        faithful(document, checkout)
    )


def _left_out(document: Document, checkout: Checkout, pointer: str) -> bool:
    group, kind, name, *_ = [*map(unescaped, pointer.split("/")[1:]), "", "", ""]
    if group != "components" or kind not in KINDS or name in document.get("components", {}).get(kind, {}):
        return False
    own = {key for service in checkout.services().values() for key in service.get("components", {}).get(kind, {})}
    return _referred_to(document, kind) <= own - {name}


def _referred_to(document: Document, kind: str) -> set[str]:
    """The names of the components of a kind that the document has references to."""
    references = [reference_of(node) for _, _, node in every_object(document)]
    return {last_token(each) for each in references if each and each.startswith(f"#/components/{kind}/")}


def _written_out(wanted: Any, found: Any) -> bool:
    reference = reference_of(wanted)
    whole = isinstance(found, dict) and reference_of(found) is None
    return whole and reference is not None and any(reference.startswith(f"#/components/{kind}/") for kind in KINDS)
