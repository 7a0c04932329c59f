"""`implementation.toml`: who an implementation is, how it is run, and what it is known not to do.

    [implementation]
    name = "…"
    version = "…"
    language = "…"
    url = "https://…"
    contact = "…"                       # optional
    composer = "command:… {root}"       # this or `aggregator` or both, here or above the first table

    [[unsupported]]                     # not tested
    requirement = "composer.…"          # an id or a glob
    reason = "…"
    issue = "https://…"

    [[known-failure]]                   # tested, and must fail
    requirement = "composer.…"
    reason = "…"
    issue = "https://…"                 # optional

The JSON Schema `implementation-1` in `schemas` describes it. A word of a command that names a file beside
`implementation.toml`, and the file of `python:FILE:FUNCTION`, mean that file, wherever the kit is run; other
relative paths start from the directory in which it is run.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gco_conformance.adapters.answer import Identity
from gco_conformance.adapters.schema import first_error
from gco_conformance.adapters.toml_lines import line_of
from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


@dataclass(frozen=True)
class Declared:
    """What the maintainers say about one requirement, or about all that a glob names."""

    requirement: str
    reason: str
    issue: str = ""


@dataclass(frozen=True)
class Implementation:
    """An `implementation.toml`. `composer` and `aggregator` say how to run them, if there is one."""

    name: str
    version: str
    language: str
    url: str
    contact: str = ""
    composer: str | None = None
    aggregator: str | None = None
    unsupported: tuple[Declared, ...] = ()
    known_failures: tuple[Declared, ...] = ()

    @property
    def identity(self) -> Identity:
        return Identity(self.name, self.version, self.language, self.url)


def load(path: Path) -> Implementation:
    """Read an `implementation.toml`. Raises `UsageError` with file, line where it is known, and key."""
    text = _read(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} isn't TOML: {error}") from None
    misfit = first_error("implementation-1", document)
    if misfit is not None:
        raise _unfit(path, text, misfit)
    about: dict[str, Any] = document["implementation"]
    for key in ("composer", "aggregator"):
        if key in about and key in document:
            place = f"{path}:{line_of(text, (key,))}"
            raise UsageError(f"{place}: {key} is there twice, here and in [implementation]", "keep one")
    runs = {key: about.get(key, document.get(key)) for key in ("composer", "aggregator")}
    if not any(runs.values()):
        raise UsageError(f"{path} names no composer and no aggregator", 'add composer = "command:… {root}"')
    return Implementation(
        name=about["name"],
        version=about["version"],
        language=about["language"],
        url=about["url"],
        contact=about.get("contact", ""),
        composer=runs["composer"] and _anchored(runs["composer"], path.parent),
        aggregator=runs["aggregator"] and _anchored(runs["aggregator"], path.parent),
        unsupported=_declared(document, "unsupported"),
        known_failures=_declared(document, "known-failure"),
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} isn't UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None


def _declared(document: Mapping[str, Any], key: str) -> tuple[Declared, ...]:
    return tuple(Declared(**entry) for entry in document.get(key, ()))


def _anchored(spec: str, folder: Path) -> str:
    """The spec, with the files that lie beside `implementation.toml` made absolute."""
    kind, _, rest = spec.partition(":")
    if kind == "python":
        file, colon, function = rest.partition(":")
        return f"python:{_beside(folder, file)}{colon}{function}"
    if not any((folder / word).is_file() for word in rest.split()):
        return spec
    return f"{kind}:{shlex.join(_beside(folder, word) for word in shlex.split(rest))}"


def _beside(folder: Path, word: str) -> str:
    file = (folder / word).absolute()
    return str(file) if file.is_file() else word


def _unfit(path: Path, text: str, error: ValidationError) -> UsageError:
    """What doesn't fit the schema, at its line, in words."""
    where = tuple(error.absolute_path)
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    instance: Any = error.instance
    wanted: Any = error.validator_value
    hint = ""
    if error.validator == "required":
        missing = next(key for key in wanted if key not in instance)
        problem = f"{_name(where)} has no {missing}"
    elif error.validator == "additionalProperties":
        known = list(schema["properties"])
        unknown = next(key for key in instance if key not in known)
        problem = f"{_name(where)} has an unknown key {unknown!r}"
        hint = f"known are {', '.join(known)}"
        where = (*where, unknown)
    elif error.validator == "type" and wanted != "string":
        kind = {"object": "a table", "array": "a list of tables"}[wanted]
        problem = f"{_name(where)} must be {kind}"
    else:
        problem = f"{_name(where)} must be {schema.get('title', 'different')}, not {str(instance)[:80]!r}"
    line = line_of(text, where)
    return UsageError(f"{path}:{line}: {problem}" if line else f"{path}: {problem}", hint)


def _name(where: tuple[str | int, ...]) -> str:
    """A place as people call it: `[implementation] url`, `[[unsupported]] number 2, issue`."""
    match where:
        case ():
            return "the file"
        case (str(key), int(index), *rest):
            return f"[[{key}]] number {index + 1}" + "".join(f", {part}" for part in rest)
        case ("implementation", *rest):
            return "[implementation]" + "".join(f" {part}" for part in rest)
    return str(where[0])
