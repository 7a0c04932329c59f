"""What the doors have in common: the instances that are open, and the folder in which they live."""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path
from typing import Protocol

from gco_conformance.adapters.answer import StartError


class Closable(Protocol):
    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...


class Instances:
    """The open instances of a function, each with a folder of its own in the function's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: list[Closable] = []
        self._folder: Path | None = None

    def begin(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="gco-conformance-"))

    @property
    def folder(self) -> Path:
        if self._folder is None:
            raise StartError("the function hasn't been started, or is closed already")
        return self._folder

    def new_folder(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.folder))

    def add(self, instance: Closable) -> None:
        with self._lock:
            self._open = [one for one in self._open if not one.closed] + [instance]

    def close(self) -> None:
        """Close all instances and remove the folders."""
        with self._lock:
            instances, self._open = self._open, []
        for instance in instances:
            instance.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
