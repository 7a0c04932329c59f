"""Plays a campaign: `pytest --pyargs gco_conformance.campaigns.under_pytest -n 4 --aggregator SPEC`."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_every_answer_is_right_whatever_fails(shard: str, pytestconfig: pytest.Config) -> None:
    """One part of the campaign, in a sealed network of its own."""
    options = {name: pytestconfig.getoption(name) for name in ("aggregator", "seed", "steps", "write_scenario")}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not None]
    command = [sys.executable, "-m", "gco_conformance", "faults", *given, f"--shard={shard}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"{done.stdout}{done.stderr}", pytrace=False)
