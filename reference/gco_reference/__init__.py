"""Reference implementations that the conformance kit is held against."""

__version__ = "0.1.0"
