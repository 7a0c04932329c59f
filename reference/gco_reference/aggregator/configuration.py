"""What the environment says: project, regions and DNS suffix (contract section 1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gco_reference.aggregator import strict_json

_REGION = re.compile(r"[a-z]{2,4}(?:-[a-z0-9]+)+-[0-9]+")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


class NotConfiguredError(Exception):
    """The environment doesn't describe a deployment; the text is for the log."""


@dataclass(frozen=True)
class Configuration:
    project: str
    regions: tuple[str, ...]  # each once, in the order of TARGET_REGIONS
    suffix: str  # lower case, such as "amazonaws.com"

    def stack(self, region: str) -> str:
        return f"{self.project}-regional-api-{region}"


def read(environment: Mapping[str, str]) -> Configuration:
    """The configuration. Raises `NotConfiguredError`."""
    project = environment.get("PROJECT_NAME", "gco").strip()
    if not project:
        raise NotConfiguredError("PROJECT_NAME is empty")
    return Configuration(
        project=project,
        regions=_regions(environment.get("TARGET_REGIONS", "")),
        suffix=_suffix(environment.get("AWS_URL_SUFFIX", "")),
    )


def _regions(text: str) -> tuple[str, ...]:
    try:
        names = strict_json.parse(text)
    except strict_json.NotJsonError as error:
        raise NotConfiguredError(f"TARGET_REGIONS {error}") from None
    if not isinstance(names, list):
        raise NotConfiguredError("TARGET_REGIONS isn't a list")
    for name in names:
        if not isinstance(name, str) or not _REGION.fullmatch(name):
            raise NotConfiguredError(f"TARGET_REGIONS has {name!r}, which isn't the name of a region")
    return tuple(dict.fromkeys(names))


def _suffix(text: str) -> str:
    suffix = text.strip().lower()
    if len(suffix) > 253 or not all(_LABEL.fullmatch(label) for label in suffix.split(".")):
        raise NotConfiguredError("AWS_URL_SUFFIX isn't a DNS name")
    return suffix
