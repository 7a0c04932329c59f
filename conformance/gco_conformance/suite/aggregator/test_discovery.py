"""Finding the regional APIs through CloudFormation: the aggregator contract's section 2, without the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.suite.property import for_each
from gco_conformance.world import faults
from gco_conformance.world.faults import WireFault

REGIONS = ("eu-west-1", "us-east-1")


def refuses(aws: Stage) -> None:
    """Discovery fails closed: the whole request is refused and no region is asked."""
    aws.get("/api/v1/global/jobs").has_status(503)
    aws.nobody_was_asked()


@pytest.mark.requirement("aggregator.discovery.stack")
def test_one_description_per_region_in_that_region(stages: Stages) -> None:
    """The stack's name is known: one DescribeStacks for it, in its own region, and nothing more is needed."""
    with stages.open("ap-southeast-2", *REGIONS) as aws:
        aws.works()
        for region in ("ap-southeast-2", *REGIONS):
            aws.described(region, f"gco-regional-api-{region}")


@pytest.mark.requirement("aggregator.discovery.fail-closed")
def test_one_missing_stack(stages: Stages) -> None:
    """An answer without one of the regions would look complete: better none."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").missing()
        refuses(aws)


@pytest.mark.requirement("aggregator.discovery.fail-closed")
@pytest.mark.parametrize(
    "keys",
    [(), ("AnotherOutput",), ("regionalapiendpoint",), ("OldRegionalApiEndpoint",), ("RegionalApiEndpoint2",)],
    ids=["none", "another", "like-it", "ends-like-it", "begins-like-it"],
)
def test_a_stack_without_the_output(stages: Stages, keys: tuple[str, ...]) -> None:
    """A stack that doesn't say where its API is isn't a bridge, whatever else it says."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").outputs([(key, aws.region("us-east-1").url) for key in keys])
        refuses(aws)


@pytest.mark.requirement("aggregator.discovery.fail-closed")
def test_several_stacks(stages: Stages) -> None:
    """Exactly one stack is that region's: of two, neither."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").several()
        refuses(aws)


GOOD = {
    "upper-case-host": lambda url: url.replace(url.split("/")[2], url.split("/")[2].upper()),
    "explicit-port": lambda url: url.replace("/prod", ":443/prod"),
    "trailing-slash": lambda url: url + "/",
    "trailing-slashes": lambda url: url + "//",
    "space-around": lambda url: f" {url} ",
}


@pytest.mark.requirement("aggregator.discovery.endpoint-url")
@pytest.mark.parametrize("form", GOOD.values(), ids=GOOD.keys())
def test_a_url_in_another_form(stages: Stages, form: Callable[[str], str]) -> None:
    """The same address, written as templates and people write it."""
    with stages.open(*REGIONS) as aws:
        aws.stack("us-east-1").output(form(aws.region("us-east-1").url))
        aws.get("/api/v1/global/jobs").says(regions_queried=2, regions_successful=2)
        aws.asked_once("us-east-1", "/prod/api/v1/jobs")


BAD = {
    "http": lambda url: url.replace("https://", "http://"),
    "other-region": lambda url: url.replace("us-east-1", "eu-west-1"),
    "other-suffix": lambda url: url.replace("amazonaws.com", "amazonaws.com.evil.example"),
    "other-service": lambda url: url.replace("execute-api", "s3"),
    "subdomain": lambda url: url.replace("https://", "https://a."),
    "one-letter-for-the-dot": lambda url: url.replace("execute-api.", "execute-apix"),
    "one-letter-for-the-suffixs-dot": lambda url: url.replace("amazonaws.com", "amazonawsxcom"),
    "id-with-underscore": lambda url: url.replace("https://", "https://a_"),
    "empty-id": lambda _: "https://.execute-api.us-east-1.amazonaws.com/prod",
    "id-with-hyphen": lambda url: url.replace("https://", "https://a-"),
    "no-id": lambda _: "https://execute-api.us-east-1.amazonaws.com/prod",
    "other-stage": lambda url: url.replace("/prod", "/test"),
    "no-stage": lambda url: url.replace("/prod", ""),
    "deeper": lambda url: url + "/api",
    "stage-in-capitals": lambda url: url.replace("/prod", "/PROD"),
    "slashes-before-the-stage": lambda url: url.replace("/prod", "//prod"),
    "longer-port": lambda url: url.replace("/prod", ":4430/prod"),
    "port-of-http": lambda url: url.replace("/prod", ":80/prod"),
    "other-port": lambda url: url.replace("/prod", ":8443/prod"),
    "odd-port": lambda url: url.replace("/prod", ":https/prod"),
    "user": lambda url: url.replace("https://", "https://admin@"),
    "user-and-password": lambda url: url.replace("https://", "https://admin:secret@"),
    "query": lambda url: url + "?stage=test",
    "fragment": lambda url: url + "#stage",
    "trailing-dot": lambda url: url.replace("/prod", "./prod"),
    "host-elsewhere": lambda _: "https://evil.example/prod",
    "backslash": lambda url: url.replace("/prod", "\\@evil.example/prod"),
    "no-url": lambda _: "see the wiki",
    "empty": lambda _: "",
}


@pytest.mark.requirement("aggregator.discovery.endpoint-url")
@pytest.mark.parametrize("form", BAD.values(), ids=BAD.keys())
def test_a_url_that_is_not_that_regions(stages: Stages, form: Callable[[str], str]) -> None:
    """Signed requests go to this address: whoever can write a stack's output must not choose where."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").output(form(aws.region("us-east-1").url))
        refuses(aws)


