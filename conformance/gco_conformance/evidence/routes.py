"""The four things that an aggregator can be asked, for checks that hold whatever it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from gco_conformance.evidence.reply import Reply
from gco_conformance.evidence.stage import Stage
from gco_conformance.model import aggregation
from gco_conformance.world.regional import HEALTH, JOBS, STATUS, Region


@dataclass(frozen=True)
class Route:
    """What a region is asked (`method` and `path`), what it may answer, and what becomes of all answers."""

    method: str
    path: str
    answer: Mapping[str, Any]
    merged: Callable[[aggregation.Answers], dict[str, Any]]

    def answered_by(self, region: Region) -> Region:
        """Let a region answer as this route's regions do."""
        return region.answers(self.path, json=self.answer, method=self.method)

    def ask(self, aws: Stage) -> Reply:
        """Ask the aggregator. A deletion is one that deletes."""
        path = self.path.replace("/v1/", "/v1/global/")
        if self.method == "DELETE":
            return aws.delete(path, {"namespace": "team-a", "dry_run": False})
        return aws.get(path)


ROUTES: Mapping[str, Route] = {
    "status": Route(
        "GET", STATUS, {"cluster_id": "one", "templates_count": 3, "webhooks_count": 2}, aggregation.status
    ),
    "jobs": Route("GET", JOBS, {"jobs": [{"metadata": {"name": "a"}}], "total": 1}, aggregation.jobs),
    "health": Route(
        "GET", HEALTH, {"status": "healthy", "cluster_id": "one", "kubernetes_api": "healthy"}, aggregation.health
    ),
    "deletion": Route(
        "DELETE",
        JOBS,
        {"total_matched": 3, "deleted_count": 2, "failed_count": 1},
        partial(aggregation.deletion, dry_run=False),
    ),
}
