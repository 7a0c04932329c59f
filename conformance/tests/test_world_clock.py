"""The clock of a world and the file through which other processes follow it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from gco_conformance.world.clock import Clock


def test_the_file_holds_the_offset_as_libfaketime_reads_it(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "clock")
    assert clock.file.read_text() == "+0.000000\n"
    clock.advance(300)
    assert clock.file.read_text() == "+300.000000\n"
    clock.advance(0.25)
    assert clock.file.read_text() == "+300.250000\n"
    assert clock.offset == 300.25


def test_now_is_real_time_plus_the_offset(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "clock")
    clock.advance(3600)
    assert clock.now() - time.time() == pytest.approx(3600, abs=1)


def test_a_clock_never_goes_back(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "clock")
    with pytest.raises(ValueError, match="forward"):
        clock.advance(-1)
    assert clock.file.read_text() == "+0.000000\n"


def test_a_reader_never_sees_half_of_an_offset(tmp_path: Path) -> None:
    clock = Clock(tmp_path / "clock")
    done = threading.Event()
    seen: set[str] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(clock.file.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(300):
        clock.advance(1)
    done.set()
    reader.join()
    assert seen <= {f"+{seconds}.000000\n" for seconds in range(301)}
