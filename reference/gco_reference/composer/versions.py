"""The OpenAPI versions of the documents: compared as numbers, and mixed only where they mean the same.

Contract section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from gco_reference.composer.errors import ComposeError

_VERSION = re.compile(r"3\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-\S+)?", re.ASCII)


class Version(NamedTuple):
    """OpenAPI 3.`minor`.`patch`, and the text that says so."""

    minor: int
    patch: int
    text: str


def read_version(tree: dict[str, Any], file: str) -> Version:
    """The version that the document `tree` states."""
    if "openapi" not in tree:
        swagger = f" (Swagger {tree['swagger']} isn't supported)" if "swagger" in tree else ""
        raise ComposeError(f'"openapi", the version of the document, is missing{swagger}', file)
    stated = tree["openapi"]
    found = _VERSION.fullmatch(stated) if isinstance(stated, str) else None
    if found is None:
        raise ComposeError(f"openapi: {stated!r:.40} isn't an OpenAPI version 3.x.y", file)
    return Version(int(found[1]), int(found[2]), stated)


def highest(versions: Iterable[tuple[str, Version]]) -> Version:
    """The highest of the versions, given with the files that state them; 3.0 and later ones don't mix."""
    found = list(versions)
    if not found:
        return Version(1, 0, "3.1.0")
    old = [(file, version) for file, version in found if version.minor == 0]
    if old and len(old) < len(found):
        stated = ", ".join(f"{file} is {version.text}" for file, version in found)
        raise ComposeError(f"OpenAPI 3.0 and later documents can't be mixed: {stated}")
    return max(version for _, version in found)
