"""Which faults are planned for a host, on which of its requests or connections, and which of them have struck."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gco_conformance.world.faults import Stage, WireFault


@dataclass
class _Planned:
    fault: WireFault
    ordinals: frozenset[int] | None
    count: int = 0
    fired: int = 0
    over: bool = False

    def strikes(self) -> bool:
        """Count one more event; give whether it is one of those that are meant."""
        self.count += 1
        meant = self.ordinals is None or self.count in self.ordinals
        self.fired += meant
        return meant


class Plan:
    """The faults of one host, from any thread. Of those at the same stage, the one that was added last strikes."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []
        self._lock = threading.Lock()

    def add(self, fault: WireFault, on: Collection[int] | None = None) -> None:
        """Play a fault from now on, or only on some events, the next one being 1.

        Raises `ValueError` for ordinals where events can't be told apart, or below 1.
        """
        if on is not None and not fault.stage.counts:
            raise ValueError(f"{fault.name} isn't about single requests")
        with self._lock:
            self._planned.append(_Planned(fault, ordinals(on)))

    def strike(self, stage: Stage) -> WireFault | None:
        """Something happens at a stage: the fault that strikes it, which has fired then."""
        with self._lock:
            for planned in self._standing(stage):
                if planned.strikes():
                    return planned.fault.struck(planned.fired)
        return None

    def stands(self, kind: type[WireFault]) -> bool:
        """Whether a fault of this kind is planned and not over, without counting anything."""
        with self._lock:
            return any(isinstance(each.fault, kind) and not each.over for each in self._planned)

    def has_any(self) -> bool:
        """Whether any fault is planned and not over."""
        with self._lock:
            return any(not each.over for each in self._planned)

    def end(self, stage: Stage | None = None) -> None:
        """End all faults, or those of one stage. Which of them fired is remembered."""
        with self._lock:
            for planned in self._planned:
                planned.over = planned.over or stage in {None, planned.fault.stage}

    def fired(self, fault: WireFault) -> int:
        """How often a fault has been played since it was added."""
        with self._lock:
            return sum(planned.fired for planned in self._planned if planned.fault == fault)

    def unfired(self) -> tuple[WireFault, ...]:
        """The faults that were planned and have never been played, ended ones too."""
        with self._lock:
            return tuple(planned.fault for planned in self._planned if not planned.fired)

    def _standing(self, stage: Stage) -> Iterator[_Planned]:
        return (each for each in reversed(self._planned) if each.fault.stage is stage and not each.over)


def ordinals(on: Collection[int] | None) -> frozenset[int] | None:
    """Ordinals as they are kept. Raises `ValueError` when there are none, or some below 1."""
    if on is not None and (not on or min(on) < 1):
        raise ValueError("requests are counted from 1")
    return None if on is None else frozenset(on)
