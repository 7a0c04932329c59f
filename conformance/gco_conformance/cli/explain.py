"""`gco-conformance explain ID`: what one requirement asks, why, and where it is said."""

from __future__ import annotations

import argparse

from gco_conformance.requirements import load
from gco_conformance.requirements.render import show


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="show one requirement: sentence, reason, source and example",
        description="Show what one requirement asks, why it matters, where it is written and an example.",
    )
    parser.add_argument("id", metavar="ID", help="a requirement id, e.g. composer.routing.longest-prefix")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the requirement. Raises `UnknownRequirement`, a `UsageError`, for an id that doesn't exist."""
    show(load().get(arguments.id))
    return 0
