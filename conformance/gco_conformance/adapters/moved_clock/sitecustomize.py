"""Move the clocks of a Python process: Python imports this by itself when its folder is on PYTHONPATH.

The clocks are ahead by what the file that `GCO_CONFORMANCE_CLOCK_FILE` names says, as `+300.000000` seconds. It
is read at each look at a clock, so a change shows at once. What waits isn't touched: sleeping, time-outs of
locks and sockets take real time. Certificates are checked by OpenSSL, which has the real time.

Only what Python itself offers is moved: the functions of `time`, `datetime.now`, `utcnow` and `today`. A program
that starts Python with `-I`, `-E` or `-S` doesn't see this file.
"""

from __future__ import annotations

import datetime
import importlib.machinery
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

VARIABLE: Final = "GCO_CONFORMANCE_CLOCK_FILE"
_NANO: Final = 10**9
_REAL_TIME = time.time
_REAL_DATETIME = datetime.datetime
_UTC: Final = datetime.timezone(datetime.timedelta())
_CPU_CLOCKS: Final = (
    getattr(time, "CLOCK_PROCESS_CPUTIME_ID", None),
    getattr(time, "CLOCK_THREAD_CPUTIME_ID", None),
)


class _Offset:
    """How many seconds the clocks are ahead."""

    def __init__(self) -> None:
        self.file = os.environ.get(VARIABLE, "")
        self._last = 0.0

    def seconds(self) -> float:
        if not self.file:
            return 0.0
        try:
            descriptor = os.open(self.file, os.O_RDONLY)
            try:
                self._last = float(os.read(descriptor, 64))
            finally:
                os.close(descriptor)
        except (OSError, ValueError):  # it is being written, or no descriptor is left
            return self._last
        return self._last


_offset = _Offset()


def follow(file: str) -> None:
    """Have the clocks moved by what `file` says from now on."""
    _offset.file = file


class _Clock:
    """A function of `time`, moved. An object, since a function would turn into a method in a class's body."""

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "time"
        self.__doc__ = getattr(time, name).__doc__
        self._call = call

    def __call__(self, *args: Any) -> Any:
        return self._call(*args)

    def __repr__(self) -> str:
        return f"<moved function {self.__name__}>"


def _ahead(name: str) -> Callable[[], Any]:
    real = getattr(time, name)
    if name.endswith("_ns"):
        return lambda: real() + round(_offset.seconds() * _NANO)
    return lambda: real() + _offset.seconds()


def _of_a_clock(name: str) -> Callable[[int], Any]:
    real, unit = getattr(time, name), _NANO if name.endswith("_ns") else 1

    def moved(clock: int) -> Any:
        ahead = 0 if clock in _CPU_CLOCKS or clock < 0 else _offset.seconds() * unit
        return real(clock) + (round(ahead) if unit > 1 else ahead)

    return moved


def _of_now(name: str) -> Callable[..., Any]:
    real = getattr(time, name)
    return lambda seconds=None: real(_REAL_TIME() + _offset.seconds() if seconds is None else seconds)


def _as_text(name: str, given: int) -> Callable[..., Any]:
    """A function whose last argument, the broken-down time, may be left out."""
    real, local = getattr(time, name), _of_now("localtime")
    return lambda *args: real(*args) if len(args) != given else real(*args, local())


class _Kind(type):
    """The moved class stands for the real one: what C code makes is an instance of it too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _REAL_DATETIME) if cls is _Moved else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if cls is _Moved:
            return issubclass(subclass, _REAL_DATETIME)
        return super().__subclasscheck__(subclass)


class _Moved(_REAL_DATETIME, metaclass=_Kind):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Any:
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls) -> Any:
        return cls.fromtimestamp(time.time(), _UTC).replace(tzinfo=None)


def _move() -> None:
    moved: dict[str, Callable[..., Any]] = {}
    for name in ("time", "monotonic", "perf_counter"):
        moved[name], moved[f"{name}_ns"] = _ahead(name), _ahead(f"{name}_ns")
    for name in ("clock_gettime", "clock_gettime_ns"):
        if hasattr(time, name):
            moved[name] = _of_a_clock(name)
    for name in ("localtime", "gmtime", "ctime"):
        moved[name] = _of_now(name)
    moved["asctime"], moved["strftime"] = _as_text("asctime", 0), _as_text("strftime", 1)
    for name, call in moved.items():
        setattr(time, name, _Clock(name, call))
    for attribute in ("__name__", "__qualname__"):
        setattr(_Moved, attribute, "datetime")
    _Moved.__module__ = "datetime"
    _Moved.__doc__ = _REAL_DATETIME.__doc__
    vars(datetime)["datetime"] = _Moved


def _give_way() -> None:
    """Run the `sitecustomize` that this one hides, if there is one."""
    here = Path(__file__).parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_move()
if __name__ == "sitecustomize":
    _give_way()
