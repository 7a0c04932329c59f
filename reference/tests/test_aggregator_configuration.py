"""What the environment must say (contract section 1)."""

from __future__ import annotations

import json

import pytest

from gco_reference.aggregator.configuration import NotConfiguredError, read

RIGHT = {"TARGET_REGIONS": '["eu-west-1"]', "AWS_URL_SUFFIX": "amazonaws.com"}


@pytest.mark.parametrize(
    ("regions", "read_as"),
    [
        ('["eu-west-1", "us-east-1", "eu-west-1"]', ("eu-west-1", "us-east-1")),
        (
            '["us-gov-west-1", "us-iso-east-1", "eusc-de-east-1"]',
            ("us-gov-west-1", "us-iso-east-1", "eusc-de-east-1"),
        ),
        ("[]", ()),
        (' ["ap-southeast-5"] ', ("ap-southeast-5",)),
    ],
)
def test_regions_count_once_in_their_order(regions: str, read_as: tuple[str, ...]) -> None:
    assert read({**RIGHT, "TARGET_REGIONS": regions}).regions == read_as


@pytest.mark.parametrize(
    "regions",
    [
        "",
        "us-east-1",
        "us-east-1,eu-west-1",
        '"us-east-1"',
        '{"us-east-1": 1}',
        "null",
        "[1]",
        "[null]",
        '[["us-east-1"]]',
        '["us-east-1", ""]',
        '["us-east"]',
        '["US-EAST-1"]',
        '[" us-east-1"]',
        json.dumps(["us-east-1\n"]),
        '["us-east-1.example.com/"]',
        '["us-east-\u0661"]',
        '["u-east-1"]',
        '["useast-east-1"]',
        "[NaN]",
    ],
)
def test_other_regions_are_no_configuration(regions: str) -> None:
    with pytest.raises(NotConfiguredError, match="TARGET_REGIONS"):
        read({**RIGHT, "TARGET_REGIONS": regions})


def test_regions_must_be_there() -> None:
    with pytest.raises(NotConfiguredError, match="TARGET_REGIONS"):
        read({"AWS_URL_SUFFIX": "amazonaws.com"})


@pytest.mark.parametrize(
    ("suffix", "read_as"),
    [
        ("amazonaws.com.cn", "amazonaws.com.cn"),
        (" C2S.IC.GOV\n", "c2s.ic.gov"),
        ("cloud.adc-e.uk", "cloud.adc-e.uk"),
        (".".join(["a" * 63] * 3 + ["b" * 61]), ".".join(["a" * 63] * 3 + ["b" * 61])),  # 253 characters
    ],
)
def test_the_suffix_is_any_dns_name(suffix: str, read_as: str) -> None:
    assert read({**RIGHT, "AWS_URL_SUFFIX": suffix}).suffix == read_as


@pytest.mark.parametrize(
    "suffix",
    [
        "",
        " ",
        ".",
        "amazonaws..com",
        ".amazonaws.com",
        "-amazonaws.com",
        "amazonaws-.com",
        "amazonaws.com/x",
        "amazonaws.com:443",
        "user@amazonaws.com",
        "amazonaws com",
        "amazon_aws.com",
        "ämazonaws.com",
        "a" * 64 + ".com",
        ".".join(["a" * 63] * 3 + ["b" * 62]),
    ],
)
def test_anything_else_is_no_suffix(suffix: str) -> None:
    with pytest.raises(NotConfiguredError, match="AWS_URL_SUFFIX"):
        read({**RIGHT, "AWS_URL_SUFFIX": suffix})


@pytest.mark.parametrize(
    ("environment", "stack"),
    [
        ({}, "gco-regional-api-eu-west-1"),
        ({"PROJECT_NAME": " research "}, "research-regional-api-eu-west-1"),
    ],
)
def test_the_project_is_the_prefix_of_the_stack(environment: dict[str, str], stack: str) -> None:
    assert read({**RIGHT, **environment}).stack("eu-west-1") == stack


@pytest.mark.parametrize("project", ["", "  "])
def test_an_empty_project_is_no_configuration(project: str) -> None:
    with pytest.raises(NotConfiguredError, match="PROJECT_NAME"):
        read({**RIGHT, "PROJECT_NAME": project})
