"""What a file that people write has that its JSON Schema doesn't allow, said in one line with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gco_conformance.errors import UsageError
from gco_conformance.importing import ALONE
from gco_conformance.world.yaml_file import YamlFile

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


def refuse_misfits(file: YamlFile, validator: Draft202012Validator, whole: str) -> None:
    """Raise `UsageError` for what fits worst in a file; `whole` is what the file as such is called."""
    with ALONE:
        from jsonschema.exceptions import best_match  # slow to import, and most runs read no such file

    misfit = best_match(validator.iter_errors(file.value))
    if misfit is not None:
        raise _unfit(file, misfit, whole)


def _unfit(file: YamlFile, error: ValidationError, whole: str) -> UsageError:
    place = list(error.absolute_path)
    known: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    instance: Any = error.instance
    wanted: Any = error.validator_value
    name = _name(place) or whole
    hint = ""
    match error.validator:
        case "required":
            missing = next(key for key in wanted if key not in instance)
            problem = f"{name} has no {missing}"
        case "additionalProperties":
            unknown = next(key for key in instance if key not in known["properties"])
            problem = f"{name} has an unknown key {unknown!r}"
            hint = f"known are {', '.join(known['properties'])}"
            place.append(unknown)
        case "enum":
            problem = f"{name} is {str(instance)[:80]!r}"
            hint = f"it may be {', '.join(map(str, wanted))}"
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            problem = f"{name} must be {' or '.join(_KINDS[kind] for kind in kinds)}, not {str(instance)[:80]!r}"
        case "not":
            problem = f"{name} has both {' and '.join(wanted['required'])}"
            hint = "keep one"
        case "pattern":
            problem = f"{name}: {str(instance)[:80]!r} isn't a valid name"
            place += [instance] if isinstance(instance, str) else []
        case "minProperties":
            problem = f"{name} says too little"
            hint = str(known.get("description", ""))
        case _:
            problem = f"{name}: {error.message[:200]}"
    return UsageError(f"{file.path}:{file.line(place)}: {problem}", hint)


def _name(place: list[str | int]) -> str:
    """`steps.2.fails`, counted from 1 as people do."""
    return ".".join(str(step + 1 if isinstance(step, int) else step) for step in place)


_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "nothing",
}
