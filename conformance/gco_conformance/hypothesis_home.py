"""A new home for what Hypothesis keeps, with what it would otherwise work out anew in each.

Before it makes its first text it tries which of all characters can be written as UTF-8. That takes seconds, so it
keeps the outcome in its home; but that of a run goes with the run.
"""

from __future__ import annotations

import gzip
import json
import sys
import unicodedata
from pathlib import Path
from typing import Final

_WRITABLE: Final = ((0, 0xD7FF), (0xE000, sys.maxunicode))
"""All characters but surrogates (RFC 3629, section 3)."""


def furnish(home: Path) -> Path:
    """Make the folder; give it back. A Hypothesis that keeps this elsewhere works it out, as ever."""
    place = home / "unicode_data" / unicodedata.unidata_version
    place.mkdir(parents=True, exist_ok=True)
    read_back_otherwise: tuple[()] = ()
    outcome = json.dumps([_WRITABLE, read_back_otherwise]).encode()
    (place / "codec-v2-utf-8.json.gz").write_bytes(gzip.compress(outcome))
    return home
