"""Deletions that are asked for wrongly, and filters that get lost: the aggregator contract's section 5."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st

from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.model.json_equality import equal
from gco_conformance.suite.property import for_each

REGIONS = ("eu-west-1", "us-east-1")
PATH = "/api/v1/global/jobs"


def deletes_nothing(aws: Stage, body: str, field: str) -> None:
    """The body is a 400 that names the field, and reaches no region; without it there is a deletion."""
    aws.delete(PATH, {"namespace": "team-a", "dry_run": True}).says(dry_run=True, errors=None)
    mark = aws.mark()
    reply = aws.send("DELETE", PATH, body=body)
    aws.nobody_was_asked(mark)
    reply.refuses(field)


@pytest.mark.requirement("aggregator.deletion.strict-body")
def test_a_body_that_is_no_object(stages: Stages) -> None:
    """What it was meant to filter can't be known: taken for an empty one, it would delete everything."""
    whole = ["[]", "null", "5", "true", '"namespace"', '[{"namespace": "team-a"}]', '{"older_than_days": NaN}']
    broken = [
        "{",
        "not json",
        "namespace=team-a",
        '{"namespace": "a"',
        '{"namespace": "a"} {}',
        "{'namespace': 'a'}",
        "  ",
    ]
    with stages.open(*REGIONS) as aws:
        for body in (*whole, *broken):
            deletes_nothing(aws, body, "")


@pytest.mark.requirement("aggregator.deletion.strict-body")
@pytest.mark.parametrize(
    "field", ["dryrun", "dryRun", "DRY_RUN", "name_space", "older_than", "labelSelector", "limit", "name", ""]
)
def test_an_unknown_field(stages: Stages, field: str) -> None:
    """A filter that is mistyped isn't there, and neither is a dry run: nothing must be deleted for it."""
    with stages.open(*REGIONS) as aws:
        for value in (True, "team-a", 30):
            deletes_nothing(aws, json.dumps({field: value, "dry_run": False}), field)


WRONG: dict[str, tuple[Any, ...]] = {
    "dry_run": ("false", "true", "", 0, 1, None, [], {}, 0.5),
    "older_than_days": (0, 366, -1, 1.5, 0.5, "30", "", True, [30], {}, 2**53, 1e300),
    "namespace": (5, 1.5, True, False, ["team-a"], {"name": "team-a"}),
    "status": (5, 1.5, True, False, ["failed"], {"name": "failed"}),
    "label_selector": (5, 1.5, True, False, ["app=x"], {"app": "x"}),
}


@pytest.mark.requirement("aggregator.deletion.strict-body")
@pytest.mark.parametrize("field", WRONG)
def test_a_value_that_a_field_cannot_have(stages: Stages, field: str) -> None:
    """To one reader "false" is false, to another it is set, and zero days are no filter: nobody must guess."""
    with stages.open(*REGIONS) as aws:
        for value in WRONG[field]:
            body = {"dry_run": False, field: value}
            deletes_nothing(aws, json.dumps(body), field)


@pytest.mark.requirement("aggregator.deletion.strict-body")
@pytest.mark.parametrize(
    "body",
    [
        {"dry_run": False},
        {"older_than_days": 1, "dry_run": False},
        {"older_than_days": 365, "dry_run": False},
        {
            "namespace": "team-a",
            "status": "failed",
            "older_than_days": 30,
            "label_selector": "app=x",
            "dry_run": False,
        },
    ],
    ids=str,
)
def test_a_right_body_is_passed_on(stages: Stages, body: dict[str, Any]) -> None:
    """All five fields, each within its bounds, reach every region as they are."""
    with stages.open(*REGIONS) as aws:
        aws.delete(PATH, body).says(dry_run=body["dry_run"], errors=None)
        for region in REGIONS:
            aws.deleted_with(region, **body)


def drops_no_filter(aws: Stage, body: dict[str, Any]) -> None:
    """Whatever becomes of the deletion: what reaches a region has every filter as it was given."""
    mark = aws.mark()
    aws.delete(PATH, body)
    for region in REGIONS:
        for sent in aws.bodies(region, since=mark):
            given = sent if isinstance(sent, dict) else {}
            filters = {name: value for name, value in body.items() if name != "dry_run"}
            lost = [name for name, value in filters.items() if name not in given or not equal(given[name], value)]
            aws.expect(not lost, f"{' and '.join(lost)} of {json.dumps(body)} to {region}, not {json.dumps(sent)}")


def deletes(aws: Stage) -> None:
    """The control: a deletion reaches every region."""
    aws.delete(PATH, {"namespace": "team-a", "dry_run": False}).says(regions_queried=2)
    for region in REGIONS:
        aws.deleted_with(region, namespace="team-a", dry_run=False)


@pytest.mark.requirement("aggregator.deletion.no-silent-filter")
@pytest.mark.parametrize(
    "filters",
    [
        {"older_than_days": 0},
        {"namespace": ""},
        {"status": ""},
        {"label_selector": ""},
        {"namespace": " "},
        {"older_than_days": 0, "namespace": "team-a"},
    ],
    ids=str,
)
def test_a_filter_that_looks_unset_is_not_dropped(stages: Stages, filters: dict[str, Any]) -> None:
    """A script whose variable is empty asks for nothing in particular, and must not delete all there is."""
    with stages.open(*REGIONS) as aws:
        deletes(aws)
        drops_no_filter(aws, {**filters, "dry_run": False})


@pytest.mark.requirement("aggregator.deletion.no-silent-filter")
def test_no_filter_is_dropped_or_changed(stages: Stages) -> None:
    """Whatever is asked for: what arrives in a region is that, or nothing does."""
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(["", " ", "0", "null"])
    days = st.integers(-1, 400) | st.sampled_from([0, 1, 365])
    fields = {"namespace": text, "status": text, "label_selector": text, "older_than_days": days}
    bodies = st.fixed_dictionaries({"dry_run": st.booleans()}, optional=fields)
    with stages.open(*REGIONS) as aws:
        deletes(aws)
        for_each(aws.seed, bodies, lambda body: drops_no_filter(aws, body))
