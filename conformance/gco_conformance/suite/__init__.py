"""The conformance suite, a pytest suite."""
