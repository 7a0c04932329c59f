"""The composer under test, asked with checkouts and watched while it answers."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path

from gco_conformance.adapters.answer import NO_ENVIRONMENT, Composer, Ending
from gco_conformance.checkouts.checkout import Checkout
from gco_conformance.evidence.observation import Observation
from gco_conformance.evidence.violation import NotTested

PATIENCE = 3
"""Calls that may hang before the rest of the run is no longer asked."""


class Subject:
    """A composer under test. May be asked from several threads at once.

    `workspace` is an existing directory for the checkouts. The answer to a checkout is remembered, so that
    many checks on one checkout ask once; `anew` asks again. Generated checkouts come from `seed`; of requests
    for an operation `examples` are generated.
    """

    def __init__(self, composer: Composer, workspace: Path, seed: int = 0, examples: int = 0) -> None:
        self.composer = composer
        self.seed = seed
        self.examples = examples
        self._workspace = workspace
        self._numbers = itertools.count()
        self._remembered: dict[Checkout, Future[Observation]] = {}
        self._lock = threading.Lock()
        self._hung = 0

    def compose(self, checkout: Checkout) -> Observation:
        """Ask for `checkout`, or give what was seen when it was asked before."""
        with self._lock:
            known = self._remembered.get(checkout)
            if known is None:
                asked = self._remembered[checkout] = Future()
        if known is not None:
            return known.result()
        try:
            asked.set_result(self.anew(checkout))
        except BaseException as error:
            with self._lock:
                del self._remembered[checkout]
            asked.set_exception(error)
            raise
        return asked.result()

    def anew(
        self,
        checkout: Checkout,
        *,
        fresh: bool = False,
        environment: Mapping[str, str] = NO_ENVIRONMENT,
        file_size_limit: int | None = None,
    ) -> Observation:
        """Ask for `checkout` in a directory of its own."""
        with self.laid_out(checkout) as root:
            return self.ask(checkout, root, fresh=fresh, environment=environment, file_size_limit=file_size_limit)

    @contextlib.contextmanager
    def laid_out(self, checkout: Checkout) -> Iterator[Path]:
        """A directory with the checkout in it, for checks that ask several times in the same place."""
        root = self._workspace / f"checkout-{next(self._numbers)}"
        checkout.write(root)
        try:
            yield root
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def ask(
        self,
        checkout: Checkout,
        root: Path,
        *,
        check: bool = False,
        fresh: bool = False,
        environment: Mapping[str, str] = NO_ENVIRONMENT,
        file_size_limit: int | None = None,
    ) -> Observation:
        """Ask once for what stands at `root`, and see what changed there."""
        if self._hung >= PATIENCE:
            raise NotTested(f"not asked any more, since {self._hung} calls before had hung")
        before = _tree(root)
        answer = self.composer.compose(
            root, check=check, fresh=fresh, environment=environment, file_size_limit=file_size_limit
        )
        if answer.ending is Ending.HUNG:
            with self._lock:
                self._hung += 1
        after = _tree(root)
        output = after.pop(checkout.output, None)
        before.pop(checkout.output, None)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        command = self.composer.command_line(check=check)
        return Observation(checkout, answer, output, tuple(sorted(changed)), command)


def _tree(root: Path) -> dict[str, bytes]:
    """The regular files below `root` and their content, by path relative to it."""
    found = {}
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                name = folder + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{name}/")
                elif entry.is_file(follow_symlinks=False):
                    with io.FileIO(entry.path) as file:
                        found[name] = file.readall()
    return found
