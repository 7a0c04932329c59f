"""Settings of the Python interpreter that hold while a checkout is composed, and are put back afterwards."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def composing() -> Iterator[None]:
    """All digits of an integer count, and nothing is searched for garbage.

    Python refuses to read or write integers of more than 4,300 digits; a checkout's numbers are its owner's own.
    What is composed is one large tree that stays: searching it again and again costs as much as parsing it.
    """
    limit, collecting = sys.get_int_max_str_digits(), gc.isenabled()
    sys.set_int_max_str_digits(0)
    gc.disable()
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)
        if collecting:
            gc.enable()
