"""The suite's pytest plugin: options, the composer under test, and the report at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gco_conformance.adapters.answer import StartError
from gco_conformance.errors import KitError
from gco_conformance.evidence.subject import Subject
from gco_conformance.suite.conformance import Conformance
from gco_conformance.suite.settings import EXAMPLES, read

NAME = "gco-conformance-run"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gco-conformance")
    group.addoption(
        "--profile",
        choices=("core", "hardened", "all"),
        default="all",
        help="which requirements to check (default: all)",
    )
    group.addoption(
        "--requirement",
        action="append",
        metavar="ID-OR-GLOB",
        help="check only these requirements (may be given several times)",
    )
    group.addoption(
        "--seed", type=int, default=0, help="the same seed gives the same generated cases (default: 0)"
    )
    group.addoption(
        "--checkout",
        action="append",
        default=[],
        metavar="DIR",
        help="use the composed document of this checkout, too (may be given several times)",
    )
    group.addoption(
        "--examples",
        type=int,
        default=EXAMPLES,
        metavar="N",
        help=f"requests of each kind for an operation of a composed document; 0 for none (default: {EXAMPLES})",
    )
    group.addoption("--jobs", type=int, metavar="N", help="calls at the same time (default: the number of CPUs)")
    group.addoption(
        "--timeout",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="how long one call of a composer may take (default: 10); an invocation of an aggregator has 60",
    )
    group.addoption(
        "--real-time",
        action="store_true",
        help="wait up to an hour for caches to age where an aggregator's clock can't be moved",
    )
    group.addoption(
        "--unsealed",
        action="store_true",
        help="check an aggregator python:… without a sealed network: its process is patched instead",
    )
    group.addoption(
        "--fail-fast", action="store_true", help="leave out the further checks of a requirement that has failed"
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.has_plugin(NAME):
        return
    try:
        config.pluginmanager.register(Conformance(read(config)), NAME)
    except KitError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture(scope="session")
def stages() -> None:
    """Worlds for aggregators. They are opened inside the sealed network; outside there are none."""


@pytest.fixture(scope="session")
def composer(request: pytest.FixtureRequest) -> Iterator[Subject]:
    """The composer under test."""
    run = request.config.pluginmanager.get_plugin(NAME)
    assert isinstance(run, Conformance)
    try:
        yield run.subject()
    except StartError as error:
        pytest.exit(str(error), returncode=2)
