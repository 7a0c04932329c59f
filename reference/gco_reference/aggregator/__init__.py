"""The reference aggregator: one Lambda function that asks every region's API and merges the answers.

`gco_reference.aggregator:handler` (the same as `gco_reference.aggregator.handler:handler`) is the handler. It
is imported when it is asked for: the modules beside it that need no AWS library can be used without one.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "handler":
        from gco_reference.aggregator.invocation import handler

        return handler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
