"""A conformance kit for Gateway API OpenAPI composers and cross-region aggregators."""

__version__ = "0.1.0"
