"""What a run needs of a sealed process, tried out."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gco_conformance.sealed.kernel import bind_over
from gco_conformance.sealed.names import ADDRESS, PORT
from gco_conformance.sealed.namespaces import refusing
from gco_conformance.sealed.seal import LOOPBACK


def main(arguments: Sequence[str]) -> int:
    """Bind a file over one of the system's and listen on the ports of a run. Raises `Refused`."""
    del arguments
    file = Path(tempfile.mkdtemp()) / "hosts"
    file.touch()
    with refusing("bind files over those of the system"):
        for target in filter(Path.exists, (Path("/etc/hosts"), Path("/etc/resolv.conf"))):
            bind_over(file, target)
    with (
        refusing("listen on ports below 1024"),
        socket.create_server((LOOPBACK, 443)),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
    ):
        datagrams.bind((ADDRESS, PORT))
    return 0
