"""Requests for the operations of an OpenAPI document, made by Schemathesis."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gco_conformance.http_messages import Request
from gco_conformance.importing import ALONE
from gco_conformance.suite.property import generated

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from schemathesis import Case

HOST = "http://gateway.example"
_OF_THE_CLIENT = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "host",
        "user-agent",
        "x-schemathesis-testcaseid",
    }
)

MAKING = threading.RLock()
"""Held while requests are made: it isn't known of Schemathesis that threads may do that at once."""


class Unmade(Exception):
    """Schemathesis can make no request of the document. The message says why."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A case of Schemathesis and the request that it is; the request is what tells it."""

    case: Case[Any]
    request: Request

    def __repr__(self) -> str:
        sent = self.request
        return repr((sent.method, sent.target, sent.headers, sent.body))


class Requests:
    """The requests that can be made of a document's operations; `base` is put before their paths."""

    def __init__(self, document: Mapping[str, Any], base: str) -> None:
        self._document = document
        self._base = base
        self._strategies: dict[tuple[str, bool], SearchStrategy[Asked]] = {}
        self._limits: dict[tuple[str, bool], tuple[Asked, ...]] = {}

    def operation(self, label: str) -> Any:
        """An operation, as `GET /path`. Raises `Unmade`."""
        found = self._operations.get(label)
        if found is None:
            raise Unmade(f"there is no {label}")
        if isinstance(found, Exception):
            raise Unmade(_line(found))
        return found

    def strategy(self, label: str, *, wrong: bool, seed: int, examples: int) -> SearchStrategy[Asked] | None:
        """Requests that the document allows, or `wrong` ones; `None` where there are none of that kind.

        The first `examples` of `seed` have been made when this returns. Raises `Unmade`.
        """
        with ALONE:
            from hypothesis.errors import Unsatisfiable

        with MAKING:
            try:
                made = self._strategies.get((label, wrong))
                if made is None:
                    made = self._strategies[label, wrong] = self._strategy(label, wrong)
                generated(made, seed, examples)
            except Unsatisfiable:
                return None
            except Unmade:
                raise
            except Exception as error:
                # Whatever Schemathesis makes of a document that is none.
                raise Unmade(_line(error)) from error
        return made

    def at_the_limits(self, label: str, *, wrong: bool) -> tuple[Asked, ...]:
        """Requests with each value that the document names, and with those next to its limits. Raises `Unmade`."""
        with MAKING:
            if (label, wrong) not in self._limits:
                try:
                    self._limits[label, wrong] = tuple(self._at_the_limits(label, wrong))
                except Unmade:
                    raise
                except Exception as error:
                    raise Unmade(_line(error)) from error
        return self._limits[label, wrong]

    def _at_the_limits(self, label: str, wrong: bool) -> Iterator[Asked]:
        with ALONE:
            import schemathesis

        mode = schemathesis.GenerationMode.NEGATIVE if wrong else schemathesis.GenerationMode.POSITIVE
        operation = self.operation(label)
        cases = operation.schema.iter_coverage_cases(
            operation=operation, generation_modes=[mode], generation_config=operation.schema.config.generation
        )
        return (self._asked(case) for case in cases if case.method.upper() == operation.method.upper())

    def _strategy(self, label: str, wrong: bool) -> SearchStrategy[Asked]:
        with ALONE:
            import schemathesis

        mode = schemathesis.GenerationMode.NEGATIVE if wrong else schemathesis.GenerationMode.POSITIVE
        cases: SearchStrategy[Case[Any]] = self.operation(label).as_strategy(generation_mode=mode)
        return cases.map(self._asked)

    def _asked(self, case: Case[Any]) -> Asked:
        return Asked(case, request_of(case, self._base))

    @cached_property
    def _operations(self) -> dict[str, Any]:
        with ALONE:
            import schemathesis
            from schemathesis.config import SchemathesisConfig
            from schemathesis.core.result import Ok

        with MAKING:
            # With a configuration of its own: otherwise it looks for one in the directories above.
            configuration = SchemathesisConfig.from_dict({"generation": {"with-security-parameters": False}})
            try:
                schema = schemathesis.openapi.from_dict(dict(self._document), config=configuration)
                results = list(schema.get_all_operations())
            except Exception as error:
                raise Unmade(_line(error)) from error
            found: dict[str, Any] = {}
            for result in results:
                if isinstance(result, Ok):
                    operation = result.ok()
                    found[operation.label] = operation
                else:
                    invalid = result.err()
                    found[f"{str(invalid.method).upper()} {invalid.path}"] = invalid
        return found


def request_of(case: Case[Any], base: str) -> Request:
    """The request that a client sends for a case: without what every client adds."""
    with ALONE:
        import requests

    given = case.as_transport_kwargs(base_url=HOST + base)
    parts = {name: given.get(name) for name in ("method", "url", "headers", "params", "data", "json", "files")}
    sent = requests.Request(**{**parts, "cookies": given.get("cookies")}).prepare()
    url = urlsplit(sent.url or "")
    body = sent.body if isinstance(sent.body, (bytes, str)) else b""
    headers = tuple(
        (_text(name), _text(value))
        for name, value in sent.headers.items()
        if _text(name).lower() not in _OF_THE_CLIENT
    )
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    return Request(str(sent.method), target, headers, body.encode() if isinstance(body, str) else body)


def curl(request: Request, address: str) -> str:
    """A shell line that sends a request."""
    parts = ["curl", "--path-as-is", "--globoff", "-i"]
    parts += ["--head"] if request.method == "HEAD" else ["-X", request.method]
    parts.append(shlex.quote(address + request.target))
    for name, value in request.headers:
        parts += ["-H", shlex.quote(f"{name}: {value}" if value else f"{name};")]
    if request.body:
        parts += ["--data-binary", _quoted(request.body)]
    return " ".join(parts)


def _quoted(body: bytes) -> str:
    try:
        return shlex.quote(body.decode("ascii"))
    except UnicodeDecodeError:
        return "$'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in body) + "'"


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join([f"{type(error).__name__}:", *lines[:3]])[:300]
