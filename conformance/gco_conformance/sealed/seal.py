"""The sealed network, put together: its names, its certificates, and the files that say where these are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from gco_conformance.errors import KitError
from gco_conformance.sealed import names
from gco_conformance.sealed.kernel import bind_over
from gco_conformance.sealed.names import NameServer, Resolve, Seen
from gco_conformance.sealed.namespaces import HOST_NAME, has_entered, refusing
from gco_conformance.sealed.trust import Trust, system_bundles

LOOPBACK: Final = "127.0.0.1"
_HOSTS: Final = f"{LOOPBACK} localhost {HOST_NAME}\n"
_RESOLVER: Final = f"nameserver {names.ADDRESS}\n"
_CACHING_DAEMON: Final = ("/run/nscd", "/var/run/nscd")
"""Where glibc looks for a daemon that answers instead of the configured sources, from outside the network."""


@dataclass(frozen=True)
class Seal:
    """What a process has after `seal`. `folder` holds its files."""

    folder: Path
    trust: Trust
    names: NameServer

    def variables(self) -> dict[str, str]:
        """The environment variables that a program inside needs to trust the kit's servers."""
        return self.trust.variables()

    def close(self) -> None:
        """Stop answering look-ups; the process stays sealed. Raises what a callback raised."""
        self.names.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _nowhere(name: str) -> None:
    del name


def _ignored(name: str, kind: str, answered: bool) -> None:
    del name, kind, answered


def seal(folder: Path, *, resolve: Resolve = _nowhere, seen: Seen = _ignored) -> Seal:
    """Let this process, which has entered its namespaces, see the kit's names and certificates alone.

    `folder` is an existing directory of its own for the files. `resolve` gives the addresses of names, `seen` is
    told of every look-up; neither hears of the machine's own names, such as `localhost`. Raises `KitError`.
    """
    if not has_entered():
        raise KitError("only a process in namespaces of its own can be sealed")
    trust = Trust(folder)
    _bind_files(folder, trust.bundle)
    with refusing("listen for DNS queries"):
        # Resolvers ask the second address where a system has no resolv.conf that could be bound over.
        server = NameServer(
            lambda name: LOOPBACK if _is_own(name) else resolve(name),
            lambda name, kind, answered: None if _is_own(name) else seen(name, kind, answered),
            addresses=(names.ADDRESS, LOOPBACK),
        )
    return Seal(folder, trust, server)


def _bind_files(folder: Path, bundle: Path) -> None:
    switch = Path("/etc/nsswitch.conf")
    texts = {
        Path("/etc/hosts"): _HOSTS,
        Path("/etc/resolv.conf"): _RESOLVER,
        switch: _only_files_and_dns(switch.read_text() if switch.exists() else ""),
    }
    empty = folder / "no-caching-daemon"
    empty.mkdir()
    with refusing("bind files over those of the system"):
        for target, text in texts.items():
            if target.exists():
                source = folder / target.name
                source.write_text(text)
                bind_over(source, target)
        for target in {Path(place).resolve() for place in _CACHING_DAEMON}:
            if target.is_dir():
                bind_over(empty, target)
        for target in system_bundles():
            bind_over(bundle, target)


def _only_files_and_dns(switch: str) -> str:
    """The name service switch with no other source of host names; those of users and the like stay."""
    others = [line for line in switch.splitlines() if not re.match(r"\s*hosts\s*:", line)]
    return "\n".join([*others, "hosts: files dns", ""])


def _is_own(name: str) -> bool:
    return name in ("localhost", HOST_NAME) or name.endswith(".localhost")
