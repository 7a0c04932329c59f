"""An aggregator with one fault fails the requirement concerned, and no other that doesn't follow from it.

With `GCO_EVERY_FAULT=1` in the environment every fault meets every check; with another number N, one of N checks
of the other requirements, others for each fault. Without it there is one fault for each requirement, and it meets
one of 100.
`GCO_UNSEALED=1` leaves the sealed network out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.extras import missing
from gco_conformance.requirements import load
from gco_conformance.sealed.namespaces import available
from gco_fixtures.broken import PlantedFault, broken_aggregators
from gco_fixtures.planting import plant

from .planted import UNSEALED, Sealed, sealed_checks

EVERY = int(os.environ.get("GCO_EVERY_FAULT", "0"))
SHARE = EVERY or 100
"""Of so many other checks, one runs."""
FIRST = {fault.requirement: fault for fault in reversed(broken_aggregators())}
FAULTS = [fault for fault in broken_aggregators() if EVERY or FIRST[fault.requirement] is fault]
PROMPT = [fault for fault in FAULTS if not fault.waits]
WAITING = [fault for fault in FAULTS if fault.waits]

NOT_HERE = missing("aggregator") or ("" if UNSEALED else available())
needs_sealed_network = pytest.mark.skipif(bool(NOT_HERE), reason=NOT_HERE)


@pytest.fixture(scope="session")
def sealed() -> Iterator[Sealed]:
    with sealed_checks() as sealed:
        yield sealed


@needs_sealed_network
@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.name) for fault in PROMPT])
def test_a_fault_fails_its_requirement_and_no_other(fault: PlantedFault, sealed: Sealed, tmp_path: Path) -> None:
    nothing_surprises(surprises(fault, sealed, tmp_path))


@needs_sealed_network
def test_a_fault_that_makes_callers_wait_fails_its_requirement(tmp_path: Path) -> None:
    def tried(fault: PlantedFault) -> dict[str, list[str]]:
        with sealed_checks() as sealed:
            return surprises(fault, sealed, tmp_path / fault.name)

    # More at a time, and they would keep each other from answering within their own limits.
    with ThreadPoolExecutor(3 if EVERY else 4) as threads:
        found = dict(zip((fault.name for fault in WAITING), threads.map(tried, WAITING), strict=True))
    nothing_surprises({name: surprising for name, surprising in found.items() if surprising})


def surprises(fault: PlantedFault, sealed: Sealed, folder: Path) -> dict[str, list[str]]:
    """What checks found that they mustn't, by requirement, or that they didn't find what they must."""
    plant(fault.name, fault.changes, folder)
    broken = {fault.requirement, *fault.consequences}
    turn = broken_aggregators().index(fault)
    # Those that wait are checked side by side: with less besides, nobody waits for a processor.
    share = SHARE if EVERY or not fault.waits else 10 * SHARE
    found = sealed.checked(folder, broken, share=share, turn=turn, wait=fault.waits, enough=not EVERY)
    failed = {id for id, said in found.items() if any(outcome == "failed" for outcome, _ in said)}
    wrong = {
        id: [f"{outcome}: {text}" for outcome, text in said if id not in broken or outcome == "error"]
        for id, said in found.items()
        if id not in fault.perhaps
    }
    return {id: said for id, said in wrong.items() if said} | {id: ["not failed"] for id in broken - failed}


def nothing_surprises(found: dict[str, Any]) -> None:
    """Fail with all of it: what pytest cuts is needed most."""
    if found:
        pytest.fail(json.dumps(found, indent=1), pytrace=False)


def test_every_requirement_is_broken_by_some_aggregator() -> None:
    known = {requirement.id for requirement in load().select(component="aggregator")}
    assert known - FIRST.keys() == set()
