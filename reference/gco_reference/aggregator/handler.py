"""Where AWS Lambda finds the handler: `gco_reference.aggregator.handler.handler`."""

from gco_reference.aggregator.invocation import handler

__all__ = ["handler"]
