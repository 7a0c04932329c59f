"""The names that components get in the composed document (contract section 4).

The first service (name order) that defines a name keeps it, an identical definition shares it, and a
different one becomes `<service>.<Name>`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from gco_reference.composer.parts import PartKey


@dataclass(frozen=True)
class Names:
    """`final` is the name of each component, `holders` the component whose definition is written under it."""

    final: dict[PartKey, str]
    holders: dict[PartKey, PartKey]

    def of(self, key: PartKey) -> str:
        """The name of the component in the composed document."""
        return self.final[key]

    def is_written(self, key: PartKey) -> bool:
        """Whether this component's definition is the one that is written."""
        return self.holders[key] == key


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or the first of `wanted.2`, `wanted.3`, … that isn't taken."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}.{number}"
    return name


def name_components(components: Collection[PartKey], classes: dict[PartKey, int]) -> Names:
    """Names for the components; equal `classes` mean equal definitions."""
    taken: dict[str, set[str]] = defaultdict(set)
    for key in components:
        taken[key.kind].add(key.name)
    first: dict[tuple[str, str], PartKey] = {}
    names = Names({}, {})
    for key in sorted(components):
        holder = first.setdefault((key.kind, key.name), key)
        if classes[key] == classes[holder]:
            names.final[key], names.holders[key] = key.name, holder
        else:
            name = free_name(f"{key.service}.{key.name}", taken[key.kind])
            taken[key.kind].add(name)
            names.final[key], names.holders[key] = name, key
    return names
