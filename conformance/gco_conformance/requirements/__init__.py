"""The requirement catalogue: what an implementation must do, why, and where it is said."""

from gco_conformance.requirements.catalogue import (
    COMPONENTS,
    PROFILES,
    Catalogue,
    Level,
    Profile,
    Requirement,
    UnknownRequirement,
    load,
)

__all__ = [
    "COMPONENTS",
    "PROFILES",
    "Catalogue",
    "Level",
    "Profile",
    "Requirement",
    "UnknownRequirement",
    "load",
]
