"""What an aggregator sends to the regions, and to nobody else: the aggregator contract's section 3."""

from __future__ import annotations

import pytest

from gco_conformance.evidence.routes import ROUTES, Route
from gco_conformance.evidence.stage import Stages
from gco_conformance.model import aggregation
from gco_conformance.sealed.trust import Kind as CertificateKind

REGIONS = ("eu-west-1", "us-east-1")


@pytest.mark.requirement("aggregator.request.signature")
@pytest.mark.parametrize("region", ["us-east-1", "ap-southeast-2"])
def test_requests_are_signed_for_their_region(stages: Stages, region: str) -> None:
    """API Gateway turns an unsigned, wrongly signed or altered request away before the service sees it."""
    with stages.open(region, "eu-west-1") as aws:
        aws.get("/api/v1/global/health").says(total_regions=2)
        aws.get("/api/v1/global/status").says(regions_successful=2)
        aws.get("/api/v1/global/jobs", namespace="team-a", status="running", limit="7").says(regions_successful=2)
        aws.delete("/api/v1/global/jobs", {"namespace": "team-a", "dry_run": False}).says(errors=None)
        aws.every_request_was_accepted(at_least=8)


@pytest.mark.requirement("aggregator.request.session-token")
def test_a_session_token_is_sent_and_signed(stages: Stages) -> None:
    """A Lambda function's credentials are temporary: without their token they are worth nothing."""
    with stages.open(*REGIONS, session_token=True) as aws:
        aws.works()
        for seen in aws.requests():
            aws.expect(
                seen.header("x-amz-security-token") == aws.world.session_token, "the session token with a request"
            )
        aws.every_request_was_accepted(at_least=2)


@pytest.mark.requirement("aggregator.request.session-token")
def test_no_token_without_a_session(stages: Stages) -> None:
    """Credentials of a user have no token, and an empty one isn't accepted."""
    with stages.open(*REGIONS, session_token=False) as aws:
        aws.works()
        aws.expect(
            all(seen.header("x-amz-security-token") is None for seen in aws.requests()), "no session token header"
        )


@pytest.mark.requirement("aggregator.request.target")
@pytest.mark.parametrize(
    ("method", "path", "asked"),
    [
        ("GET", "/api/v1/global/jobs", "/prod/api/v1/jobs"),
        ("DELETE", "/api/v1/global/jobs", "/prod/api/v1/jobs"),
        ("GET", "/api/v1/global/health", "/prod/api/v1/health"),
        ("GET", "/api/v1/global/status", "/prod/api/v1/status"),
    ],
)
def test_one_request_to_each_region(stages: Stages, method: str, path: str, asked: str) -> None:
    """Each region is asked once, with the method and the path that belong to the route."""
    with stages.open(*REGIONS) as aws:
        aws.send(method, path, body="{}" if method == "DELETE" else None).has_status(200)
        for region in REGIONS:
            seen = aws.asked_once(region, asked)
            aws.expect(seen.method == method, f"a {method} request")
            aws.expect(seen.header("content-type") == "application/json", "Content-Type: application/json")
            parameters = {pair.partition("=")[0] for pair in seen.query.split("&") if pair}
            wanted = {"limit"} if (method, path) == ("GET", "/api/v1/global/jobs") else set()
            aws.expect(parameters == wanted, f"the parameters {wanted or 'none'}, not {seen.query}")


@pytest.mark.requirement("aggregator.request.target")
def test_what_callers_add_stays_outside(stages: Stages) -> None:
    """Regions are asked for what the route says: a caller can't slip them anything else."""
    with stages.open(*REGIONS) as aws:
        aws.get("/api/v1/global/jobs", limit="5").says(limit=5)
        mark = aws.mark()
        aws.get("/api/v1/global/jobs", limit="5", fieldSelector="x", dry_run="false")
        for seen in aws.requests(since=mark):
            names = {pair.partition("=")[0] for pair in seen.query.split("&") if pair}
            aws.expect(names <= {"limit"}, f"the limit alone, not {seen.query}")


@pytest.mark.requirement("aggregator.request.target")
def test_a_deletion_carries_its_body(stages: Stages) -> None:
    """The filters of a deletion are in its body: a body that is lost or altered deletes something else."""
    with stages.open(*REGIONS) as aws:
        aws.delete("/api/v1/global/jobs", {"namespace": "team-a", "dry_run": False}).has_status(200)
        for region in REGIONS:
            aws.deleted_with(region, namespace="team-a", dry_run=False)


@pytest.mark.requirement("aggregator.request.tls")
@pytest.mark.parametrize("certificate", ["unknown-ca", "expired", "not-yet-valid", "wrong-name"])
def test_a_certificate_that_does_not_verify(stages: Stages, certificate: CertificateKind) -> None:
    """Signed requests with a session token go to this server: who it is has to be known first."""
    with stages.open(*REGIONS) as aws:
        aws.works()
        aws.restart()
        mark = aws.mark()
        aws.region("us-east-1").serves_certificate(certificate)
        for route in ROUTES.values():
            route.answered_by(aws.region("eu-west-1"))
            answers: aggregation.Answers = {"eu-west-1": route.answer, "us-east-1": aggregation.REDACTED}
            route.ask(aws).accounts_for(route.merged(answers))
        aws.expect(not aws.requests("us-east-1", mark), "nothing sent to a server that isn't known")


@pytest.mark.requirement("aggregator.request.parallel")
@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_regions_are_asked_at_the_same_time(stages: Stages, route: Route) -> None:
    """One region after the other, and the slowest sets the pace of all."""
    regions = ("ap-northeast-1", "ap-southeast-2", "eu-central-1", "eu-west-1", "us-east-1", "us-west-2")
    with stages.open(*regions) as aws:
        aws.works()
        for region in regions:
            aws.region(region).answers(route.path, json=route.answer, method=route.method, after=0.5)
        mark = aws.mark()
        route.ask(aws).accounts_for(route.merged(dict.fromkeys(regions, route.answer)))
        arrived = [min(seen.at for seen in aws.requests(region, mark)) for region in regions]
        aws.expect(
            max(arrived) - min(arrived) < 0.5, "every region asked before the first of them answered, after 0.5 s"
        )
