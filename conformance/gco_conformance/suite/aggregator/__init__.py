"""Checks of aggregators. They run inside the sealed network, each in worlds of its own."""
