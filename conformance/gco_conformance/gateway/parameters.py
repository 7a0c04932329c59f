"""Texts of a request as the values that they may stand for: OpenAPI's styles, undone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote

from gco_conformance.gateway.description import Parameter
from gco_conformance.http_messages import Request

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SEPARATORS: Mapping[str, str] = {"spaceDelimited": " ", "pipeDelimited": "|"}
_WORDS: Mapping[str, Any] = {"true": True, "false": False}
_DEEP = re.compile(r"\[([^\]]*)\]")


class Sent:
    """The parameters of one request; `of_path` are the decoded texts of those in its path."""

    def __init__(self, request: Request, of_path: Mapping[str, str]) -> None:
        self._request = request
        self._of_path = of_path
        self._query: dict[str, list[str]] = {}
        for name, value in parse_qsl(request.query, keep_blank_values=True):
            self._query.setdefault(name, []).append(value)

    def values(self, parameter: Parameter) -> tuple[str, list[Any]] | None:
        """The text that was sent for a parameter and what it may stand for, likeliest first; None if absent."""
        if parameter.style == "deepObject":
            return self._deep(parameter.name)
        texts = self._texts(parameter)
        if texts is None:
            return None
        if parameter.media_type:
            return texts[-1], [_document(texts[-1], parameter.media_type)]
        candidates: list[Any] = [scalar(texts[-1]), texts[-1]]
        parts = texts if self._repeats(parameter) else _split(texts[-1], parameter)
        if "array" in parameter.kinds:
            candidates += [[scalar(part) for part in parts], list(parts)]
        if "object" in parameter.kinds:
            candidates += _objects(parts, parameter)
        return texts[-1], candidates

    def _repeats(self, parameter: Parameter) -> bool:
        return parameter.location == "query" and parameter.explode

    def _texts(self, parameter: Parameter) -> Sequence[str] | None:
        if parameter.location == "path":
            text = self._of_path.get(parameter.name)
        elif parameter.location == "query":
            return self._query.get(parameter.name) or self._query.get(f"{parameter.name}[]")
        elif parameter.location == "header":
            text = self._request.header(parameter.name.lower())
        else:
            text = _cookies(self._request.header("cookie") or "").get(parameter.name)
        return None if text is None else [text]

    def _deep(self, name: str) -> tuple[str, list[Any]] | None:
        found: dict[str, Any] = {}
        for key, values in self._query.items():
            if key.startswith(f"{name}[") and _DEEP.fullmatch(key[len(name) :]):
                found[key[len(name) + 1 : -1]] = values[-1]
        if not found:
            return None
        typed = {key: scalar(value) for key, value in found.items()}
        return json.dumps(found), [typed, found]


def scalar(text: str) -> Any:
    """The integer, number or boolean that a text spells, else the text."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if abs(number) != float("inf") else text
    return _WORDS.get(text, text)


def _split(text: str, parameter: Parameter) -> list[str]:
    separator = _SEPARATORS.get(parameter.style, ",")
    lead = {"label": ".", "matrix": ";"}.get(parameter.style, "")
    text = text.removeprefix(lead)
    if parameter.style == "matrix":
        text = text.removeprefix(f"{parameter.name}=")
    return text.split(separator) if text else []


def _objects(parts: Sequence[str], parameter: Parameter) -> list[Any]:
    """The object that parts spell, as `a,1,b,2` or `a=1,b=2`."""
    pairs: list[tuple[str, str]] = []
    if parameter.explode and all("=" in part for part in parts):
        pairs = [(key, value) for key, _, value in (part.partition("=") for part in parts)]
    elif not parameter.explode and len(parts) % 2 == 0:
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
    return [{key: scalar(value) for key, value in pairs}, dict(pairs)] if pairs else []


def _document(text: str, media_type: str) -> Any:
    if "json" not in media_type:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _cookies(header: str) -> dict[str, str]:
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return {name: unquote(value) for name, _, value in pairs if name}
