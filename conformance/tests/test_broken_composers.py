"""A composer with one fault fails the requirement concerned, and no other that doesn't follow from it.

What a fault isn't about must still pass. With `GCO_EVERY_FAULT=1` in the environment the whole matrix of faults
and requirements is held; without it faults that are much like others are left out, and each of the rest meets its
own requirements and a share of the others, another share for each fault.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gco_conformance.requirements import load
from gco_fixtures.broken import Change, PlantedFault, broken_composers
from gco_fixtures.planting import MisfitChange, plant

from .planted import Kit, running_kit

SOUND = "sound"
EVERY = int(os.environ.get("GCO_EVERY_FAULT", "0"))
FAULTS = [fault for fault in broken_composers() if EVERY or not fault.thorough]
REQUIREMENTS = [requirement.id for requirement in load().select(component="composer")]
SHARE = EVERY or 24
"""Of so many requirements that a fault isn't about, one is checked."""


@pytest.fixture(scope="session")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kit]:
    """A kit whose first run was one on the copy without a fault, which must pass everything."""
    folder = tmp_path_factory.mktemp("sound")
    plant(SOUND, (), folder)
    with running_kit() as kit:
        verdicts = kit.verdicts(folder, REQUIREMENTS, enough=False)
        assert verdicts.version == SOUND
        assert {id: found for id, found in verdicts.failures.items() if found} == {}
        assert set(verdicts.outcomes.values()) == {"passed"}
        yield kit


@pytest.mark.parametrize("broken", [pytest.param(fault, id=fault.name) for fault in FAULTS])
def test_a_fault_fails_its_requirement_and_no_other(broken: PlantedFault, kit: Kit, tmp_path: Path) -> None:
    plant(broken.name, broken.changes, tmp_path)
    failing = {broken.requirement, *broken.consequences}
    others = [id for id in REQUIREMENTS if id not in failing]
    chosen = [*failing, *others[FAULTS.index(broken) % SHARE :: SHARE]]
    verdicts = kit.verdicts(tmp_path, chosen, enough=not EVERY)
    assert verdicts.version == broken.name
    expected = dict.fromkeys(verdicts.outcomes, "passed") | dict.fromkeys(failing, "failed")
    surprises = {
        id: [f"{outcome}, not {expected[id]}", *verdicts.failures[id]]
        for id, outcome in verdicts.outcomes.items()
        if outcome != expected[id]
    }
    assert surprises == {}


def test_every_requirement_is_broken_by_some_composer() -> None:
    assert set(REQUIREMENTS) - {fault.requirement for fault in broken_composers() if not fault.thorough} == set()


@pytest.mark.parametrize("old", ["no such text", "from"])
def test_a_change_that_does_not_fit_is_told_with_its_place(old: str, tmp_path: Path) -> None:
    with pytest.raises(MisfitChange, match=r"composer/routing\.py"):
        plant("misfit", [Change("composer/routing.py", old, "")], tmp_path)
