"""An aggregator under test, in the sealed network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from gco_conformance.adapters.spec import parse_aggregator
from gco_conformance.evidence.stage import Stages
from gco_conformance.simulation.network import Network, sealed_network

START_SECONDS = 30.0


@contextmanager
def aggregator(spec: str, *, seed: int = 0) -> Iterator[tuple[Stages, Network]]:
    """Worlds for the aggregator that `spec` names, and the network with them. Raises `StartError`, `UsageError`.

    The kit itself tells of all stacks, so that this begins at once.
    """
    with ExitStack() as stack:
        function = parse_aggregator(spec, timeout=START_SECONDS)
        function.start()
        stack.callback(function.close)
        network = stack.enter_context(sealed_network())
        yield network.stages(function, seed), network
