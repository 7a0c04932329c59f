"""How long campaigns have to be: `python conformance/benchmarks/campaigns.py [--all | FAULT…]`.

Each aggregator with one fault planted that breaks a hardened requirement, by default the first of each
requirement, meets a campaign of 100 steps, then campaigns of 500 steps with other seeds until one fails. The
smallest scenario that comes of it must then fail by itself on the faulty aggregator, and pass on the reference.
Prints a row of the table in `docs/faults.md` for each.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from gco_conformance.requirements import load
from gco_fixtures.broken import PlantedFault, broken_aggregators
from gco_fixtures.planting import PACKAGE, plant

SHORT, STEPS, SEEDS = 100, 500, range(1, 21)
PASSED, FAILED = 0, 1
HANDLER = f"import sys\nsys.path.insert(0, {{folder!r}})\nfrom {PACKAGE}.aggregator import handler\n"


@dataclass(frozen=True)
class Found:
    """The campaign that failed, and the steps of the smallest scenario of it that tells both aggregators apart."""

    steps: int
    seed: int
    size: int | None

    def __str__(self) -> str:
        """Two cells of the table."""
        also = f", seed {self.seed}" if self.seed != SEEDS[0] else ""
        return f"{self.steps} steps{also} | {self.size}"


def main() -> int:
    """Measures and prints; 1 if no scenario of a campaign fails by itself and passes on the reference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--all", action="store_true", help="every fault, not one for each requirement")
    options = parser.parse_args()
    print("| requirement | fault | found with | steps of the smallest scenario |\n| --- | --- | --- | --- |")
    wrong = 0
    for fault in chosen(options.faults, every=options.all):
        began = time.monotonic()
        found = look_for(fault)
        result = found or f"not with {len(SEEDS)} seeds |"
        wrong += found is not None and found.size is None
        print(f"| `{fault.requirement.removeprefix('aggregator.')}` | {fault.name} | {result} |", flush=True)
        print(f"{fault.name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return 1 if wrong else 0


def chosen(names: Sequence[str], *, every: bool) -> list[PlantedFault]:
    """The faults with these names, or of each hardened requirement the first or `every` one."""
    faults = broken_aggregators()
    if names:
        return [fault for fault in faults if fault.name in names]
    hardened = {each.id for each in load().select(component="aggregator", profile="hardened")}
    first = {fault.requirement: fault for fault in reversed(faults)}
    return [
        fault for fault in faults if fault.requirement in hardened and (every or fault is first[fault.requirement])
    ]


def look_for(fault: PlantedFault) -> Found | None:
    """What the first campaign finds that finds it; None if none does."""
    with tempfile.TemporaryDirectory() as folder:
        plant(fault.name, fault.changes, Path(folder))
        for steps, seed in [(SHORT, SEEDS[0]), *((STEPS, seed) for seed in SEEDS)]:
            failures = Path(folder) / f"failures-{steps}-{seed}"
            campaign = ["--seed", str(seed), "--steps", str(steps), "--write-scenario", str(failures)]
            if faults(Path(folder), *campaign) == FAILED:
                return Found(steps, seed, smallest(failures, Path(folder)))
    return None


def smallest(failures: Path, folder: Path) -> int | None:
    """The steps of the smallest scenario that fails by itself in `folder`, and passes on the reference."""
    read = {file: yaml.safe_load(file.read_text("utf-8")) for file in failures.iterdir()}
    sizes = {file: len(scenario["steps"]) for file, scenario in read.items()}
    for file in sorted(sizes, key=lambda file: (sizes[file], file.name)):
        if faults(folder, "--scenario", str(file)) == FAILED and faults(None, "--scenario", str(file)) == PASSED:
            return sizes[file]
    return None


def faults(folder: Path | None, *arguments: str) -> int:
    """The exit status of `gco-conformance faults` on the package in a folder, or on the reference."""
    aggregator = f"python:{PACKAGE}.aggregator:handler"
    if folder is not None:
        handler = folder / "handler.py"
        handler.write_text(HANDLER.format(folder=str(folder)))
        aggregator = f"python:{handler}:handler"
    command = [sys.executable, "-m", "gco_conformance", "faults", "--aggregator", aggregator, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (PASSED, FAILED) and "not-tested" not in done.stdout:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
