"""The pure parts of the Node.js aggregator: what it signs, accepts from CloudFormation, sorts and merges."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters.implementation import load
from gco_conformance.requirements.catalogue import load as load_catalogue

FOLDER = Path(str(files("gco_fixtures"))) / "aggregator" / "node"
NODE = shutil.which("node")
REGION, SUFFIX = "us-east-1", "amazonaws.com"
HOST = f"abc123.execute-api.{REGION}.{SUFFIX}"
STACK = f"gco-regional-api-{REGION}"

needs_node = pytest.mark.skipif(NODE is None, reason="there is no node on the PATH")


def node(imports: str, expression: str, given: Any = None) -> Any:
    """What a JavaScript expression over `given` comes to, everything as JSON."""
    script = f"{imports}\nconst given = JSON.parse(process.argv[1]);\nconsole.log(JSON.stringify({expression}));"
    command = [str(NODE), "--input-type=module", "--eval", script, json.dumps(given)]
    done = subprocess.run(
        command, cwd=FOLDER, env={}, capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def accepted(imports: str, call: str, given: list[Any]) -> list[Any]:
    """What a call on each `one` of `given` returns, None where it throws."""
    attempt = f"given.map((one) => {{ try {{ return {call}; }} catch {{ return null; }} }})"
    answers: list[Any] = node(imports, attempt, given)
    return answers


def test_declared_failures_are_requirements_of_aggregators() -> None:
    implementation = load(FOLDER / "implementation.toml")
    known = {requirement.id for requirement in load_catalogue()}
    assert implementation.aggregator is not None
    assert {declared.requirement for declared in implementation.known_failures} <= known


@needs_node
def test_every_module_parses() -> None:
    modules = sorted(FOLDER.glob("*.mjs"))
    assert FOLDER / "bootstrap.mjs" in modules
    for module in modules:
        done = subprocess.run([str(NODE), "--check", module], env={}, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


@needs_node
def test_the_signature_is_that_of_the_published_example() -> None:
    example = {
        "method": "GET",
        "host": "example.amazonaws.com",
        "path": "/",
        "query": {"Param2": "value2", "Param1": "value1"},
        "service": "service",
        "region": REGION,
        "credentials": {
            "accessKeyId": "AKIDEXAMPLE",
            "secretAccessKey": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        },
    }
    headers = node(
        "import { encodeQuery, sign } from './signature.mjs';",
        "sign({ ...given, query: encodeQuery(given.query), at: new Date('2015-08-30T12:36:00Z') })",
        example,
    )
    assert headers["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        "SignedHeaders=host;x-amz-date, "
        "Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
    )


@needs_node
@pytest.mark.parametrize(
    ("method", "path", "query", "body"),
    [
        ("GET", "/prod/api/v1/jobs", {"namespace": "a b+c/ü~*'()!%&=", "limit": "100", "status": "é😀"}, ""),
        ("DELETE", "/prod/api/v1/jobs", {}, '{"dry_run":true,"namespace":"ü"}'),
        ("GET", "/prod/a%20b/ü", {}, ""),
    ],
    ids=["query", "body", "path"],
)
def test_the_signature_is_the_one_botocore_makes(method: str, path: str, query: dict[str, str], body: str) -> None:
    auth = pytest.importorskip("botocore.auth", reason="botocore isn't installed")
    aws_request = pytest.importorskip("botocore.awsrequest").AWSRequest
    credentials = pytest.importorskip("botocore.credentials").Credentials

    keys = {"accessKeyId": "AKID", "secretAccessKey": "a/secret+", "sessionToken": "to/ken+=="}
    request = {
        "method": method,
        "host": HOST,
        "path": path,
        "body": body,
        "headers": {"content-type": "application/json"},
        "service": "execute-api",
        "region": REGION,
        "credentials": keys,
    }
    encoded = node("import { encodeQuery } from './signature.mjs';", "encodeQuery(given)", query)
    ours = node("import { sign } from './signature.mjs';", "sign(given)", {**request, "query": encoded})
    theirs = aws_request(
        method=method,
        url=f"https://{HOST}{path}" + (f"?{encoded}" if query else ""),
        data=body.encode(),
        headers={"content-type": "application/json"},
    )
    signer = auth.SigV4Auth(credentials(*keys.values()), "execute-api", REGION)
    theirs.context["timestamp"] = ours["x-amz-date"]
    theirs.headers["X-Amz-Date"] = ours["x-amz-date"]
    theirs.headers["X-Amz-Security-Token"] = keys["sessionToken"]
    signature = signer.signature(signer.string_to_sign(theirs, signer.canonical_request(theirs)), theirs)
    assert ours["authorization"].endswith(f"Signature={signature}")


@needs_node
def test_text_is_sorted_by_code_point() -> None:
    # The halves of U+1F600 are smaller units than U+FF5E; halves alone are characters of their own.
    wide, face, half = "\uff5e", "\U0001f600", "\ud83d"
    texts = ["", "a", "ab", "Z", "\xe9", wide, face, "\U0001f601", face + "a", "a" + face, "a" + wide]
    texts += [half, half + "a", "\ude00", "a" + half]
    imports = "import { inCodePointOrder } from './order.mjs';"
    assert node(imports, "given.toSorted(inCodePointOrder)", texts[::-1]) == sorted(texts)


@needs_node
def test_jobs_are_merged_newest_first_whatever_their_metadata() -> None:
    def job(uid: str, **metadata: Any) -> dict[str, Any]:
        return {"metadata": {"uid": uid, **metadata}}

    answers = [
        {"jobs": [job("2", creationTimestamp="2026-01-02"), job("5", creationTimestamp=7), {"metadata": []}]},
        {"jobs": [job("1", creationTimestamp="2026-01-03"), job("4", name="b"), job("3", name="a", namespace="")]},
    ]
    results = """given.map((answer, index) => {
        const region = ['eu-west-1', 'us-east-1'][index];
        return { region, value: jobs.understand(answer, region) };
    })"""
    imports = "import { jobs } from './merge.mjs';"
    merged = node(
        imports, f"jobs.merge([...{results}, {{ region: 'x', error: 'HTTP 500' }}], {{ limit: 5 }})", answers
    )
    shown = [(found["_source_region"], (found["metadata"] or {}).get("uid")) for found in merged.pop("jobs")]
    assert shown == [
        ("us-east-1", "1"),
        ("eu-west-1", "2"),
        ("eu-west-1", None),
        ("eu-west-1", "5"),
        ("us-east-1", "3"),
    ]
    assert merged == {
        "total": 6,
        "count": 5,
        "limit": 5,
        "regions_queried": 3,
        "regions_successful": 2,
        "region_summaries": [
            {"region": "eu-west-1", "count": 3, "total": 3},
            {"region": "us-east-1", "count": 3, "total": 3},
        ],
        "errors": [{"region": "x", "error": "HTTP 500"}],
    }


@needs_node
def test_only_the_regions_own_url_is_accepted() -> None:
    own = [f"https://{HOST}/prod", f" https://{HOST.upper()}:443/prod// \n"]
    foreign = [
        f"http://{HOST}/prod",
        f"https://user@{HOST}/prod",
        f"https://{HOST}:8443/prod",
        f"https://{HOST}/stage",
        f"https://{HOST}/prod?a",
        f"https://{HOST}/prod#a",
        f"https://{HOST}/a/../prod",
        f"https://{HOST}/%70rod",
        f"https:\\\\{HOST}\\prod",
        f"https://{HOST}./prod",
        f"https://{HOST}.example/prod",
        f"https://more.{HOST}/prod",
        f"https://{HOST.replace('us-east-1', 'us-east-2')}/prod",
    ]
    urls = accepted(
        "import { endpointUrl } from './discovery.mjs';",
        f"endpointUrl(one, '{REGION}', '{SUFFIX}')",
        [*own, *foreign],
    )
    assert urls == [f"https://{HOST}/prod"] * len(own) + [None] * len(foreign)


@needs_node
def test_the_answer_of_cloudformation_is_read_exactly_or_refused() -> None:
    value = "<OutputValue>a&amp;&#x62;<![CDATA[<c>]]></OutputValue>"
    output = f"<member><OutputKey>RegionalApiEndpoint</OutputKey>{value}</member>"
    stack = f"""<member><StackName>{STACK}</StackName><Tags/><!-- <Outputs> -->
        <StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>{output}</Outputs></member>"""
    good = f"""<?xml version="1.0"?>\n<DescribeStacksResponse xmlns="urn:x"><DescribeStacksResult>
        <Stacks>{stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>\n"""
    broken = [
        "",
        "{}",
        good[:-4],
        good + good,
        good.replace("&amp;", "&"),
        good.replace("&amp;", "&own;"),
        good.replace("<Desc", "<!DOCTYPE x><Desc", 1),
        good.replace(stack, ""),
        good.replace(stack, stack * 2),
        good.replace(output, ""),
        good.replace(output, output * 2),
        good.replace(STACK, "another"),
        good.replace("UPDATE_COMPLETE", "DELETE_COMPLETE"),
        good.replace("</Stacks>", "</Stacks><NextToken>more</NextToken>"),
    ]
    values = accepted("import { outputOf } from './discovery.mjs';", f"outputOf(one, '{STACK}')", [good, *broken])
    assert values == ["a&b<c>"] + [None] * len(broken)


@needs_node
def test_the_environment_is_taken_whole_or_refused() -> None:
    def environment(**changed: str) -> dict[str, str]:
        return {"TARGET_REGIONS": '["us-east-1"]', "AWS_URL_SUFFIX": SUFFIX} | changed

    fitting = [
        environment(TARGET_REGIONS='["us-east-1", "eu-west-1", "us-east-1"]', AWS_URL_SUFFIX=" Amazonaws.COM.cn "),
        environment(TARGET_REGIONS="[]", PROJECT_NAME=" own ", AWS_URL_SUFFIX="c2s.ic.gov"),
    ]
    refused = [
        {"AWS_URL_SUFFIX": SUFFIX},
        {"TARGET_REGIONS": "[]"},
        environment(PROJECT_NAME=" "),
        environment(TARGET_REGIONS="us-east-1"),
        environment(TARGET_REGIONS="{}"),
        environment(TARGET_REGIONS='["us-east-1", 1]'),
        environment(TARGET_REGIONS='["us-east-1\\n"]'),
        environment(TARGET_REGIONS='["US-EAST-1"]'),
        environment(AWS_URL_SUFFIX="-amazonaws.com"),
        environment(AWS_URL_SUFFIX="amazon\u212aws.com"),
        environment(AWS_URL_SUFFIX=".".join(["a" * 63] * 4)),
    ]
    read = accepted(
        "import { readConfiguration } from './configuration.mjs';", "readConfiguration(one)", fitting + refused
    )
    assert read[:2] == [
        {"project": "gco", "regions": ["us-east-1", "eu-west-1"], "suffix": "amazonaws.com.cn"},
        {"project": "own", "regions": [], "suffix": "c2s.ic.gov"},
    ]
    assert read[2:] == [None] * len(refused)
