"""`gco-reference compose ROOT [--check]`: what it writes, prints and returns (contract section 5)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from gco_reference.composer import output
from gco_reference.composer.composition import Composition, compose_checkout
from gco_reference.composer.configuration import FILE
from gco_reference.composer.errors import ComposeError
from gco_reference.composer.interpreter import composing
from gco_reference.composer.rendering import render


@dataclass(frozen=True)
class Outcome:
    """Exit status, and the lines printed (each with its newline)."""

    exit: int
    stdout: str = ""
    stderr: str = ""


def run(root: Path, *, check: bool = False) -> Outcome:
    """Composes the checkout at `root` and writes the document; with `check` it is only compared."""
    try:
        with composing():
            return _run(root, check)
    except ComposeError as error:
        return Outcome(2, stderr=f"ERROR: {error}\n")


def _run(root: Path, check: bool) -> Outcome:
    composition = compose_checkout(root)
    name = composition.configuration.output
    output.refuse_input(root, name, _inputs(composition))
    data = render(composition.document).encode("ascii")
    existing = output.current(root, name)
    if existing == data:
        return Outcome(0, "" if check else f"{name}: unchanged\n")
    if check:
        state = "missing" if existing is None else "stale"
        return Outcome(
            1, f"{name}: {state}\n", f"to regenerate it: gco-reference compose {shlex.quote(str(root))}\n"
        )
    output.replace(root, name, data)
    return Outcome(0, f"{name}: written\n")


def _inputs(composition: Composition) -> list[str]:
    configuration = composition.configuration
    documents = [configuration.document_path(service) for service in configuration.services]
    return [FILE, configuration.manifest, *documents]
