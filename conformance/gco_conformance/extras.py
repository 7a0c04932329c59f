"""The optional parts of the distribution, and what to install when one is needed."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Final

MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "aggregator": ("boto3", "urllib3", "moto", "flask", "flask_cors", "trustme"),
    "schemathesis": ("schemathesis",),
}
"""What each extra brings, by import name."""


def missing(extra: str) -> str:
    """Why something that needs `extra` can't run here, empty when it can."""
    absent = [name for name in MODULES[extra] if importlib.util.find_spec(name) is None]
    if not absent:
        return ""
    return f"needs {' and '.join(absent)}: pip install 'gco-conformance[{extra}]'"
