"""Where values are too long to be shown, the difference is what is shown."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gco_conformance.evidence.violation import Violation
from gco_conformance.report.differing import BOUND, about_regions, bounded, differing, regions
from gco_conformance.report.model import CheckResult
from gco_conformance.report.terminal import render, terminal_console

from .report_samples import every_shape, failed, report, requirement

REGIONS = [f"{area}-{side}-{number}" for area in ("eu", "us") for side in ("east", "west") for number in (1, 2, 3)]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def merged() -> dict[str, Any]:
    """A long answer, as `Reply.agrees` has it."""
    jobs = [
        [name, {"name": f"job-{name}", "labels": {"team": "a" * 80}, "uid": n}] for n, name in enumerate(REGIONS)
    ]
    return {
        "statusCode": 200,
        "body": {"jobs.metadata": jobs, "region_summaries": [{"region": r} for r in REGIONS]},
    }


def text(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True)


def told(check: CheckResult) -> str:
    stream = io.StringIO()
    render(report(requirement(check, id="aggregator.a.b")), terminal_console(stream))
    return stream.getvalue()


def test_what_differs_in_a_long_answer_is_told_and_what_does_not_is_counted() -> None:
    wrong = copy.deepcopy(merged())
    wrong["body"]["jobs.metadata"][7][1]["uid"] = "seven"
    del wrong["body"]["jobs.metadata"][10]
    expected, actual = (json.loads(side) for side in differing(text(merged()), text(wrong)))
    entry: list[Any] = ["us-east-2", {"...": "1 equal member", "name": "job-us-east-2", "uid": 7}]
    seven, two, one = "... 7 equal items", "... 2 equal items", "... 1 equal item"
    assert expected["body"] == {
        "...": "1 equal member",
        "jobs.metadata": [seven, entry, two, merged()["body"]["jobs.metadata"][10], one],
    }
    entry[1]["uid"] = "seven"
    assert actual["body"] == {"...": "1 equal member", "jobs.metadata": [seven, entry, two, one]}


def test_the_report_shows_the_difference_of_what_it_cuts() -> None:
    wrong = copy.deepcopy(merged())
    wrong["body"]["jobs.metadata"][11][1]["uid"] = "eleven"
    violation = Violation("the answer says something else", expected=merged(), actual=wrong)
    check = dataclasses.replace(failed(), expected=violation.expected, actual=violation.actual)
    shown = told(check)
    assert '"uid": 11' in shown
    assert '"uid": "eleven"' in shown
    assert "more lines" not in shown


def test_a_short_value_is_shown_in_full() -> None:
    left, right = ({"a": "word " * 12, "b": number} for number in (1, 2))
    check = dataclasses.replace(failed(), expected=text(left), actual=text(right))
    assert told(check).count("word " * 10) == 2


@every_shape
@given(VALUES, VALUES)
def test_values_that_differ_still_do(left: Any, right: Any) -> None:
    expected, actual = text(left), text(right)
    assert (expected == actual) or len(set(differing(expected, actual))) == 2
    assert differing(expected, expected) == (expected, expected)


def test_what_is_no_json_stays() -> None:
    for pair in (
        ("a" * 2000, text(merged())),
        (text([1]), "[1"),
        ("[" * 100_000, "[]"),
        ("[" * 500 + "]" * 500, "[" * 501 + "]" * 501),
        ("7", "8"),
    ):
        assert differing(*pair) == pair


def test_a_bounded_value_is_cut_after_what_is_equal() -> None:
    wrong = copy.deepcopy(merged())
    wrong["body"]["jobs.metadata"][11][1]["uid"] = "eleven"
    assert '"eleven"' in bounded(text(merged()), text(wrong))[1]
    assert bounded("", "x" * (BOUND + 5)) == ("", "x" * BOUND + " ... (5 characters more)")


def seen(count: int) -> list[str]:
    return [f"{number}.000 s regional {REGIONS[number % len(REGIONS)]} GET /prod" for number in range(count)]


def test_of_a_long_list_what_is_about_the_named_region_is_kept() -> None:
    message = "not seen: one request to us-west-2"
    lines = seen(40)
    story = "# The event:\nprintf x\n" + "".join(f"#   {line}\n" for line in lines)
    shown = told(dataclasses.replace(failed(message=message), actual="\n".join(lines), reproduction=story))
    assert "... 10 lines of others" in shown
    for number in (10, 22, 34):
        assert shown.count(f"{number}.000 s regional us-west-2") == 2
    assert "eu-east-1" not in shown
    assert "printf x\n#   ... 10 lines of others\n" in shown


def test_a_region_is_not_another_with_a_longer_name() -> None:
    assert regions("asked us-gov-west-1, not eu-west-1: x.eu-west-12.amazonaws.com") == {
        "us-gov-west-1",
        "eu-west-1",
        "eu-west-12",
    }
    assert about_regions(["eu-west-12", "eu-west-1"], {"eu-west-1"}) == ["... 1 line of others", "eu-west-1"]
