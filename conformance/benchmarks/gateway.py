"""How long the use of a checkout's composed document takes: `python conformance/benchmarks/gateway.py ROOT`.

Without ROOT, on the kit's own checkouts. The reference composes; then each of the document's operations is used
with 20 requests of each kind from either document, besides those at the limits of what they say.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from gco_conformance.adapters import spec
from gco_conformance.checkouts.directory import read_checkout
from gco_conformance.evidence.subject import Subject
from gco_conformance.evidence.violation import NotTested
from gco_conformance.gateway.routed import Gateway
from gco_conformance.http_messages import Reply, Request
from gco_conformance.suite.routed import operations, surface
from gco_conformance.suite.routed.exercise import exercise
from gco_conformance.suite.routed.used import Used, written

EXAMPLES = 20
TARGET = 60.0


def main() -> None:
    """Measures and prints; ends with the first breach of a requirement."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    composer = spec.parse(f"stdio:{sys.executable} -m gco_reference serve", jobs=1, timeout=60.0)
    composer.start()
    with tempfile.TemporaryDirectory() as folder:
        subject = Subject(composer, Path(folder))
        given = [Used(root, read_checkout(Path(root))) for root in sys.argv[1:]] or written()
        for used in given:
            measure(subject, used)
    composer.close()


def measure(subject: Subject, used: Used) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    observation = subject.compose(used.checkout)
    found = exercise(observation, observation.document, 0, EXAMPLES)
    found.gateway = gateway = Counting(used.checkout)
    labels = [operation.label for operation in used.operations()]
    for whole in surface.JUDGES:
        whole(found)
    untested = 0
    for label in labels:
        for each in operations.JUDGES:
            try:
                each(found, label)
            except NotTested:
                untested += 1
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    met = "met" if wall <= TARGET else "MISSED"
    print(
        f"{used.name}: {len(labels)} operations, {gateway.asked} requests, {untested} checks not tested: "
        f"{wall:.1f} s ({cpu:.1f} s of CPU; target {TARGET:g} s: {met})"
    )


class Counting(Gateway):
    """A gateway that counts the requests that get to it."""

    asked = 0

    def answer(self, request: Request, *, data: bool = True) -> Reply:
        self.asked += 1
        return super().answer(request, data=data)


if __name__ == "__main__":
    main()
