"""What holds for all tests of the kit."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # A shell has what it starts in the background ignore interrupts, and nohup has it ignore hang-ups. What tests
    # start inherits that, and the tests would wait for ever for it to end by a signal.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
