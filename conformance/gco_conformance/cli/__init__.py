"""The command line. Each command is a module with `add_parser` and `run`, imported when it is used."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import gco_conformance
from gco_conformance.errors import KitError, UsageError

COMMANDS: Final = (
    "run",
    "requirements",
    "explain",
    "checkout",
    "drift",
    "simulate",
    "faults",
    "merge",
    "serve_gateway",
)
USAGE_STATUS: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0 all well, 1 a requirement failed, 2 anything else."""
    try:
        options = _parser().parse_args(arguments)
        return int(options.func(options))
    except KitError as error:
        print(f"gco-conformance: {error}", file=sys.stderr)
        return USAGE_STATUS
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; what is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return USAGE_STATUS
    except KeyboardInterrupt:
        print("gco-conformance: interrupted", file=sys.stderr)
        return USAGE_STATUS


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see '{self.prog} --help')")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gco-conformance",
        description="Check composers of OpenAPI documents and cross-region aggregators.",
    )
    parser.add_argument("--version", action="version", version=f"gco-conformance {gco_conformance.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in COMMANDS:
        importlib.import_module(f"gco_conformance.cli.{name}").add_parser(commands)
    return parser
