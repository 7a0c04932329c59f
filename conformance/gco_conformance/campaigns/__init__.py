"""Seeded campaigns of faults: many runs, each a world in which faults come and go while requests are made."""
