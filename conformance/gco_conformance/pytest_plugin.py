"""The pytest plugin that is installed with the kit.

It is loaded by every pytest run of its environment, so it imports nothing and registers only names that are
its own; the suite itself is loaded when it is asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pytest

SUITE = "gco_conformance.suite"
CAMPAIGNS = "gco_conformance.campaigns.under_pytest"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(
        "gco-conformance", "conformance of composers and aggregators, with --pyargs gco_conformance.suite"
    )
    group.addoption("--composer", metavar="SPEC", help="the composer under test: command:…, python:… or stdio:…")
    group.addoption(
        "--aggregator",
        metavar="SPEC",
        help="the aggregator under test: python:…, runtime:…, http:… or rie:…",
    )
    group.addoption("--implementation", metavar="FILE", help="an implementation.toml that names it")
    group.addoption("--report-json", metavar="FILE", help="write the conformance report as JSON")
    group.addoption("--report-junit", metavar="FILE", help="write the conformance report as JUnit XML")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "requirement(id, waits=False, moves_time=False, needs=''): what a check judges"
    )


def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Other suites may have options called `--seed` or `--profile`: ours appear only with our suites."""
    for suite in (SUITE, CAMPAIGNS):
        if any(argument.startswith(suite) for argument in args):
            early_config.pluginmanager.import_plugin(f"{suite}.plugin")
