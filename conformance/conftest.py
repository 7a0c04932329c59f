"""What holds for all tests of the kit."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # A shell has what it starts in the background ignore interrupts, nohup has it ignore hang-ups, and with it what
    # tests start and end by a signal: they would wait for ever.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
