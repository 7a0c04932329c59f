"""Operation ids are unique in the composed document, and links follow them (contract section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gco_reference.composer import pointers
from gco_reference.composer.documents import Document
from gco_reference.composer.naming import free_name
from gco_reference.composer.parts import LinkTarget, Part, PartKey


class OperationIds:
    """The ids of the parts that are written, made unique when this object is made."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._final: dict[tuple[str, str], str] = {}
        self._ambiguous: set[tuple[str, str]] = set()
        operations = [(part, operation) for part in parts for operation in part.all_operations()]
        reserved = {self._id(part, operation) for part, operation in operations if "operationId" in operation}
        taken: set[str] = set()
        for part, operation in operations:
            if "operationId" not in operation:
                continue
            given = operation["operationId"]
            label = (part.key.service, given)
            final = given
            if given in taken:
                final = free_name(f"{part.key.service}.{given}", reserved)
                reserved.add(final)
            taken.add(final)
            operation["operationId"] = final
            if label in self._final and part.key.kind == "paths":
                self._ambiguous.add(label)
            self._final.setdefault(label, final)

    @staticmethod
    def _id(part: Part, operation: dict[str, object]) -> str:
        given = operation["operationId"]
        if not isinstance(given, str):
            raise part.error(f"operationId must be text, not {given!r:.40}")
        return given

    def share(self, part: Part, holder: Part) -> None:
        """Takes note that `holder` is written in place of `part`, which is equal to it."""
        for own, written in zip(part.all_operations(), holder.all_operations(), strict=True):
            if "operationId" in own:
                self._final.setdefault((part.key.service, own["operationId"]), written["operationId"])

    def follow(self, part: Part, link: LinkTarget) -> None:
        """Makes an `operationId` of a link in `part` name its operation in the composed document."""
        label = (part.key.service, link.text)
        if label in self._ambiguous:
            raise part.error(f'a link names the operation "{link.text}", and several have this operationId')
        if label not in self._final:
            raise part.error(
                f'a link names the operation "{link.text}", which the gateway doesn\'t deliver to '
                f"{part.key.service}"
            )
        link.holder[link.key] = self._final[label]


def follow_reference(part: Part, link: LinkTarget, document: Document, is_kept: Callable[[PartKey], bool]) -> None:
    """Makes an `operationRef` of a link in `part` lead to its operation in the composed document."""
    tokens = pointers.parse(link.text)
    if tokens is None or len(tokens) != 3 or tokens[0] != "paths":
        raise part.error(f"operationRef: \"{link.text}\" doesn't lead to an operation of this document's paths")
    path = document.base_path + tokens[1]
    if tokens[2] not in document.paths.get(path, {}):
        raise part.error(f'operationRef: "{link.text}" leads nowhere')
    if not is_kept(PartKey(document.service, "paths", path)):
        raise part.error(f'operationRef: the gateway doesn\'t deliver "{link.text}" to {document.service}')
    link.holder[link.key] = pointers.build(("paths", path, tokens[2]))
