"""The command `gco-reference`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from gco_reference import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status (usage errors: 2)."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as end:  # argparse has said why; its statuses are 0 and 2
        return end.code if isinstance(end.code, int) else 2
    if arguments.command == "serve":
        return _serve()
    return _compose(arguments.root, arguments.check)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gco-reference", description="The reference composer.")
    parser.add_argument("--version", action="version", version=f"gco-reference {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    compose = commands.add_parser("compose", help="compose a checkout's documents into one")
    compose.add_argument("root", type=Path, help="the directory with gateway-composition.yaml")
    compose.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 unless the output is current"
    )
    commands.add_parser("serve", help="answer gco-composer-stdio/1 requests on stdin")
    return parser


def _compose(root: Path, check: bool) -> int:
    from gco_reference.composer.command import run

    outcome = run(root, check=check)
    sys.stderr.write(outcome.stderr)
    sys.stdout.write(outcome.stdout)
    sys.stdout.flush()
    return outcome.exit


def _serve() -> int:
    from gco_reference.serve import serve

    serve(sys.stdin, sys.stdout)
    return 0
