"""Methods, encodings and headers as API Gateway has them: the aggregator contract's section 5."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stages

REGIONS = ("eu-west-1", "us-east-1")
JOBS, HEALTH, STATUS = "/api/v1/global/jobs", "/api/v1/global/health", "/api/v1/global/status"


@pytest.mark.requirement("aggregator.http.method")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", [HEALTH, STATUS], ids=["health", "status"])
def test_health_and_status_answer_only_get(stages: Stages, path: str, method: str) -> None:
    """Who sends a DELETE there means something else, and must hear that nothing was done."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        mark = aws.mark()
        reply = aws.send(method, path)
        reply.has_status(405)
        allowed = {name.strip() for name in str(reply.headers.get("allow", "")).upper().split(",")}
        if "GET" not in allowed or method in allowed:
            reply.fails("the answer doesn't say which method is right", "Allow: GET")
        aws.nobody_was_asked(mark)
        aws.get(path).has_status(200)


BODY = {"namespace": "team-ü", "status": "failed", "dry_run": False}


def deletion(body: str, is_base64: bool) -> dict[str, Any]:
    return {"httpMethod": "DELETE", "path": JOBS, "body": body, "isBase64Encoded": is_base64}


@pytest.mark.requirement("aggregator.http.base64")
@pytest.mark.parametrize("text", [json.dumps(BODY), json.dumps(BODY, ensure_ascii=False, indent=2)])
def test_a_base64_body_is_decoded(stages: Stages, text: str) -> None:
    """API Gateway sends bodies of binary media types so: undecoded, its filters would be lost."""
    with stages.open(*REGIONS) as aws:
        aws.event(deletion(base64.b64encode(text.encode()).decode(), True)).says(dry_run=False, errors=None)
        for region in REGIONS:
            aws.deleted_with(region, **BODY)


@pytest.mark.requirement("aggregator.http.base64")
def test_a_body_that_is_not_encoded_is_taken_as_it_is(stages: Stages) -> None:
    """The flag says which of the two it is, not the look of the body."""
    with stages.open(*REGIONS) as aws:
        aws.event(deletion(json.dumps(BODY), False)).says(dry_run=False, errors=None)
        for region in REGIONS:
            aws.deleted_with(region, **BODY)


@pytest.mark.requirement("aggregator.http.base64")
@pytest.mark.parametrize(
    ("body", "is_base64"),
    [
        (json.dumps(BODY), True),
        ("*", True),
        (base64.b64encode(b'{"namespace": "\xff"}').decode(), True),
        (base64.b64encode(json.dumps(BODY).encode()).decode(), False),
    ],
    ids=["plain-json", "no-base64", "not-utf-8", "base64-unannounced"],
)
def test_a_body_in_another_encoding_than_it_says_deletes_nothing(
    stages: Stages, body: str, is_base64: bool
) -> None:
    """What can't be read must not become a deletion without filters."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        mark = aws.mark()
        aws.event(deletion(body, is_base64)).refuses("")
        aws.nobody_was_asked(mark)


def is_json(reply: Reply) -> None:
    """Whatever is answered says that it is JSON, and is."""
    media_type = str(reply.headers.get("content-type", "")).partition(";")[0].strip().lower()
    if media_type != "application/json" or reply.body is None:
        reply.fails("the answer doesn't say that it is JSON", "Content-Type: application/json, and a body of that")


EVENTS: dict[str, Mapping[str, Any]] = {
    "jobs": {"httpMethod": "GET", "path": JOBS},
    "status": {"httpMethod": "GET", "path": STATUS},
    "health": {"httpMethod": "GET", "path": HEALTH},
    "deletion": {"httpMethod": "DELETE", "path": JOBS, "body": "{}"},
    "not-found": {"httpMethod": "GET", "path": "/"},
    "another-method": {"httpMethod": "POST", "path": HEALTH},
    "bad-limit": {"httpMethod": "GET", "path": JOBS, "queryStringParameters": {"limit": "none"}},
    "bad-body": {"httpMethod": "DELETE", "path": JOBS, "body": "["},
}


@pytest.mark.requirement("aggregator.http.content-type")
@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS.keys())
def test_every_answer_says_that_it_is_json(stages: Stages, event: Mapping[str, Any]) -> None:
    """Browsers and clients guess where nothing is said, and an error that isn't understood isn't shown."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        is_json(aws.event({"queryStringParameters": None, "body": None, **event}))


@pytest.mark.requirement("aggregator.http.content-type")
def test_unavailable_says_that_it_is_json(stages: Stages) -> None:
    """Errors, too: whether the configuration is wrong or discovery fails."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart(TARGET_REGIONS="no list")
        is_json(aws.get(STATUS))
        aws.restart()
        aws.stack("us-east-1").missing()
        is_json(aws.get(STATUS))
