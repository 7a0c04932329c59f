"""`gco-conformance merge`: join the reports of the parts of a campaign of faults."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "merge",
        help="join reports of campaigns of faults",
        description="Join reports of 'gco-conformance faults': the parts of a campaign, and several campaigns.",
        epilog="exit status: as 'gco-conformance faults' would have ended; 2 also when parts are missing",
    )
    parser.add_argument("reports", nargs="+", metavar="REPORT", help="a report that --report-json has written")
    parser.add_argument("--report-json", metavar="FILE", help="write the joined report as JSON")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    import json
    import sys
    from pathlib import Path

    from gco_conformance.campaigns.merge import merge, read
    from gco_conformance.campaigns.report import told
    from gco_conformance.cli.faults import report_file

    file = report_file(arguments.report_json)
    merged = merge({name: read(Path(name)) for name in arguments.reports})
    print("\n".join(told(merged)))
    for error in merged["errors"]:
        print(f"gco-conformance: {error}", file=sys.stderr)
    if file:
        Path(file).write_text(json.dumps(merged, indent=2) + "\n", encoding="utf-8")
    return int(merged["exit_status"])
