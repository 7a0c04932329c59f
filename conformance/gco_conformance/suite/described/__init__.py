"""Checks of an aggregator against the OpenAPI document of its routes, with what Schemathesis makes of it."""
