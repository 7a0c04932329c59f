"""The environment that an aggregator is deployed with: the aggregator contract's section 1."""

from __future__ import annotations

import pytest

from gco_conformance.evidence.stage import Stages
from gco_conformance.model import aggregation

REGIONS = ("eu-west-1", "us-east-1")


@pytest.mark.requirement("aggregator.configuration.regions")
@pytest.mark.parametrize(
    "regions",
    [
        None,
        "",
        "null",
        "{}",
        "us-east-1",
        "us-east-1,eu-west-1",
        '["us-east-1"',
        '{"us-east-1": true}',
        '"us-east-1"',
        '["us-east-1", 5]',
        '["us-east-1", null]',
        '["US-EAST-1"]',
        '[" us-east-1"]',
        '["us-east"]',
        '["us-east-1.evil.example"]',
        '["us-east-1/../eu-west-1"]',
        '["-us-east-1"]',
    ],
    ids=repr,
)
def test_regions_that_are_no_list_of_names(stages: Stages, regions: str | None) -> None:
    """A deployment with a mistyped list must say so at once, and not serve some of its regions."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart(TARGET_REGIONS=regions)
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.nobody_was_asked()


@pytest.mark.requirement("aggregator.configuration.regions")
@pytest.mark.parametrize("region", ["us-east", "us-1", "us-east-1a", "u-east-1", "us-east-1.example"])
def test_a_region_that_has_everything_but_a_name(stages: Stages, region: str) -> None:
    """The names become parts of host names: one that isn't a region's is refused, whatever answers there."""
    with stages.open("us-east-1", region) as aws:
        aws.restart(TARGET_REGIONS='["us-east-1"]')
        aws.get("/api/v1/global/status").says(regions_queried=1, regions_successful=1)
        aws.restart()
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.nobody_was_asked()


@pytest.mark.requirement("aggregator.configuration.regions")
@pytest.mark.parametrize("region", ["us-east-12", "us-east2-1"])
def test_a_region_that_is_still_to_come(stages: Stages, region: str) -> None:
    """New regions come every year: what has the form of a name is one."""
    with stages.open("us-east-1", region) as aws:
        aws.get("/api/v1/global/status").says(regions_queried=2, regions_successful=2)


@pytest.mark.requirement("aggregator.configuration.regions")
def test_a_region_named_twice_counts_once(stages: Stages) -> None:
    """A region that is listed twice would otherwise be asked twice, and its jobs counted twice."""
    with stages.open(*REGIONS) as aws:
        aws.restart(TARGET_REGIONS='["us-east-1", "eu-west-1", "us-east-1"]')
        aws.get("/api/v1/global/status").says(regions_queried=2, regions_successful=2)


@pytest.mark.requirement("aggregator.configuration.empty-regions")
def test_a_deployment_without_regions_has_empty_answers(stages: Stages) -> None:
    """The first region of a deployment comes after the global API: until then answers are empty, not errors."""
    with stages.open() as aws:
        aws.get("/api/v1/global/jobs").agrees(
            aggregation.jobs({}), "jobs", "total", "count", "regions_queried", "regions_successful", "errors"
        )
        aws.get("/api/v1/global/status").is_(200, aggregation.status({}))
        aws.get("/api/v1/global/health").is_(200, aggregation.health({}))
        aws.delete("/api/v1/global/jobs", {"dry_run": True}).is_(200, aggregation.deletion({}))


@pytest.mark.requirement("aggregator.configuration.suffix")
@pytest.mark.parametrize(
    ("region", "suffix"),
    [
        ("us-east-1", "amazonaws.com"),
        ("cn-north-1", "amazonaws.com.cn"),
        ("us-iso-east-1", "c2s.ic.gov"),
        ("eu-isoe-west-1", "cloud.adc-e.uk"),
        ("us-isof-east-1", "csp.hci.ic.gov"),
        ("eusc-de-east-1", "amazonaws.eu"),
    ],
)
def test_every_partition(stages: Stages, region: str, suffix: str) -> None:
    """AWS's partitions have names of their own; an aggregator that knows one of them fails in the others."""
    with stages.open(region, suffix=suffix) as aws:
        aws.get("/api/v1/global/jobs").says(regions_queried=1, regions_successful=1)


@pytest.mark.requirement("aggregator.configuration.suffix")
def test_case_and_space_around_the_suffix_are_ignored(stages: Stages) -> None:
    """Suffixes come out of templates and shells, with a space or in capitals."""
    with stages.open(*REGIONS) as aws:
        aws.restart(AWS_URL_SUFFIX=" AmazonAWS.com ")
        aws.works()


@pytest.mark.requirement("aggregator.configuration.suffix")
@pytest.mark.parametrize(
    "suffix",
    [
        "",
        " ",
        "amazonaws..com",
        "-amazonaws.com",
        ".amazonaws.com",
        "https://amazonaws.com",
        "amazonaws_.com",
        "amazon_aws.com",
        "amazonaws-.com",
        "amazonaws.com/x",
        "a" * 64 + ".com",
        "a." * 127 + "a",
    ],
    ids=lambda suffix: repr(suffix[:20]),
)
def test_a_suffix_that_is_no_dns_name(stages: Stages, suffix: str) -> None:
    """Host names are made of it: anything but a DNS name is no configuration."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart(AWS_URL_SUFFIX=suffix)
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.nobody_was_asked()


@pytest.mark.requirement("aggregator.configuration.project-name")
@pytest.mark.parametrize(
    ("given", "project"), [("acme", "acme"), (" acme ", "acme"), ("Acme", "Acme"), (None, "gco")], ids=repr
)
def test_the_project_names_the_stacks(stages: Stages, given: str | None, project: str) -> None:
    """Two projects live in one account: each must find its own stacks by its name."""
    with stages.open(*REGIONS, project=project) as aws:
        aws.restart(PROJECT_NAME=given)
        aws.works()
        for region in REGIONS:
            aws.only_described(region, f"{project}-regional-api-{region}")


@pytest.mark.requirement("aggregator.configuration.project-name")
@pytest.mark.parametrize("project", ["gco", ""], ids=["theirs", "nobodys"])
@pytest.mark.parametrize("given", ["", "  "], ids=repr)
def test_an_empty_project_is_no_configuration(stages: Stages, given: str, project: str) -> None:
    """An empty name is refused as such: its stack names begin with a hyphen, whoever has stacks of these names."""
    with stages.open(*REGIONS) as aws:
        aws.works()
    with stages.open(*REGIONS, project=project) as aws:
        aws.restart(PROJECT_NAME=given)
        aws.get("/api/v1/global/jobs").has_status(503)
        aws.nobody_was_asked()
