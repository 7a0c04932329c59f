"""The plain aggregator meets the core requirements, and fails the hardened ones that it says it fails."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

import pytest

from gco_conformance.adapters.implementation import load
from gco_conformance.extras import missing
from gco_conformance.requirements import load as load_catalogue
from gco_conformance.sealed.namespaces import available

from .conformance_run import run_kit

FILE = Path(str(files("gco_fixtures"))) / "aggregator" / "plain" / "implementation.toml"
EVERY = os.environ.get("GCO_EVERY_FAULT") == "1"
NOT_HERE = missing("aggregator") or available() or ("" if EVERY else "takes minutes: set GCO_EVERY_FAULT=1")


def test_declared_failures_are_hardened_requirements() -> None:
    hardened = {
        requirement.id for requirement in load_catalogue().select(component="aggregator", profile="hardened")
    }
    declared = [entry.requirement for entry in load(FILE).known_failures]
    assert set(declared) - hardened == set()
    assert len(declared) == len(set(declared))


@pytest.mark.skipif(bool(NOT_HERE), reason=NOT_HERE)
def test_what_is_in_use_passes_core_and_fails_what_it_declares(tmp_path: Path) -> None:
    run = run_kit(tmp_path, "--implementation", str(FILE))
    assert run.exit == 0
    assert run.with_outcome("expected-failure") == {entry.requirement for entry in load(FILE).known_failures}
    assert {id for id in run.outcomes() if run.outcomes()[id] == "not-tested"} == set()
