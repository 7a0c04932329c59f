"""`gco-conformance simulate`: keep a world running and run a shell or a command in its sealed network."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "simulate",
        help="run a shell or a command in a simulated AWS",
        description="Keep a world running in the foreground: CloudFormation and regional APIs with their real "
        "names, certificates and signatures, in a network of its own. What reaches them is shown as it comes.",
        epilog="exit status: that of the command; 2 when the world can't be made",
    )
    parser.add_argument("--world", metavar="FILE", help="the world, as YAML (default: two healthy regions)")
    parser.add_argument("--quiet", action="store_true", help="don't show the requests")
    parser.add_argument(
        "command",
        nargs="*",
        metavar="-- COMMAND",
        help="what to run inside (default: a shell, where there is one)",
    )
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    from gco_conformance.extras import missing
    from gco_conformance.sealed.namespaces import available
    from gco_conformance.sealed.reexecute import reexecute

    reason = missing("aggregator") or available()
    if reason:
        raise UsageError(f"no world can be made here: {reason}")
    if arguments.world is not None:
        from pathlib import Path

        from gco_conformance.world.description import read

        read(Path(arguments.world))  # so that a slip is told before anything starts
    options = [arguments.world or "", "quiet" if arguments.quiet else "", *arguments.command]
    return reexecute(["gco_conformance.simulation.inside:main", *options])
