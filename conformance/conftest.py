"""What holds for all tests of the kit."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # A shell has what it starts in the background ignore interrupts, and with it what tests start and interrupt:
    # they would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
