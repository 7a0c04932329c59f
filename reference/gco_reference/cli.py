"""The command `gco-reference`."""

from __future__ import annotations

import argparse
import os
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
    try:
        if arguments.command == "invoke":
            return _invoke(arguments)
        return _serve() if arguments.command == "serve" else _compose(arguments.root, arguments.check)
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # of the standard streams alone: files have errors of their own
        print(f"ERROR: standard input or output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered would fail again at exit
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gco-reference", description="The reference composer and aggregator.")
    parser.add_argument("--version", action="version", version=f"gco-reference {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    compose = commands.add_parser("compose", help="compose a checkout's documents into one")
    compose.add_argument("root", type=Path, help="the directory with gateway-composition.yaml")
    compose.add_argument("--check", action="store_true", help="write nothing; exit 1 unless the output is current")
    commands.add_parser("serve", help="answer gco-composer-stdio/1 requests on stdin")
    invoke = commands.add_parser("invoke", help="hand one request to the aggregator, print its result")
    invoke.add_argument("method", metavar="METHOD", help="such as GET")
    invoke.add_argument("path", metavar="PATH", help="such as /api/v1/global/health")
    invoke.add_argument(
        "--query", metavar="NAME=VALUE", type=_parameter, action="append", default=[], help="may be repeated"
    )
    invoke.add_argument("--body", metavar="JSON", help="the body of the request")
    invoke.add_argument(
        "--world", metavar="FILE", type=Path, help="run it in this simulated world, not in the environment"
    )
    return parser


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("must be NAME=VALUE")
    return name, value


def _compose(root: Path, check: bool) -> int:
    from gco_reference.composer.command import run

    outcome = run(root, check=check)
    for stream, text in ((sys.stderr, outcome.stderr), (sys.stdout, outcome.stdout)):
        if stream is not None:  # a stream may be closed from the start
            stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding))
            stream.flush()
    return outcome.exit


def _serve() -> int:
    from gco_reference.serve import serve

    serve(sys.stdin, sys.stdout)
    return 0


def _invoke(arguments: argparse.Namespace) -> int:
    from gco_reference.aggregator.command import invoke, invoke_in_world

    request = (arguments.method, arguments.path, arguments.query, arguments.body)
    return invoke(*request) if arguments.world is None else invoke_in_world(arguments.world, *request)
