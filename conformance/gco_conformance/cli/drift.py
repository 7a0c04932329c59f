"""`gco-conformance drift`: what manifest, services and composed document say about each other, compared."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    from gco_conformance.drift.report import Report

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

INIT = "init"
_FORMATS = ("text", "json", "junit", "github", "sarif", "md")
_ALL_RULES = ""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "drift",
        help="find what a gateway's rules and its services' documents contradict each other in",
        description="Compare the HTTPRoutes of a checkout with its services' OpenAPI documents and say, with file "
        "and line, what clients would get wrong. 'drift init [ROOT]' writes a configuration first.",
        epilog="exit status: 0 nothing that counts; 1 findings; 2 usage, or something that can't be read",
    )
    parser.add_argument("root", nargs="*", metavar="ROOT", help="the checkout (default: the working directory)")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="instead of gateway-composition.yaml at the root"
    )
    parser.add_argument(
        "--manifest",
        action="append",
        default=[],
        metavar="FILE",
        help="a manifest or a directory of them instead of the configured ones; - is standard input, such as "
        "the output of 'helm template' or 'kustomize build'",
    )
    parser.add_argument(
        "--service",
        action="append",
        default=[],
        metavar="NAME=URL",
        help="ask the running service for its /openapi.json instead of reading a file; a file will do, too",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="how long running services may take, all together (default: 5)",
    )
    parser.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="FORMAT[:FILE]",
        help=f"{', '.join(_FORMATS)}; with a file, also written there; may be given several times (default: text)",
    )
    parser.add_argument(
        "--fail-on", choices=("error", "warning"), default="error", help="what counts (default: error)"
    )
    parser.add_argument("--baseline", type=Path, metavar="FILE", help="report only what isn't in this baseline")
    parser.add_argument(
        "--write-baseline", type=Path, metavar="FILE", help="write all findings to a baseline and end with 0"
    )
    parser.add_argument(
        "--explain",
        nargs="?",
        const=_ALL_RULES,
        metavar="RULE",
        help="say what a rule is about, what a client sees and how it is mended; without RULE, list them",
    )
    parser.add_argument("--force", action="store_true", help="init: replace an existing configuration")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.explain is not None:
        from gco_conformance.drift.explain import explain

        print(explain(arguments.explain))
        return 0
    if arguments.root[:1] == [INIT]:
        from gco_conformance.drift.discovery.command import initialise

        return initialise(_root(arguments.root[1:]), force=arguments.force)
    return _check(arguments)


def _root(given: list[str]) -> Path:
    if len(given) > 1:
        raise UsageError(f"one checkout at a time, not {len(given)}: {' '.join(given)}")
    return Path(given[0] if given else ".")


def _check(arguments: argparse.Namespace) -> int:
    from collections import Counter
    from datetime import date

    from gco_conformance.drift import gate
    from gco_conformance.drift.baseline import read_baseline, write_baseline
    from gco_conformance.drift.finding import Severity

    outputs = [_output(text) for text in arguments.format]
    if arguments.timeout <= 0:
        raise UsageError(f"--timeout must be more than 0, not {arguments.timeout:g}")
    request = gate.Request(
        root=_root(arguments.root),
        configuration=arguments.config,
        manifests=tuple(arguments.manifest),
        services=dict(_service(text) for text in arguments.service),
        seconds=arguments.timeout,
        fail_on=Severity(arguments.fail_on),
        baseline=Counter() if arguments.baseline is None else read_baseline(arguments.baseline),
    )
    report = gate.run(request, date.today())
    for problem in report.problems:
        print(f"gco-conformance: {problem}", file=sys.stderr)
    if arguments.write_baseline is not None:
        write_baseline(arguments.write_baseline, report.findings)
        print(f"{arguments.write_baseline}: {len(report.findings)} findings written")
        return 2 if report.problems else 0
    _tell(report, outputs)
    return report.exit_status


def _tell(report: Report, outputs: list[tuple[str, Path | None]]) -> None:
    from gco_conformance.drift.writers import write

    if isinstance(sys.stdout, io.TextIOWrapper):
        # What a document holds need not be what the terminal can show.
        sys.stdout.reconfigure(errors="replace")
    if all(path is not None for _, path in outputs):
        outputs = [*outputs, ("text", None)]
    for form, path in outputs:
        text = write(report, form)
        if path is None:
            sys.stdout.write(text)
            continue
        try:
            path.write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{path} can't be written: {error.strerror}") from None
    if report.gone:
        hint = "--write-baseline writes it anew"
        print(f"gco-conformance: {report.gone} of the baseline are found no more; {hint}", file=sys.stderr)


def _output(text: str) -> tuple[str, Path | None]:
    form, colon, path = text.partition(":")
    if form not in _FORMATS:
        raise UsageError(f"there is no format '{form}'", f"the formats are {', '.join(_FORMATS)}")
    if colon and not path:
        raise UsageError(f"--format {text} names no file")
    return form, Path(path) if path else None


def _service(text: str) -> tuple[str, str]:
    name, _, address = text.partition("=")
    if not name or not address:
        raise UsageError(f"--service {text} isn't NAME=URL", "such as --service orders=http://localhost:8000")
    return name, address
