"""What a composed document says in words of the composer's own, where a case can't give the exact value."""

from __future__ import annotations

import json

import pytest

from gco_conformance.checkouts import samples
from gco_conformance.evidence.expectations import composed
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import Violation


@pytest.mark.requirement("composer.document.top-level")
def test_every_tag_is_described(composer: Subject) -> None:
    """A tag without a description is a heading without a text in everything that shows the document."""
    observation = composer.compose(samples.SHOP)
    tags = composed(observation, samples.SHOP_PATHS).get("tags")
    described = [
        tag["name"]
        for tag in (tags if isinstance(tags, list) else [])
        if isinstance(tag, dict) and "name" in tag and str(tag.get("description") or "").strip()
    ]
    if described != ["catalogue", "orders"]:
        raise Violation(
            "the document hasn't one described tag for each backend, sorted",
            expected=["catalogue", "orders"],
            actual=tags,
            observation=observation,
        )


@pytest.mark.requirement("composer.document.replaced-security")
def test_replaced_security_is_told(composer: Subject) -> None:
    """Who reads that a path needs the gateway's signature must learn that the service wanted a token, too.

    The contract gives no form: compared with a twin whose services have no security, `x-gco-source` must say
    something more, in which the service is named.
    """
    twin = composer.compose(samples.SHOP)
    without = _source(twin, composed(twin, samples.SHOP_PATHS))
    for checkout in (samples.SHOP_WITH_A_SCHEME, samples.SHOP_WITH_SECURITY):
        observation = composer.compose(checkout)
        told = _source(observation, composed(observation, samples.SHOP_PATHS))
        if told.count("orders") <= without.count("orders") or told.count("catalogue") > without.count("catalogue"):
            raise Violation(
                "x-gco-source doesn't say whose security was replaced",
                expected="x-gco-source says more than without security, naming orders and no other service",
                actual=told,
                observation=observation,
            )


def _source(observation: Observation, document: dict[str, object]) -> str:
    source = document.get("x-gco-source")
    if not isinstance(source, dict):
        raise Violation("there is no x-gco-source", actual=source, observation=observation)
    return json.dumps(source, sort_keys=True)
