"""Which path of a document a request is for, and what its parameters stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

_NAME = re.compile(r"\{([^{}]*)\}")
_UNRESERVED = re.compile(r"%(?:2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aA]|5[fF]|6[1-9a-fA-F]|7[0-9aA]|7[eE])")


def normalized(path: str) -> str:
    """The path with the percent-encodings undone that change nothing (RFC 3986, 6.2.2.2). `%2F` stays."""
    return _UNRESERVED.sub(lambda match: unquote(match[0]), path) if "%" in path else path


class Templates:
    """The path templates of a document. Concrete paths are matched before templated ones, as OpenAPI says."""

    def __init__(self, templates: Iterable[str]) -> None:
        self._concrete: set[str] = set()
        self._templated: dict[int, list[tuple[str, list[str], re.Pattern[str]]]] = {}
        for template in sorted(templates, key=_precedence):
            if "{" not in template:
                self._concrete.add(template)
                continue
            parts = _NAME.split(template)
            pattern = "([^/]+?)".join(re.escape(part) for part in parts[::2])
            entry = (template, parts[1::2], re.compile(pattern))
            self._templated.setdefault(template.count("/"), []).append(entry)

    def find(self, path: str) -> tuple[str, dict[str, str]] | None:
        """The template that takes a path as it was sent, and the decoded text of each of its parameters."""
        plain = normalized(path)
        if plain in self._concrete:
            return plain, {}
        for template, names, pattern in self._templated.get(plain.count("/"), ()):
            found = pattern.fullmatch(plain)
            if found is not None:
                return template, dict(zip(names, map(unquote, found.groups()), strict=True))
        decoded = unquote(plain)
        return (decoded, {}) if decoded in self._concrete and decoded.count("/") == plain.count("/") else None


def _precedence(template: str) -> list[tuple[int, str]]:
    return [(0 if "{" not in part else 2 if _NAME.fullmatch(part) else 1, part) for part in template.split("/")]
