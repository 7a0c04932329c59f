"""World files: what they can say comes true, and what doesn't fit is told in one line with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gco_conformance.errors import UsageError
from gco_conformance.world import description
from gco_conformance.world.description import Description
from gco_conformance.world.world import World

from .world_harness import EU, US, Played, playing

EVERYTHING = """\
project: shop
suffix: amazonaws.com.cn
session_token: false
regions:
  cn-north-1:
    jobs: {json: {total: 1, jobs: [{metadata: {creationTimestamp: 2026-01-01T00:00:00Z}}]}}
    deletion: {status: 500, body: "<html>", headers: {Content-Type: text/html}}
    health: {status: 503, json: {status: degraded}, after: 0.01}
    status: {json: {templates_count: .nan}}
  cn-northwest-1:
    certificate: expired
    stack: {output: "https://elsewhere", status: ROLLBACK_COMPLETE}
"""


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as played:
        yield played


def read(folder: Path, text: str) -> Description:
    file = folder / "world.yaml"
    file.write_text(text, encoding="utf-8")
    return description.read(file)


def made(played: Played, folder: Path, text: str) -> World:
    return read(folder, text).world(played.servers)


def test_the_published_schema_is_one() -> None:
    Draft202012Validator.check_schema(description.schema())


def test_everything_that_a_file_can_say_comes_true(played: Played, tmp_path: Path) -> None:
    world = made(played, tmp_path, EVERYTHING)
    try:
        north, west = world.regions
        assert world.environment()["TARGET_REGIONS"] == '["cn-north-1", "cn-northwest-1"]'
        assert world.environment()["PROJECT_NAME"] == "shop"
        assert world.session_token is None
        assert north.host.endswith(".execute-api.cn-north-1.amazonaws.com.cn")
        jobs = played.ask(world, north.name)
        assert jobs.json()["jobs"][0]["metadata"]["creationTimestamp"] == "2026-01-01T00:00:00Z"
        deletion = played.ask(world, north.name, method="DELETE", body={})
        assert (deletion.status, deletion.data, deletion.headers["content-type"]) == (500, b"<html>", "text/html")
        health = played.ask(world, north.name, "/api/v1/health")
        assert (health.status, health.json()) == (503, {"status": "degraded"})
        assert played.ask(world, north.name, "/api/v1/status").data == b'{"templates_count":NaN}'
        assert west.certificate() == ("*.execute-api.cn-northwest-1.amazonaws.com.cn", "expired")
        described = played.describe(world, west.name).data
        assert b"<StackStatus>ROLLBACK_COMPLETE<" in described
        assert b"<OutputValue>https://elsewhere<" in described
    finally:
        world.close()


def test_what_is_not_said_is_healthy(played: Played, tmp_path: Path) -> None:
    world = made(played, tmp_path, f"regions: {{{US}: , {EU}: {{}}}}")
    try:
        for region in (US, EU):
            assert played.ask(world, region).json() == {"jobs": [], "total": 0}
            assert world.region(region).url.encode() in played.describe(world, region).data
    finally:
        world.close()


@pytest.mark.parametrize(
    ("stack", "says"),
    [
        ("missing", b"does not exist"),
        ("several", b"</member><member><StackId>"),
        ("paged", b"<NextToken>"),
        ("throttled", b"<Code>Throttling<"),
        ("denied", b"<Code>AccessDenied<"),
        ("{named: other}", b"<StackName>other<"),
        ("{error: {code: InternalFailure, status: 500}}", b"<Code>InternalFailure<"),
        ("{outputs: [{key: A, value: b}, {key: A, value: c}]}", b"<OutputKey>A</OutputKey><OutputValue>c<"),
        ("{slow: 0.01}", b"RegionalApiEndpoint"),
    ],
)
def test_a_stack_is_what_the_file_says(played: Played, tmp_path: Path, stack: str, says: bytes) -> None:
    world = made(played, tmp_path, f"regions:\n  {US}:\n    stack: {stack}\n")
    try:
        assert says in played.describe(world, US).data
    finally:
        world.close()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "the world must be a mapping, not 'None'"),
        ("- a", 1, "the world must be a mapping"),
        ("project: gco\n", 1, "the world has no regions"),
        ("regions: {}\nregion: {}\n", 2, "unknown key 'region'; known are project, suffix"),
        ("regions:\n  us-east-1: {}\n  Us_East: {}\n", 3, "'Us_East' isn't a valid name"),
        ("regions:\n  us-east-1:\n    jbs: {}\n", 3, "regions.us-east-1 has an unknown key 'jbs'; known are jobs"),
        (
            "regions:\n  us-east-1:\n    jobs:\n      status: fine\n",
            4,
            "regions.us-east-1.jobs.status must be a whole number, not 'fine'",
        ),
        ("regions:\n  us-east-1:\n    jobs: {json: 1, body: a}\n", 3, "jobs has both json and body; keep one"),
        ("regions:\n  us-east-1:\n    jobs: {after: -1}\n", 3, "jobs.after: -1 is less than the minimum"),
        ("regions:\n  us-east-1:\n    stack: gone\n", 3, "stack is 'gone'; it may be missing, several"),
        ("regions:\n  us-east-1:\n    stack: 7\n", 3, "stack must be text or a mapping, not '7'"),
        ("regions:\n  us-east-1:\n    stack: {state: X}\n", 3, "stack has an unknown key 'state'"),
        ("regions:\n  us-east-1:\n    certificate: old\n", 3, "certificate is 'old'; it may be good"),
        ("suffix: nowhere\nregions: {}\n", 1, "suffix: 'nowhere' isn't a valid name"),
        ("regions: {}\nregions: {}\n", 2, "isn't YAML: the key 'regions' comes twice"),
        ("regions: [\n", 2, "isn't YAML"),
        ("regions: {? [a] : b}\n", 1, "isn't YAML: a key isn't text"),
        ("regions: !!python/object:os.system {}\n", 1, "isn't YAML"),
    ],
)
def test_what_does_not_fit_is_one_line_with_its_place(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'world.yaml'}:{line}")
    assert says in message
    assert "\n" not in message


def test_a_file_that_is_not_text_or_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read: No such file"):
        description.read(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="isn't UTF-8 text"):
        description.read(tmp_path / "bytes.yaml")
    (tmp_path / "control.yaml").write_bytes(b"regions: \x07")
    with pytest.raises(UsageError, match="isn't YAML"):
        description.read(tmp_path / "control.yaml")
