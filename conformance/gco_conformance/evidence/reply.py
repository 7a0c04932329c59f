"""One answer of an aggregator to one event, and what must be true of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from gco_conformance.adapters.answer import Ending
from gco_conformance.adapters.function import Invocation
from gco_conformance.evidence.violation import Violation
from gco_conformance.model.json_equality import equal

_SHORT = 1000
# What is left out is marked in ASCII: in JSON, other signs become escapes that nobody reads.
_REST = {"...": "..."}


@dataclass(frozen=True)
class Reply:
    """What an aggregator gave for an event. `story` tells, line by line, what AWS and the regions saw."""

    event: Mapping[str, Any]
    invocation: Invocation
    story: tuple[str, ...]

    @property
    def reproduction(self) -> str:
        """The event, and what was seen while it was answered."""
        event = shlex.quote(json.dumps(self.event))
        seen = "\n".join(f"#   {line}" for line in self.story) or "#   nothing"
        return f"# The event:\nprintf '%s\\n' {event}\n# What AWS and the regions saw meanwhile:\n{seen}\n"

    @property
    def status(self) -> Any:
        payload = self.invocation.payload
        return payload.get("statusCode") if isinstance(payload, dict) else None

    @property
    def text(self) -> str:
        """The body as it was returned."""
        payload = self.invocation.payload
        body = payload.get("body") if isinstance(payload, dict) else None
        return body if isinstance(body, str) else ""

    @property
    def body(self) -> Any:
        """The body as JSON, `None` where it isn't: `NaN` and the like aren't in JSON."""
        try:
            return json.loads(self.text, parse_constant=_no_json)
        except (ValueError, RecursionError):
            return None

    @property
    def headers(self) -> Mapping[str, Any]:
        """The headers of the answer, with names in lower case; empty where there are none."""
        payload = self.invocation.payload
        given = payload.get("headers") if isinstance(payload, dict) else None
        return {name.lower(): value for name, value in given.items()} if isinstance(given, dict) else {}

    def listed(self, name: str) -> list[dict[str, Any]]:
        """The objects in a list that is a member of the body; none where there is no such list."""
        listed = self.body.get(name) if isinstance(self.body, dict) else None
        return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []

    def errors(self) -> dict[str, Any]:
        """The regions that failed, each with its error, on whatever route; several of one region are joined."""
        found: dict[str, Any] = {}
        for entry in (*self.listed("errors"), *self.listed("regions")):
            if "error" in entry:
                name = str(entry.get("region"))
                found[name] = f"{found[name]} and {entry['error']}" if name in found else entry["error"]
        return found

    def error_of(self, region: str, *right: str) -> str:
        """Which of several right errors is told for a region; the first where it is none of them."""
        told = self.errors().get(region)
        return told if told in right else right[0]

    def summary(self) -> str:
        """What came back, in a line."""
        if self.invocation.ending is not Ending.EXITED or self.invocation.error:
            return f"no answer: {self.invocation.error or self.invocation.ending.value}"
        return json.dumps(self.invocation.payload, sort_keys=True)

    def _said(self, parts: Mapping[str, Any]) -> Any:
        """What came back, the body in these parts if it has them. Otherwise what it says instead is told."""
        found = self.body
        if not isinstance(found, dict):
            return self.summary()
        lacking = any(part.partition(".")[0] not in found for part in parts)
        said: Mapping[str, Any] = {**parts, **_REST}
        if self.status != 200 or lacking:
            there = {name: found[name] for name in ("error", *parts) if name in found}
            said = found if len(self.text) <= _SHORT else {**there, **_REST}
        return {"statusCode": self.status, "body": said}

    def fails(self, message: str, expected: str) -> NoReturn:
        """Say that the answer isn't what it should be."""
        raise Violation(message, expected=expected, actual=self.summary(), observation=self)

    def has_status(self, status: int) -> None:
        """The answer has this status."""
        if self.status != status:
            raise Violation(
                "the answer has another status",
                expected={"statusCode": status},
                actual=self.summary(),
                observation=self,
            )

    def is_(self, status: int, body: Any) -> None:
        """The answer has this status and, as JSON, exactly this body."""
        if self.status != status or not equal(self.body, body):
            raise Violation(
                "the answer is another",
                expected={"statusCode": status, "body": body},
                actual={"statusCode": self.status, "body": self.body} if self.body is not None else self.summary(),
                observation=self,
            )

    def says(self, **members: Any) -> None:
        """The answer is a 200 whose body has these members, whatever else is in it."""
        found = self.body if isinstance(self.body, dict) else {}
        if self.status != 200 or any(
            name not in found or not equal(found[name], value) for name, value in members.items()
        ):
            raise Violation(
                "the answer says something else",
                expected={"statusCode": 200, "body": {**members, **_REST}},
                actual=self._said({name: found.get(name) for name in members}),
                observation=self,
            )

    def agrees(self, expected: Mapping[str, Any], *parts: str) -> None:
        """The answer is a 200 that agrees with `expected` in these parts, whatever else it says.

        `name` is a member of the body. `name.key` is what the entries of a list have at `key`, each with its
        region, in any order and without those that don't have it; `name.*` are whole entries in any order.
        """
        found = self.body if isinstance(self.body, dict) else {}
        wanted, given = ({part: _part(body, part) for part in parts} for body in (expected, found))
        if self.status != 200 or not equal(given, wanted):
            raise Violation(
                "the answer says something else",
                expected={"statusCode": 200, "body": {**wanted, **_REST}},
                actual=self._said(given),
                observation=self,
            )

    def accounts_for(self, expected: Mapping[str, Any]) -> None:
        """Every region is in the answer as in `expected`: once, with its own result or its error.

        How results are ordered, summed up and filled with defaults is a matter of other checks.
        """
        self.agrees(expected, *next(parts for member, parts in _OF_REGIONS.items() if member in expected))

    def refuses(self, field: str) -> None:
        """The answer is a 400 with an error that names the field."""
        error = self.body.get("error") if isinstance(self.body, dict) else None
        if self.status != 400 or not isinstance(error, str) or field not in error:
            raise Violation(
                "the request isn't refused",
                expected={"statusCode": 400, "body": {"error": f"... {field} ..." if field else "..."}},
                actual=self.summary(),
                observation=self,
            )

    def came_within(self, seconds: float) -> None:
        """The answer was there after so many seconds."""
        if self.invocation.ending is not Ending.EXITED or self.invocation.seconds > seconds:
            raise Violation(
                "the answer comes too late",
                expected=f"an answer within {seconds:g} s",
                actual=f"after {self.invocation.seconds:.1f} s: {self.summary()}",
                observation=self,
            )


_OF_REGIONS: Mapping[str, tuple[str, ...]] = {
    "jobs": ("regions_queried", "regions_successful", "region_summaries.region", "jobs.metadata", "errors.error"),
    "region_results": ("regions_queried", "region_results.deleted", "errors.error"),
    "overall_status": ("total_regions", "regions.status", "regions.error"),
    "regions": ("regions_queried", "regions_successful", "regions.cluster_id", "errors.error"),
}
"""By a member that tells the kind of an answer: the parts of it that say what became of each region."""


def _part(body: Mapping[str, Any], part: str) -> Any:
    name, dot, key = part.partition(".")
    value = body.get(name)
    if not dot:
        return value
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    found = [
        entry if key == "*" else [entry.get("region"), entry[key]]
        for entry in entries
        if key == "*" or key in entry
    ]
    return sorted(found, key=lambda entry: json.dumps(entry, sort_keys=True))


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")
