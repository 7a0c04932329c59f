"""The drift gate: what a gateway's manifest and its services' documents say about each other, compared.

A run goes one way: `readers` → `project` → `rules` → `gate` (suppressions, baseline) → `report` → `writers`.
Nothing on this path imports pytest, Hypothesis or a validator: the gate answers within a second.
"""
