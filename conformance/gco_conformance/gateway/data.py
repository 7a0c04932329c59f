"""Data for JSON schemas: what a service that follows its document might answer. The same seed, the same data."""

from __future__ import annotations

import functools
import math
import random
import re
import string
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from gco_conformance.importing import ALONE
from gco_conformance.model.references import Document, reference_of, resolve

DEEPEST = 5
"""Where values no longer get what they needn't have: the end of recursive schemas."""
OFTEN = 0.7
_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron")
_FIRST_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


class Drawing:
    """Draws values for the schemas of a document.

    What it can't do it doesn't try: whoever uses the data validates it. Raises `RecursionError` for schemas
    whose values never end, and `Dangling`.
    """

    def __init__(self, document: Document, seed: str) -> None:
        self._document = document
        self._random = random.Random(seed)

    def value(self, schema: Any, depth: int = 0) -> Any:
        """A value for a schema."""
        schema = self._merged(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._random.choice(schema["enum"])
        examples = [*schema.get("examples", ()), *(schema[key] for key in ("example", "default") if key in schema)]
        if examples and self._random.random() < 0.5:
            return self._random.choice(examples)
        for alternatives in ("oneOf", "anyOf"):
            if schema.get(alternatives):
                rest = {key: value for key, value in schema.items() if key != alternatives}
                return self.value({"allOf": [rest, self._alternative(schema[alternatives], depth)]}, depth)
        return self._of_type(schema, depth)

    def _of_type(self, schema: Mapping[str, Any], depth: int) -> Any:
        kind = self._kind(schema)
        if depth > 4 * DEEPEST:
            raise RecursionError("the values of the schema never end")
        makers: Mapping[str, Callable[[], Any]] = {
            "null": lambda: None,
            "boolean": lambda: self._random.random() < 0.5,
            "integer": lambda: self._integer(schema),
            "number": lambda: self._number(schema),
            "string": lambda: self._text(schema),
            "array": lambda: self._array(schema, depth),
            "object": lambda: self._object(schema, depth),
        }
        return makers[kind]() if kind in makers else self._anything(depth)

    def _anything(self, depth: int) -> Any:
        """Where nothing is said: an object, since most answers are one, with texts in it."""
        return {"value": self._word()} if depth == 0 else self._word()

    def _alternative(self, alternatives: Any, depth: int) -> Any:
        if depth < DEEPEST:
            return self._random.choice(alternatives)
        # Deep down, what ends soonest: an alternative without references.
        plain = [one for one in alternatives if reference_of(one) is None]
        return self._random.choice(plain or alternatives)

    def _kind(self, schema: Mapping[str, Any]) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            others = [one for one in kind if one != "null"]
            return str(self._random.choice(others)) if others and self._random.random() < 0.8 else str(kind[-1])
        if kind is not None:
            return "null" if schema.get("nullable") is True and self._random.random() < 0.2 else str(kind)
        for key, implied in _IMPLIED.items():
            if key in schema:
                return implied
        return "string" if _OF_TEXTS & schema.keys() else "anything"

    def _merged(self, schema: Any) -> dict[str, Any]:
        """A schema with what it refers to and what it has to be besides."""
        if not isinstance(schema, dict):
            return {} if schema else {"not": {}}
        reference = reference_of(schema)
        parts = [self._merged(resolve(self._document, reference))] if reference is not None else []
        parts += [self._merged(part) for part in schema.get("allOf", ())]
        own = {key: value for key, value in schema.items() if key not in ("$ref", "$dynamicRef", "allOf")}
        return functools.reduce(_both, [*parts, own], {})

    def _integer(self, schema: Mapping[str, Any]) -> int:
        low, high = _limits(schema)
        step = schema.get("multipleOf", 1)
        first = math.ceil(low) if low is not None else min(0, math.floor(high)) if high is not None else 0
        last = math.floor(high) if high is not None else first + 1000
        number = self._random.randint(first, max(first, last))
        return math.ceil(number / step) * step if isinstance(step, int) and step > 1 else number

    def _number(self, schema: Mapping[str, Any]) -> float:
        low, high = _limits(schema)
        first = low if low is not None else (high - 1000 if high is not None else 0)
        last = high if high is not None else first + 1000
        number = round(self._random.uniform(first, last), 2)
        step = schema.get("multipleOf")
        return round(number / step) * step if step else min(max(number, first), last)

    def _text(self, schema: Mapping[str, Any]) -> str:
        if "pattern" in schema:
            texts = _matching(str(schema["pattern"]))
            shortest, longest = schema.get("minLength", 0), schema.get("maxLength", math.inf)
            fitting = [text for text in texts if shortest <= len(text) <= longest]
            if fitting:
                return self._random.choice(fitting)
        formatted = self._formatted(str(schema.get("format", "")))
        text = self._word() if formatted is None else formatted
        while len(text) < schema.get("minLength", 0):
            text += self._random.choice(string.ascii_lowercase)
        return text[: schema["maxLength"]] if "maxLength" in schema else text

    def _formatted(self, format_: str) -> str | None:
        moment = _FIRST_MOMENT + timedelta(seconds=self._random.randrange(10**7))
        host = f"{self._word()}.example"
        number = self._random.getrandbits(128)
        texts: Mapping[str, Callable[[], str]] = {
            "date-time": lambda: moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "date": lambda: f"{moment:%Y-%m-%d}",
            "time": lambda: moment.strftime("%H:%M:%SZ"),
            "duration": lambda: f"PT{number % 60}M",
            "uuid": lambda: str(uuid.UUID(int=number, version=4)),
            "email": lambda: f"{self._word()}@{host}",
            "hostname": lambda: host,
            "ipv4": lambda: f"192.0.2.{number % 256}",
            "ipv6": lambda: f"2001:db8::{number % 65536:x}",
            "uri": lambda: f"https://{host}/{self._word()}",
            "uri-reference": lambda: f"/{self._word()}",
            "byte": lambda: "Z2Nv",
        }
        return texts[format_]() if format_ in texts else None

    def _word(self) -> str:
        return f"{self._random.choice(_WORDS)}-{self._random.randrange(1000)}"

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", 3), max(3, least)) if depth < DEEPEST else least
        first = [self.value(item, depth + 1) for item in schema.get("prefixItems", ())]
        items = schema.get("items", {})
        count = self._random.randint(max(least, min(1, most)), max(least, most)) - len(first)
        rest = [self.value(items, depth + 1) for _ in range(count)] if items is not False else []
        found: list[Any] = []
        for value in first + rest:
            if not schema.get("uniqueItems") or value not in found:
                found.append(value)
        return found

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", ())
        made = {
            name: self.value(properties[name], depth + 1)
            for name in properties
            if name in required or (depth < DEEPEST and self._random.random() < OFTEN)
        }
        others = schema.get("additionalProperties", True)
        for name in required:
            if name not in made:
                made[name] = self.value(others, depth + 1)
        wanted = schema.get("minProperties", 0) - len(made)
        if isinstance(others, dict) and depth < DEEPEST:
            wanted = max(wanted, self._random.randint(0, 2))
        for _ in range(wanted if others is not False else 0):
            name = str(self.value(schema.get("propertyNames", {"type": "string"}), depth + 1))
            made[name] = self.value(others, depth + 1)
        return made


_IMPLIED: Mapping[str, str] = {
    "properties": "object",
    "required": "object",
    "additionalProperties": "object",
    "items": "array",
    "prefixItems": "array",
    "minimum": "number",
    "maximum": "number",
}
_OF_TEXTS = frozenset({"pattern", "format", "minLength", "maxLength"})


def _both(left: dict[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of what is allowed by two, as far as that is easily said."""
    both = {**left, **right}
    if "properties" in left and "properties" in right:
        both["properties"] = {
            **left["properties"],
            **{
                name: {"allOf": [left["properties"][name], value]} if name in left["properties"] else value
                for name, value in right["properties"].items()
            },
        }
    if "required" in left and isinstance(right.get("required"), list):
        both["required"] = [*left["required"], *right["required"]]
    for key in ("oneOf", "anyOf"):
        if key in left and key in right:
            both["oneOf" if key == "anyOf" else "anyOf"] = left[key]
    for key, choose in (("minimum", max), ("minLength", max), ("maximum", min), ("maxLength", min)):
        if key in left and key in right:
            both[key] = choose(left[key], right[key])
    if "enum" in left and "enum" in right:
        both["enum"] = [value for value in left["enum"] if value in right["enum"]] or right["enum"]
    if "type" in left and "type" in right:
        both["type"] = _common(left["type"], right["type"])
    return both


def _common(left: Any, right: Any) -> Any:
    lefts, rights = (one if isinstance(one, list) else [one] for one in (left, right))
    if {"integer", "number"} == {*lefts, *rights}:
        return "integer"
    common = [kind for kind in lefts if kind in rights]
    return common[0] if len(common) == 1 else common or right


def _limits(schema: Mapping[str, Any]) -> tuple[Any, Any]:
    """The least and the greatest number; limits that are excluded are left by one, or a little."""
    low, high = schema.get("minimum"), schema.get("maximum")
    step = 1 if schema.get("type") == "integer" else 0.01
    for key, sign in (("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        limit = schema.get(key)
        if limit is True:  # as OpenAPI 3.0 says it
            limit = low if sign == 1 else high
        if limit is None or limit is False:
            continue
        moved = limit + sign * step
        if sign == 1:
            low = moved if low is None else max(low, moved)
        else:
            high = moved if high is None else min(high, moved)
    return low, high


@functools.cache
def _matching(pattern: str) -> tuple[str, ...]:
    """Some texts that a pattern matches, none where it isn't one that Python knows."""
    # Loaded only for documents that have patterns.
    with ALONE:
        import hypothesis
        from hypothesis import HealthCheck, Phase
        from hypothesis import strategies as st
        from hypothesis.errors import HypothesisException

    found: list[str] = []

    @hypothesis.seed(0)
    @hypothesis.settings(
        max_examples=8, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @hypothesis.given(st.from_regex(pattern, alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
    def collect(text: str) -> None:
        found.append(text.rstrip("\n"))

    try:
        collect()
    except (re.error, HypothesisException):
        return ()
    return tuple(dict.fromkeys(found))
