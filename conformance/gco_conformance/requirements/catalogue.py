"""The requirements as values: loaded from the package's data once, found by id, selected by pattern."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from typing import Final, Literal

from gco_conformance import errors

Profile = Literal["core", "hardened"]
Level = Literal["must", "should"]

PROFILES: Final = ("core", "hardened", "all")

# One data file per group, listed here in reading order.
GROUPS: Final = {
    "composer": ("configuration", "manifest", "routing", "document", "schemas", "output"),
    "aggregator": (
        "configuration",
        "discovery",
        "cache",
        "request",
        "failure",
        "jobs",
        "health",
        "status",
        "deletion",
        "http",
    ),
}
COMPONENTS: Final = tuple(GROUPS)


@dataclass(frozen=True)
class Requirement:
    """One thing that an implementation must, or should, do.

    `sentence` is normative and stands alone. `why` is what it costs the person who runs the gateway when it
    isn't met. `source` names the contract's section and the outside standards. `example` is a few lines of
    YAML, JSON or HTTP with what is right.
    """

    id: str
    """`<component>.<group>.<name>`. It never changes its meaning and is never used again."""
    profile: Profile
    level: Level
    title: str
    sentence: str
    why: str
    source: tuple[str, ...]
    example: str

    @property
    def component(self) -> str:
        return self.id.split(".")[0]

    @property
    def group(self) -> str:
        return self.id.split(".")[1]


class UnknownRequirement(errors.UsageError):
    """An id or a pattern that no requirement matches. `hint` names what was probably meant."""


class Catalogue:
    """All requirements, in the order in which they are listed."""

    def __init__(self, requirements: Sequence[Requirement]) -> None:
        self._by_id: Final = {requirement.id: requirement for requirement in requirements}

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._by_id

    def get(self, identifier: str) -> Requirement:
        """The requirement with this id. Raises `UnknownRequirement`."""
        try:
            return self._by_id[identifier]
        except KeyError:
            raise UnknownRequirement(f"there is no requirement '{identifier}'", self._hint(identifier)) from None

    def select(
        self, patterns: Sequence[str] = (), component: str | None = None, profile: str = "all"
    ) -> tuple[Requirement, ...]:
        """The requirements of a component and a profile whose id matches one of the patterns.

        They come in catalogue order. A pattern is an id or a glob (`*` crosses dots); without patterns all
        match. The profile "hardened" means the hardened requirements alone, "all" means both. Raises
        `UnknownRequirement` for a pattern that leaves nothing: a mistyped selection is no clean run.
        """
        eligible = [
            requirement
            for requirement in self
            if component in (None, requirement.component) and profile in ("all", requirement.profile)
        ]
        if not patterns:
            return tuple(eligible)
        chosen: set[str] = set()
        for pattern in patterns:
            matched = {requirement.id for requirement in eligible if fnmatchcase(requirement.id, pattern)}
            if not matched:
                raise self._nothing_matches(pattern)
            chosen |= matched
        return tuple(requirement for requirement in eligible if requirement.id in chosen)

    def _nothing_matches(self, pattern: str) -> UnknownRequirement:
        left_out = [requirement for requirement in self if fnmatchcase(requirement.id, pattern)]
        if not left_out:
            return UnknownRequirement(f"no requirement matches '{pattern}'", self._hint(pattern))
        kinds = sorted({f"{requirement.component}, {requirement.profile}" for requirement in left_out})
        return UnknownRequirement(
            f"'{pattern}' matches nothing in the chosen component and profile",
            f"what it matches is: {' | '.join(kinds)}",
        )

    def _hint(self, text: str) -> str:
        if any(requirement.id.startswith(f"{text.rstrip('.')}.") for requirement in self):
            return f"did you mean '{text.rstrip('.')}.*'?"
        # Imported here because it is needed only to word an error.
        from difflib import get_close_matches

        names = {requirement.id.rpartition(".")[2]: requirement.id for requirement in self}
        near = get_close_matches(text, self._by_id, n=1, cutoff=0.75) or [
            names[name] for name in get_close_matches(text.rpartition(".")[2], names, n=1, cutoff=0.75)
        ]
        return f"did you mean '{near[0]}'?" if near else "'gco-conformance requirements' lists them all"


@functools.cache
def load() -> Catalogue:
    """The catalogue of this release, read once per process."""
    # PyYAML is imported here because most of what imports this module never reads the catalogue.
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = resources.files(__package__)
    return Catalogue(
        [
            Requirement(**{**entry, "source": tuple(entry["source"])})
            for component, groups in GROUPS.items()
            for group in groups
            for entry in yaml.load(
                data.joinpath(component, f"{group}.yaml").read_text(encoding="utf-8"), Loader=loader
            )
        ]
    )
