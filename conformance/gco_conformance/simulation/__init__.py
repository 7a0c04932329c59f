"""A world that is kept running for a person who develops an aggregator."""
