"""Validators for the schemas of one OpenAPI document, by where they stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from referencing import Registry
from referencing.jsonschema import DRAFT202012

from gco_conformance.gateway.description import fragment
from gco_conformance.importing import ALONE

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Use = Literal["request", "answer"]
_DOCUMENT = "urn:document"


class Validators:
    """Makes validators once for each place. References are resolved within the document, wherever they lead.

    Validating raises `referencing.exceptions.Unresolvable` where one leads nowhere.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._made: dict[tuple[str, Use], Validator] = {}

    def at(self, pointer: str, use: Use) -> Validator:
        """The validator of the schema at a JSON Pointer, for what is sent or for what is answered."""
        made = self._made.get((pointer, use))
        if made is None:
            schema = {"$ref": f"{_DOCUMENT}#{fragment(pointer)}"}
            made = self._made[pointer, use] = self._classes[use](
                schema, registry=self._registry, format_checker=self._classes[use].FORMAT_CHECKER
            )
        return made

    @cached_property
    def _classes(self) -> Mapping[Use, Any]:
        # Takes long to import, and most commands validate nothing.
        with ALONE:
            import openapi_schema_validator as known

        version = str(self._document.get("openapi", ""))
        if version.startswith("3.0"):
            return {"request": known.OAS30WriteValidator, "answer": known.OAS30ReadValidator}
        latest = known.OAS31Validator if version.startswith("3.1") else known.OAS32Validator
        return {"request": latest, "answer": latest}

    @cached_property
    def _registry(self) -> Registry[Any]:
        resource = DRAFT202012.create_resource(self._document)
        registry: Registry[Any] = Registry().with_resource(_DOCUMENT, resource)
        return registry
