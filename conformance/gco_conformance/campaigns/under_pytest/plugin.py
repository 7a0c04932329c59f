"""The options of campaigns under pytest."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gco-conformance")
    group.addoption("--seed", type=int, default=0, help="the same seed, the same steps (default: 0)")
    group.addoption("--steps", type=int, default=500, help="how many steps the campaign has (default: 500)")
    group.addoption("--shards", type=int, help="in how many parts it is played (default: the number of workers)")
    group.addoption("--write-scenario", metavar="DIR", help="where runs that fail are written as scenarios")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "shard" in metafunc.fixturenames:
        shards = metafunc.config.getoption("shards") or _workers(metafunc.config)
        metafunc.parametrize("shard", [f"{part}/{shards}" for part in range(1, shards + 1)])


def _workers(config: pytest.Config) -> int:
    """How many processes pytest-xdist runs tests in; without it one."""
    told = getattr(config, "workerinput", {}).get("workercount")
    return int(told or os.environ.get("PYTEST_XDIST_WORKER_COUNT") or 1)
