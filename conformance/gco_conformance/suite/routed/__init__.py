"""A composed document used: requests that Schemathesis makes of it, sent through the simulated gateway."""
