"""Libraries that are imported late are imported by one thread at a time.

Two threads that enter the circular imports of one library from different ends would wait for each other for
ever. Python breaks that up by handing one of them a half-initialised module, whose import then fails, once in
a hundred runs.
"""

from __future__ import annotations

import threading
from typing import Final

ALONE: Final = threading.RLock()
"""Held around each late import of a library: `with ALONE: import moto`."""
