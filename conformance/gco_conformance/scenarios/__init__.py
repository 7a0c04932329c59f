"""Declared scenarios: a world, what happens in it step by step, and what an aggregator must make of it."""
