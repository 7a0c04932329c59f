"""The composed document as text: keys sorted, indented by two, ASCII, one newline at the end.

Contract section 5.
"""

from __future__ import annotations

import json
from typing import Any

from gco_reference.composer.errors import ComposeError


def render(document: dict[str, Any]) -> str:
    """The text of the document; equal documents have equal texts."""
    try:
        return json.dumps(document, indent=2, sort_keys=True) + "\n"
    except RecursionError:
        raise ComposeError("a document is nested too deeply to be written") from None
