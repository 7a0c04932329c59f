"""`gco-conformance checkout`: lay out the checkout of a written check, to run a composer on it by hand."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "checkout",
        help="lay out the checkout of a check",
        description="Write the checkout of a check, as reports name it, to a new directory.",
    )
    parser.add_argument("check", metavar="CHECK", help="such as routing-ties/first-wins")
    parser.add_argument("directory", metavar="DIRECTORY", type=Path, help="must not exist, or be empty")
    parser.add_argument(
        "--twin", action="store_true", help="the positive twin instead: the same without the fault"
    )
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    from gco_conformance.checkouts.case import checks

    known = {check.id: check for check in checks()}
    check = known.get(arguments.check)
    if check is None:
        close = difflib.get_close_matches(arguments.check, known, n=1)
        hint = f"did you mean {close[0]}?" if close else "reports name the checks that can be laid out"
        raise UsageError(f"there is no written check '{arguments.check}'", hint)
    directory: Path = arguments.directory
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"{directory}: exists and is not an empty directory")
    try:
        (check.twin if arguments.twin else check.checkout).write(directory)
    except OSError as error:
        raise UsageError(f"{directory}: {error.strerror}") from None
    print(f"{directory}: {check.id} ({check.requirement})")
    return 0
