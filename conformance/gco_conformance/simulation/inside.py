"""The world of `gco-conformance simulate`, inside the sealed network, and what a person runs in it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gco_conformance.errors import UsageError
from gco_conformance.evidence.seen import told
from gco_conformance.sealed.seal import seal
from gco_conformance.world.description import read
from gco_conformance.world.journal import Journal
from gco_conformance.world.servers import Servers
from gco_conformance.world.world import World

REGIONS = ("eu-west-1", "us-east-1")
SHOWN = ("cloudformation", "regional", "answer")


def main(arguments: Sequence[str]) -> int:
    """Make the world of a file, or one of two healthy regions, and run a command or a shell in it."""
    file, quiet, *command = arguments
    with ExitStack() as stack:
        sealed = seal(
            Path(tempfile.mkdtemp(prefix="sealed-")),
            resolve=lambda name: servers.resolve(name),
            seen=lambda name, kind, answered: servers.looked_up(name, kind, answered),
        )
        stack.callback(sealed.close)
        servers = Servers(sealed.trust, port=443)
        stack.callback(servers.close)
        world = read(Path(file)).world(servers) if file else World(servers, regions=REGIONS)
        stack.callback(world.close)
        variables = {**world.environment(), **sealed.variables()}
        if not quiet:
            _introduce(world)
            stack.enter_context(_shown(world.journal, servers.strays))
        return _run(command or _shell(), {**os.environ, **variables})


def _introduce(world: World) -> None:
    print("A simulated AWS. Inside, these names lead to it, and no others lead anywhere:", file=sys.stderr)
    for region in world.regions:
        print(f"  {region.url}", file=sys.stderr)
        print(f"  https://cloudformation.{region.name}.{world.suffix}", file=sys.stderr)
    print(
        "Credentials, TARGET_REGIONS and trust are in the environment. What comes is shown here.", file=sys.stderr
    )


def _shell() -> list[str]:
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal for a shell", "name a command: gco-conformance simulate -- COMMAND")
    return [os.environ.get("SHELL") or shutil.which("sh") or "/bin/sh"]


def _run(command: Sequence[str], environment: dict[str, str]) -> int:
    try:
        child = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UsageError(f"{command[0]} can't be run: {error.strerror}") from None
    # Ctrl-C is for the program in the foreground; the world stays until that one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = child.wait()
    return status if status >= 0 else 128 - status


@contextmanager
def _shown(*journals: Journal) -> Iterator[None]:
    """Print what is written in the journals, as it comes."""
    ended = threading.Event()
    marks = [0] * len(journals)

    def show() -> None:
        for number, journal in enumerate(journals):
            entries = journal.since(marks[number])
            marks[number] += len(entries)
            for seen in entries:
                if seen.kind in SHOWN or seen.detail:
                    print(told(seen), file=sys.stderr)

    def keep_showing() -> None:
        while not ended.wait(0.1):
            show()

    thread = threading.Thread(target=keep_showing, name="show", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        show()
