"""What the composers that keep processes alive between calls have in common."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Generic

from gco_conformance.adapters.answer import NO_ENVIRONMENT, Answer, StartError
from gco_conformance.adapters.child import OUTPUT_BOUND, Program
from gco_conformance.adapters.pool import Pool, W, dismiss
from gco_conformance.adapters.process import Children, Stopped, died
from gco_conformance.adapters.worker import Broken

START_TIMEOUT = 30.0
"""Seconds that a slow-starting language has before its first answer."""


class PooledComposer(abc.ABC, Generic[W]):
    """Asks up to `jobs` long-lived processes. `timeout` and `start_timeout` in seconds, `bound` in bytes."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        jobs: int,
        timeout: float,
        cwd: Path,
        start_timeout: float = START_TIMEOUT,
        bound: int = OUTPUT_BOUND,
    ) -> None:
        self._argv = tuple(argv)
        self._timeout = timeout
        self._start_timeout = max(timeout, start_timeout)
        self._cwd = cwd
        self._bound = bound
        self._children = Children()
        self._pool = Pool(self._opened, jobs)

    @abc.abstractmethod
    def _start_worker(self, program: Program) -> W:
        """Start a process. Raises `OSError` and `Stopped`."""

    @abc.abstractmethod
    def _greet(self, worker: W) -> None:
        """Wait until a new process is ready. Raises `Broken`."""

    @abc.abstractmethod
    def _ask(self, worker: W, root: Path, check: bool) -> Answer:
        """Make one call. Raises `Broken`."""

    def _start(self, what: str, hint: str) -> None:
        try:
            self._pool.add(self._opened())
        except Broken as broken:
            raise StartError(f"{what}: {broken}", hint) from None

    def compose(
        self,
        root: Path,
        *,
        check: bool = False,
        fresh: bool = False,
        environment: Mapping[str, str] = NO_ENVIRONMENT,
        file_size_limit: int | None = None,
    ) -> Answer:
        """Compose the checkout at `root`: see `Composer.compose`."""
        try:
            if not fresh and not environment and file_size_limit is None:
                with self._pool.worker() as worker:
                    return self._ask(worker, root, check)
            worker = self._opened(environment, file_size_limit)
            try:
                answer = self._ask(worker, root, check)
                dismiss([worker])
            finally:
                worker.end()
        except Broken as broken:
            return broken.answer
        except Stopped:
            return died("not asked, since the run was stopped")
        return answer

    def close(self) -> None:
        self._pool.close()
        self._children.close()

    def _opened(self, environment: Mapping[str, str] = NO_ENVIRONMENT, file_size_limit: int | None = None) -> W:
        """A new process that is ready. Raises `Broken` and `Stopped`."""
        try:
            worker = self._start_worker(Program(self._argv, self._cwd, environment, file_size_limit))
        except OSError as error:
            raise Broken(died(f"{self._argv[0]} can't be run: {error.strerror}")) from None
        try:
            self._greet(worker)
        except BaseException:
            worker.end()
            raise
        return worker
