"""What a simulated service answers to a request that its document allows."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from gco_conformance.gateway.data import Drawing
from gco_conformance.gateway.description import Answer, Content, Operation
from gco_conformance.gateway.refusals import json_reply
from gco_conformance.gateway.service import UNUSABLE, Service, is_json
from gco_conformance.http_messages import Headers, Reply
from gco_conformance.model.references import at

TRIES = 20


def answer(service: Service, operation: Operation, seed: str) -> Reply:
    """A documented answer of success, or the first of any kind where the document has none.

    501 where no data that fits the answer's schema was found: the simulation doesn't lie.
    """
    documented = _chosen(operation)
    if documented is None:
        return json_reply(200, None)
    status = _status(documented.status)
    headers: Headers = tuple(_headers(service, documented, seed))
    content = _preferred(documented)
    if content is None or status == 204:
        return Reply(status, b"", headers)
    if not is_json(_plain(content.media_type)):
        return Reply(status, _text(service, content, seed), (("Content-Type", _sent(content)), *headers))
    if not content.schema:
        return Reply(status, b"{}", (("Content-Type", content.media_type), *headers))
    found = valid(service, content.schema, seed)
    if not found:
        return json_reply(501, {"detail": "The simulation found no data for this answer's schema"})
    return Reply(status, _json(found[0]), (("Content-Type", content.media_type), *headers))


def valid(service: Service, schema: str, seed: str, count: int = 1) -> list[Any]:
    """Up to `count` values that the schema at a place of the service's document allows."""
    found: list[Any] = []
    # A schema that can't be used, or that is beyond what is drawn here, has no data.
    with contextlib.suppress(*UNUSABLE, ArithmeticError, IndexError, ValueError):
        validator = service.validators.at(schema, "answer")
        node = at(service.document, schema)
        for number in range(TRIES * count):
            value = Drawing(service.document, f"{seed} {number}").value(node)
            if validator.is_valid(value):
                found.append(value)
                if len(found) == count:
                    break
    return found


def _chosen(operation: Operation) -> Answer | None:
    """The answer of success; `default` may be one."""
    answers = sorted(operation.answers, key=lambda answer: answer.status)
    good = [answer for answer in answers if answer.status.startswith("2")]
    default = [answer for answer in answers if answer.status == "default"]
    return next(iter([*good, *default, *answers]), None)


def _status(key: str) -> int:
    text = key.upper().replace("X", "0")
    return int(text) if text.isdigit() else 200


def _preferred(documented: Answer) -> Content | None:
    contents = sorted(documented.contents, key=lambda content: not is_json(_plain(content.media_type)))
    return next(iter(contents), None)


def _headers(service: Service, documented: Answer, seed: str) -> Iterator[tuple[str, str]]:
    for name, schema in documented.headers.items():
        found = valid(service, schema, f"{seed} {name}") if schema else ["present"]
        if found:
            text = found[0] if isinstance(found[0], str) else json.dumps(found[0], separators=(",", ":"))
            yield name, text.encode("ascii", "replace").decode()


def _text(service: Service, content: Content, seed: str) -> bytes:
    found = valid(service, content.schema, seed) if content.schema else []
    value = found[0] if found else "simulated"
    return value.encode() if isinstance(value, str) else _json(value)


def _sent(content: Content) -> str:
    return "text/plain" if "*" in content.media_type else content.media_type


def _plain(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
