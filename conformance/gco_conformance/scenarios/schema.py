"""The JSON Schema of scenario files: published as a file, and assembled of what scenarios are made of.

What a world file says of worlds and what the catalogue says of faults is in the file too, so that an editor needs
nothing else. A test holds the file to `assembled`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from gco_conformance.importing import ALONE
from gco_conformance.scenarios.form import ORDINALS
from gco_conformance.world import description
from gco_conformance.world.faults import CATALOGUE
from gco_conformance.world.faults import form as fault_form

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Schema = dict[str, Any]


def published() -> Schema:
    """The schema as it is published."""
    path = resources.files("gco_conformance.scenarios") / "schemas" / "scenario-1.schema.json"
    return cast("Schema", json.loads(path.read_text(encoding="utf-8")))


@functools.cache
def validator() -> Draft202012Validator:
    with ALONE:
        from jsonschema import Draft202012Validator  # slow to import, and most runs read no scenario

    return Draft202012Validator(published())


def assembled() -> Schema:
    """The schema, made of its parts."""
    world = description.schema()
    inner = world.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:gco-conformance:scenario-1",
        "title": "A scenario for a cross-region aggregator",
        "description": "A world, what happens in it step by step, and what an aggregator must make of it.",
        **_object(
            {
                "title": {**_TEXT, "minLength": 1, "description": "What it is about, in a few words."},
                "why": {**_TEXT, "description": "What breaks for people when it isn't met."},
                "requirements": {
                    "type": "array",
                    "items": {"type": "string", "pattern": "^aggregator\\.[a-z0-9.-]+$"},
                    "description": "Ids of the requirements that it is about; the first is the main one.",
                },
                "world": _ref("world"),
                "steps": {"type": "array", "minItems": 1, "items": _ref("step")},
            },
            required=["title", "world", "steps"],
        ),
        "$defs": {
            "world": {key: world[key] for key in world if not key.startswith("$")},
            **inner,
            **_STEPS,
            **_EXPECTATIONS,
            **_faults(),
        },
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _object(properties: Mapping[str, Any], required: list[str] | None = None, **more: Any) -> Schema:
    needed = {"required": required} if required else {}
    return {"type": "object", "additionalProperties": False, **needed, "properties": dict(properties), **more}


def _chain(word: str, kinds: Mapping[str, str], properties: Mapping[str, Any]) -> Schema:
    """A step that begins with `word`, and the definition that it fits by the other word that it has."""
    schema: Schema = _object(
        {word: properties[word], **dict.fromkeys(kinds, True)},
        minProperties=2,
        description=f"{word} and one of {', '.join(kinds)}",
    )
    for key, kind in reversed(tuple(kinds.items())):
        schema = {"if": {"required": [key]}, "then": _ref(kind), "else": schema}
    return schema


_TEXT: Schema = {"type": "string"}
_REGION: Schema = {"type": "string", "pattern": "^[a-z]{2,4}(-[a-z0-9]+)+-[0-9]+$"}
_YES: Schema = {"const": True}
_FAULTS: Schema = {
    "if": {"type": "array"},
    "then": {"type": "array", "minItems": 1, "items": _ref("fault")},
    "else": _ref("fault"),
}
_WORDS = ("request", "region", "stack", "time-passes", "frozen", "process", "credentials", "arrive")
_CERTIFICATES = ["good", "unknown-ca", "expired", "not-yet-valid", "wrong-name"]


def _step() -> Schema:
    schema = _object(dict.fromkeys(_WORDS, True), minProperties=1, description=f"One of {', '.join(_WORDS)}.")
    for word in reversed(_WORDS):
        schema = {"if": {"required": [word]}, "then": _ref(f"step-{word}"), "else": schema}
    return {"description": "What happens next: its first word tells what.", "type": "object", **schema}


_ANSWERS = _object(
    {route: _ref("answer") for route in ("jobs", "deletion", "health", "status")},
    minProperties=1,
    description="By kind of request, what is answered from now on.",
)

_STEPS: Schema = {
    "step": _step(),
    "step-request": _object(
        {
            "request": {
                "type": "string",
                "pattern": "^[A-Z]+ /[^ ]*$",
                "description": "The aggregator is asked: method and path, as GET /api/v1/global/jobs.",
            },
            "query": {
                "type": "object",
                "additionalProperties": {"type": ["string", "integer"]},
                "description": "The query parameters.",
            },
            "json": {"description": "The body, as JSON."},
            "body": {**_TEXT, "description": "The body as text, for what isn't JSON. Not together with json."},
            "base64": {**_YES, "description": "The event has the body as Base64."},
            "expect": _ref("expectation"),
        },
        required=["request"],
        **{"not": {"required": ["json", "body"]}},
    ),
    "step-region": _chain(
        "region",
        {
            "fails": "region-fails",
            "answers": "region-answers",
            "certificate": "region-certificate",
            "recovers": "region-recovers",
            "redeploys": "region-redeploys",
        },
        {"region": _REGION},
    ),
    "region-fails": _object(
        {"region": _REGION, "fails": _FAULTS},
        description="Faults strike the region's API from now on, until it recovers.",
    ),
    "region-answers": _object(
        {"region": _REGION, "answers": _ANSWERS},
        description="The region answers something else from now on.",
    ),
    "region-certificate": _object(
        {"region": _REGION, "certificate": {"enum": _CERTIFICATES}},
        description="The region presents another certificate; connections that are open end.",
    ),
    "region-recovers": _object(
        {"region": _REGION, "recovers": _YES},
        description="All faults of the region's API are over; what it answers stays.",
    ),
    "region-redeploys": _object(
        {"region": _REGION, "redeploys": _YES},
        description="The stack is replaced: the API has another id, and the old one is gone.",
    ),
    "step-stack": _chain(
        "stack",
        {"fails": "stack-fails", "becomes": "stack-becomes", "restored": "stack-restored"},
        {"stack": _REGION},
    ),
    "stack-fails": _object(
        {"stack": _REGION, "fails": _FAULTS},
        description="Faults strike calls to CloudFormation in this region, until the stack is restored.",
    ),
    "stack-becomes": _object(
        {
            "stack": _REGION,
            "becomes": {
                "type": ["string", "object"],
                "if": {"type": "string"},
                "then": {"enum": ["missing", "several", "paged", "throttled", "denied", "drops"]},
                "else": _ref("stack"),
            },
        },
        description="The region's stack is told of in another way, as in a world file.",
    ),
    "stack-restored": _object(
        {"stack": _REGION, "restored": _YES},
        description="The region's stack, and CloudFormation there, are as at the beginning.",
    ),
    "step-time-passes": _object(
        {"time-passes": {"type": "number", "minimum": 0, "description": "Seconds, by which all clocks move."}}
    ),
    "step-frozen": _object(
        {
            "frozen": {
                "type": ["object", "null"],
                "description": "The process stands still, as Lambda has it do between invocations.",
                "additionalProperties": False,
                "properties": {
                    "hang-up": {"enum": ["ended", "reset"], "description": "How open connections end meanwhile."},
                    "seconds": {"type": "number", "minimum": 0, "description": "Seconds that pass meanwhile."},
                },
            }
        }
    ),
    "step-process": _object({"process": {"enum": ["restarts"], "description": "The next request starts cold."}}),
    "step-credentials": _object(
        {
            "credentials": {
                "enum": ["rotate"],
                "description": "The function has others from now on; the old ones are worth nothing. For a world "
                "with rotating: true.",
            }
        }
    ),
    "step-arrive": _object(
        {"arrive": {"type": "array", "items": _REGION, "description": "The order in which the answers arrive."}}
    ),
}

_SPAN: Schema = {
    "type": ["integer", "object"],
    "if": {"type": "integer"},
    "then": {"minimum": 0},
    "else": _object({"from": {"type": "integer", "minimum": 0}, "to": {"type": "integer", "minimum": 0}}),
}

_EXPECTATIONS: Schema = {
    "span": {"description": "A number, or one from … to ….", **_SPAN},
    "expectation": _object(
        {
            "status": {"type": "integer", "minimum": 100, "maximum": 599, "description": "The status."},
            "json": {"description": "The whole body, exactly."},
            "any-of": {
                "type": "array",
                "minItems": 1,
                "items": _object({"status": {"type": "integer"}, "json": {}}, required=["status", "json"]),
                "description": "Whole answers, one of which it must be.",
            },
            "equals": {
                "type": "object",
                "propertyNames": {"pattern": "^(/[^/]*)*$"},
                "description": "What stands in the body, by JSON Pointer.",
            },
            "mentions": {
                "type": "object",
                "propertyNames": {"pattern": "^(/[^/]*)*$"},
                "additionalProperties": _TEXT,
                "description": "Text that is part of what stands in the body, by JSON Pointer.",
            },
            "absent": {
                "type": "array",
                "items": {"type": "string", "pattern": "^(/[^/]*)*$"},
                "description": "JSON Pointers at which nothing stands.",
            },
            "headers": {
                "type": "object",
                "additionalProperties": _TEXT,
                "description": "Text that is part of a header, by its name.",
            },
            "errors": {
                "type": "object",
                "additionalProperties": _TEXT,
                "description": "All regions that failed, each with its error. {} for none.",
            },
            "requests": {
                "type": "object",
                "additionalProperties": _ref("span"),
                "description": "By region, how many requests reached it.",
            },
            "discoveries": {**_ref("span"), "description": "How many calls CloudFormation got, in all regions."},
            "given-up": {
                "type": "array",
                "items": _TEXT,
                "description": "Regions whose answer, if they were asked, mustn't be read to its end.",
            },
            "accepted": {"type": "boolean", "description": "Whether every request to a region must be valid."},
            "asked": _object(
                {
                    "query": {
                        "type": "object",
                        "additionalProperties": {"type": ["string", "null"]},
                        "description": "Parameters by name; null for one that isn't there.",
                    },
                    "json": {"description": "The body, exactly."},
                },
                description="What every request to a region asks for.",
            ),
            "within": {"type": "number", "minimum": 0, "description": "Seconds after which it must be there."},
        },
        description="What must be true of the answer. What isn't said isn't judged. Valid JSON without secrets "
        "is wanted always.",
    ),
}


def _faults() -> Schema:
    kinds = {name: fault_form.schema(kind) for name, kind in CATALOGUE.items()}
    ordinals = {
        "type": "array",
        "minItems": 1,
        "items": {"type": "integer", "minimum": 1},
        "description": "On which of the next requests it strikes, 1 being the next (of the next connections, "
        "where it strikes these). On all, where this isn't said.",
    }
    for name, kind in CATALOGUE.items():
        if kind.STAGE.counts:
            kinds[name]["properties"][ORDINALS] = ordinals
    names = list(CATALOGUE)
    form: Schema = {
        "type": ["string", "object"],
        "description": "A fault by its name, or with its details.",
        "if": {"type": "string"},
        "then": {"enum": list(fault_form.with_defaults())},
        "else": {
            "required": ["fault"],
            "properties": {"fault": {"enum": names}},
            "allOf": [
                {
                    "if": {"required": ["fault"], "properties": {"fault": {"const": name}}},
                    "then": _ref(f"fault-{name}"),
                }
                for name in names
            ],
        },
    }
    return {"fault": form, **{f"fault-{name}": kind for name, kind in kinds.items()}}
