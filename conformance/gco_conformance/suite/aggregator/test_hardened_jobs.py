"""How many jobs may be asked for, and how many fit into an answer: the aggregator contract's section 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model import aggregation
from gco_conformance.world.regional import JOBS

REGIONS = ("eu-west-1", "us-east-1")
PATH = "/api/v1/global/jobs"


@pytest.mark.requirement("aggregator.jobs.limit-range")
@pytest.mark.parametrize(
    "limit",
    [
        "0",
        "-1",
        "1001",
        "10000",
        "9" * 30,
        "abc",
        "1.5",
        "1e2",
        "0x10",
        "ten",
        "5 0",
        " 5",
        "1_0",
        "",
        " ",
        "5,0",
        "null",
        "true",
        "NaN",
    ],
)
def test_a_limit_that_is_none(stages: Stages, limit: str) -> None:
    """A limit that can't be kept is the caller's mistake to mend, not a guess or a 500."""
    with stages.open(*REGIONS) as aws:
        aws.get(PATH, limit="7").says(limit=7, regions_successful=2)
        mark = aws.mark()
        reply = aws.get(PATH, limit=limit)
        aws.nobody_was_asked(mark)
        reply.refuses("limit")


@pytest.mark.requirement("aggregator.jobs.limit-range")
@pytest.mark.parametrize("limit", [1, 2, 499, 500, 501, 999, 1000])
def test_a_limit_within_its_range(stages: Stages, limit: int) -> None:
    """A region gives a thousand jobs at most: asked for more, it refuses, and the caller gets nothing."""
    with stages.open(*REGIONS) as aws:
        reply = aws.get(PATH, limit=str(limit))
        reply.says(limit=limit, regions_successful=2, errors=None)


@pytest.mark.requirement("aggregator.jobs.limit-range")
def test_the_largest_limit_is_kept(stages: Stages) -> None:
    """A thousand jobs of two regions together, the newest of both."""
    answers = {
        region: {"jobs": [{"metadata": {"name": f"{number:03}", "creationTimestamp": f"{number:03}-{region}"}}]}
        for region, number in zip(REGIONS, (1, 2), strict=True)
    }
    for body in answers.values():
        body["jobs"] *= 600
    with stages.open(*REGIONS) as aws:
        answered(aws, answers)
        reply = aws.get(PATH, limit="1000")
        reply.says(limit=1000, regions_successful=2, errors=None)
        if len(reply.listed("jobs")) < 1000:
            reply.fails("jobs are missing that were asked for", "a thousand of the 1200 jobs that there are")


def answered(aws: Stage, answers: Mapping[str, Any]) -> None:
    for region, body in answers.items():
        aws.region(region).answers(JOBS, json=body)


def large(text: str, times: int, jobs: int) -> dict[str, Any]:
    """By region, so many jobs that each have `text` so many times in them."""
    return {
        region: {
            "jobs": [
                {
                    "metadata": {"name": f"{region}-{number}", "creationTimestamp": f"{number:04}"},
                    "log": text * times,
                }
                for number in range(jobs)
            ],
            "total": 10 * jobs,
        }
        for region in REGIONS
    }


def is_cut(reply: Reply, whole: Mapping[str, Any], at_least: int) -> None:
    """The answer is `whole` with some of its last jobs left out, which it says, and no more than had to be."""
    body = reply.body if isinstance(reply.body, dict) else {}
    count = body.get("count")
    kept = [job.get("metadata") for job in reply.listed("jobs")]
    if reply.status != 200 or body.get("truncated") is not True or not at_least <= len(kept) < whole["count"]:
        reply.fails(
            "the answer isn't cut to what Lambda takes",
            f"status 200, truncated: true, and at least {at_least} of the {whole['count']} jobs",
        )
    if count != len(kept):
        reply.fails("the answer miscounts its jobs", "count: the number of jobs that are in the answer")
    newest = [job["metadata"] for job in whole["jobs"][: len(kept)]]
    if any(metadata not in newest for metadata in kept):
        reply.fails("other jobs are left out than the last ones", f"the {len(kept)} newest jobs")
    reply.agrees(whole, "total", "limit", "region_summaries")


LARGE: dict[str, tuple[str, int, int]] = {
    # What each job holds, how often, and how many jobs fit at the very least: half of what does.
    "plain": ("x", 100_000, 30),
    "quotes": ('"', 40_000, 19),  # a quote is four characters in JSON in JSON
    "backslashes": ("\\", 40_000, 19),
    "line-ends": ("\n", 50_000, 20),
    "not-ascii": ("é", 40_000, 10),
}


@pytest.mark.requirement("aggregator.jobs.response-size")
@pytest.mark.parametrize(("text", "times", "at_least"), LARGE.values(), ids=LARGE.keys())
def test_an_answer_is_cut_to_what_lambda_takes(stages: Stages, text: str, times: int, at_least: int) -> None:
    """Beyond 6 MB Lambda drops the whole answer; what it measures is JSON within JSON, with all its escapes."""
    answers = large(text, times, jobs=40)
    with stages.open(*REGIONS) as aws:
        aws.works()
        answered(aws, answers)
        is_cut(aws.get(PATH, limit="500"), aggregation.jobs(answers, limit=500), at_least)


@pytest.mark.requirement("aggregator.jobs.response-size")
def test_an_answer_that_fits_is_not_cut(stages: Stages) -> None:
    """Nothing is left out that has room, and nothing is said of cutting."""
    answers = large("x", 100_000, jobs=20)
    whole = aggregation.jobs(answers, limit=500)
    with stages.open(*REGIONS) as aws:
        answered(aws, answers)
        reply = aws.get(PATH, limit="500")
        if isinstance(reply.body, dict) and "truncated" in reply.body:
            whole["truncated"] = False
        reply.agrees(whole, "count", "jobs.metadata", "truncated")


@pytest.mark.requirement("aggregator.jobs.response-size")
def test_the_limit_is_no_cut(stages: Stages) -> None:
    """Who asked for three jobs got them: that there are more is what the total says."""
    answers = large("x", 100, jobs=20)
    with stages.open(*REGIONS) as aws:
        answered(aws, answers)
        reply = aws.get(PATH, limit="3")
        reply.says(count=3, total=400)
        if reply.body.get("truncated", False) is not False:
            reply.fails("the answer says that it is cut, and isn't", "no truncated, or false")


@pytest.mark.requirement("aggregator.jobs.response-size")
def test_a_job_that_does_not_fit_at_all(stages: Stages) -> None:
    """The newest job is larger than any answer: there is an answer without it, which says so."""
    answers = large("x", 100, jobs=3)
    giant = {"metadata": {"name": "giant", "creationTimestamp": "9999"}, "log": "x" * 7_000_000}
    answers["us-east-1"]["jobs"].append(giant)
    with stages.open(*REGIONS) as aws:
        aws.works()
        answered(aws, answers)
        reply = aws.get(PATH)
        reply.says(truncated=True, regions_successful=2, errors=None)
        if reply.body.get("count") != len(reply.listed("jobs")):
            reply.fails("the answer miscounts its jobs", "count: the number of jobs that are in the answer")
