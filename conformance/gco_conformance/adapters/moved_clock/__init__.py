"""A folder for PYTHONPATH: a Python program that finds `sitecustomize` in it has clocks that can be moved."""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
VARIABLE: Final = "GCO_CONFORMANCE_CLOCK_FILE"
"""The environment variable that names the file with the seconds that the clocks are ahead, as `+300.000000`."""
