"""Text that XML 1.0 can carry."""

from __future__ import annotations

import re
from typing import Final

_IMPOSSIBLE: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """`text` with what XML can't say replaced."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", text)