@pytest.mark.requirement("aggregator.discovery.endpoint-url")
def test_urls_with_something_wrong_anywhere(stages: Stages) -> None:
    """A single character that doesn't belong there makes another address of it, wherever it stands."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        url = aws.region("us-east-1").url

        def refuses_this(slip: tuple[int, str]) -> None:
            place, character = slip
            aws.restart()
            aws.stack("us-east-1").output(url[:place] + character + url[place + 1 :])
            refuses(aws)

        places = st.integers(len("https:"), len(url) - 1)
        slips = st.tuples(places, st.sampled_from("/@:?#._-%\\[]"))
        for_each(aws.seed, slips.filter(lambda slip: url[slip[0]] != slip[1]), refuses_this, examples=10)


@pytest.mark.requirement("aggregator.discovery.throttled")
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("Throttling", 400),
        ("AccessDenied", 403),
        ("ExpiredToken", 403),
        ("InternalFailure", 500),
        ("ServiceUnavailable", 503),
    ],
)
def test_an_error_of_cloudformation(stages: Stages, code: str, status: int) -> None:
    """Whatever CloudFormation says, callers learn that the aggregation is unavailable, and no more."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").error(code, status)
        refuses(aws)


@pytest.mark.requirement("aggregator.discovery.throttled")
def test_cloudformation_drops_the_connection(stages: Stages) -> None:
    """A connection that breaks is a discovery that failed, too."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").drops()
        refuses(aws)


NO_ANSWER: dict[str, WireFault] = {
    "reset": faults.Reset(),
    "cut": faults.CutBody(),
    "empty": faults.Body(""),
    "not-xml": faults.Body("<html><body>Service Unavailable</html>"),
    "half-of-xml": faults.Body("<DescribeStacksResponse><DescribeStacksResult><Stacks>"),
    "another-answer": faults.Body("<ListStacksResponse><ListStacksResult/></ListStacksResponse>"),
    "no-stacks": faults.Body(
        "<DescribeStacksResponse><DescribeStacksResult><Stacks/></DescribeStacksResult></DescribeStacksResponse>"
    ),
    "json": faults.Body('{"Stacks": []}'),
}


@pytest.mark.requirement("aggregator.discovery.throttled")
@pytest.mark.parametrize("fault", NO_ANSWER.values(), ids=NO_ANSWER.keys())
def test_what_is_no_answer_of_cloudformation(stages: Stages, fault: WireFault) -> None:
    """Proxies and half-broken services answer, too: what isn't a description of the stack is none."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        aws.stack("us-east-1").fails(fault)
        refuses(aws)


@pytest.mark.requirement("aggregator.discovery.fail-closed")
@pytest.mark.parametrize(
    ("region", "kind"), [("ap-south-2", "unknown-ca"), ("eu-central-2", "expired"), ("eu-south-2", "wrong-name")]
)
def test_a_cloudformation_that_is_not_known(stages: Stages, region: str, kind: Any) -> None:
    """Who can stand in for CloudFormation says where signed requests go: its certificate has to verify.

    The regions are ones that no other check uses, since all worlds share CloudFormation.
    """
    with stages.open("eu-west-1", region) as aws:
        aws.works()
        aws.restart()
        aws.stack(region).fails(faults.BadCertificate(kind))
        mark = aws.mark()
        refuses(aws)
        aws.expect(not aws.descriptions(mark, region), "nothing sent to a server that isn't known")


@pytest.mark.requirement("aggregator.discovery.throttled")
def test_discovery_works_again_afterwards(stages: Stages) -> None:
    """A failure isn't remembered: the next request discovers again."""
    with stages.open(*REGIONS) as aws:
        aws.stack("us-east-1").error("AccessDenied", 403)
        refuses(aws)
        aws.stack("us-east-1").restored()
        aws.works()
