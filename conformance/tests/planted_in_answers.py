"""Aggregators whose answers aren't what the document of the global routes says, one fault each."""

from __future__ import annotations

from dataclasses import dataclass

from gco_fixtures.broken import Change

INVOCATION, MERGING, ANSWERS = "aggregator/invocation.py", "aggregator/merging.py", "aggregator/answers.py"
REQUEST_CHECK, DISCOVERY = "aggregator/request_check.py", "aggregator/discovery.py"
ANSWER = "        return answers.result(200, _aggregator.answer(question(event), deadline))\n"


@dataclass(frozen=True)
class Planted:
    """A fault, the check that has to find it, and a word of what that has to say.

    What is much like another one is for a `thorough` test only.
    """

    name: str
    check: str
    says: str
    change: Change
    thorough: bool = False


def answer(text: str) -> Change:
    """What is returned where all went well."""
    return Change(INVOCATION, ANSWER, text)


PLANTED = (
    Planted(
        "accepted",
        "document/an-answer-is-what-the-document-says[deletion]",
        "Undocumented status code",
        answer(
            '        status = 202 if event.get("httpMethod") == "DELETE" else 200\n'
            "        return answers.result(status, _aggregator.answer(question(event), deadline))\n"
        ),
    ),
    Planted(
        "multi-status",
        "document/answers-with-a-region-down[partial]",
        "Undocumented status code",
        answer(
            "        found = _aggregator.answer(question(event), deadline)\n"
            '        return answers.result(207 if found.get("errors") else 200, found)\n'
        ),
        thorough=True,
    ),
    Planted(
        "count-as-text",
        "document/an-answer-is-what-the-document-says[jobs]",
        '"2" is not of type "integer"',
        Change(MERGING, '"count": len(jobs),', '"count": str(len(jobs)),'),
    ),
    Planted(
        "missing-field",
        "document/an-answer-is-what-the-document-says[status]",
        "regions_successful",
        Change(MERGING, '        **collected.summary(),\n        "regions": [', '        "regions": ['),
        thorough=True,
    ),
    Planted(
        "overall-in-capitals",
        "document/an-answer-is-what-the-document-says[health]",
        "HEALTHY",
        Change(MERGING, '"overall_status": _overall(healthy, len(rows)),', '"overall_status": "HEALTHY",'),
        thorough=True,
    ),
    Planted(
        "no-errors-is-a-list",
        "document/answers-without-regions",
        "[] has less than 1 item",
        Change(
            MERGING,
            "for region in sorted(self.errors)] or None",
            "for region in sorted(self.errors)] or ([] if not self.reports else None)",
        ),
        thorough=True,
    ),
    Planted(
        "error-with-details",
        "document/answers-with-a-region-down[transport]",
        "refused by",
        Change(
            INVOCATION,
            "str(outcome) if isinstance(outcome, RegionFailedError) else REDACTED",
            'f"{outcome} (refused by {region})"',
        ),
    ),
    Planted(
        "unreachable-with-nulls",
        "document/health-with-a-region-down",
        "cluster_id",
        Change(
            MERGING,
            '"status": "unreachable", "error": error}',
            '"status": "unreachable", "error": error, "cluster_id": None}',
        ),
        thorough=True,
    ),
    Planted(
        "unavailable-with-details",
        "document/unavailable-is-answered-as-documented[not-found]",
        "detail",
        Change(
            INVOCATION,
            '"Regional aggregation is temporarily unavailable")',
            '"Regional aggregation is temporarily unavailable", detail=str(error))',
        ),
        thorough=True,
    ),
    Planted(
        "stale-has-a-status",
        "document/answers-from-a-stale-map",
        "Undocumented status code",
        Change(
            DISCOVERY,
            "            return known.hosts\n        self._known",
            "            from gco_reference.aggregator import answers, strict_json\n"
            "            answers.result = lambda status, body, headers=None: {\n"
            '                "statusCode": 203, "headers": {}, "body": strict_json.write(body)}\n'
            "            return known.hosts\n        self._known",
        ),
    ),
    Planted(
        "not-found-with-advice",
        "document/other-methods-on-jobs-are-answered-as-documented",
        "allowed",
        Change(INVOCATION, 'path=event.get("path"))', 'path=event.get("path"), allowed=["GET", "DELETE"])'),
        thorough=True,
    ),
    Planted(
        "html",
        "hardened-document/every-answer-has-the-documented-content-type",
        "text/html",
        Change(ANSWERS, '"Content-Type": "application/json"', '"Content-Type": "text/html"'),
    ),
    Planted(
        "bad-request-in-plain-text",
        "hardened-document/limits-within-and-beyond-the-document",
        "limit must be",
        Change(
            INVOCATION,
            "        return answers.error(400, str(error))\n",
            '        return {"statusCode": 400, "headers": {"Content-Type": "text/plain"}, "body": str(error)}\n',
        ),
        thorough=True,
    ),
    Planted(
        "allows-post",
        "hardened-document/other-methods-are-answered-as-documented[health]",
        "header",
        Change(INVOCATION, 'headers={"Allow": "GET"}', 'headers={"Allow": "POST"}'),
    ),
    Planted(
        "odd-query-raises",
        "document/every-query-of-the-document-is-answered",
        "500",
        Change(
            REQUEST_CHECK,
            "        filters[name] = value\n",
            '        filters[name] = value.encode("latin-1").decode("latin-1")\n',
        ),
    ),
    Planted(
        "odd-query-ends-the-process",
        "document/every-query-of-the-document-is-answered",
        "no answer that API Gateway can pass on",
        Change(
            REQUEST_CHECK,
            "        filters[name] = value\n",
            "        if not value.isprintable():\n            import os\n\n            os._exit(3)\n"
            "        filters[name] = value\n",
        ),
    ),
    Planted(
        "odd-selector-raises",
        "document/every-deletion-of-the-document-is-carried-out",
        "500",
        Change(
            REQUEST_CHECK,
            '    dry_run = fields.pop("dry_run", True)\n',
            '    fields.get("label_selector", "").encode("ascii")\n    dry_run = fields.pop("dry_run", True)\n',
        ),
        thorough=True,
    ),
    Planted(
        "status-as-text",
        "document/an-answer-is-what-the-document-says[deletion]",
        "no answer that API Gateway can pass on",
        Change(ANSWERS, '"statusCode": status,', '"statusCode": str(status) if "dry_run" in body else status,'),
        thorough=True,
    ),
    Planted(
        "days-as-they-come",
        "hardened-document/bodies-beyond-the-document",
        "200",
        Change(REQUEST_CHECK, "1 <= value <= _MAX_DAYS", "value <= _MAX_DAYS"),
    ),
    Planted(
        "wrong-count-raises",
        "hardened-document/answers-with-wrongly-shaped-regions",
        "500",
        Change(
            "aggregator/reports.py",
            '        raise WrongShapeError(f"{name} isn\'t a count")\n    return count\n',
            "        pass\n    return count\n",
        ),
        thorough=True,
    ),
    Planted(
        "jobs-pile-up",
        "document/no-answer-depends-on-what-was-asked-before",
        "depends on what was asked before",
        Change(
            MERGING,
            "    located = [(region, job) for region, report in reports for job in report.jobs]\n",
            '    located = _newest_first.__dict__.setdefault("known", [])\n'
            "    located += [(region, job) for region, report in reports for job in report.jobs]\n",
        ),
    ),
    Planted(
        "one-answer-for-each-path",
        "document/no-answer-depends-on-what-was-asked-before",
        "after other events",
        answer(
            '        key = event.get("path")\n'
            '        known = _aggregator.__dict__.setdefault("answers", {})\n'
            "        if key not in known:\n"
            "            known[key] = _aggregator.answer(question(event), deadline)\n"
            "        return answers.result(200, known[key])\n"
        ),
    ),
)
