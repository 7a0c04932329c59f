"""The network with AWS in it, in which worlds are made and aggregators run: sealed, or second best."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gco_conformance.adapters.function import Function
from gco_conformance.evidence.stage import Stages
from gco_conformance.importing import ALONE

if TYPE_CHECKING:
    from gco_conformance.world.moto import Moto
    from gco_conformance.world.servers import Servers


@contextmanager
def sealed_network(moto: Moto | None = None) -> Iterator[Network]:
    """Seal this process in, with AWS around it. Without `moto` the kit tells of all stacks by itself."""
    from gco_conformance.sealed.seal import seal
    from gco_conformance.world.servers import Servers

    # What regions validate requests with takes long to import, and their first answer may be timed.
    with ALONE:
        importlib.import_module("openapi_schema_validator")
    folder = Path(tempfile.mkdtemp(prefix="sealed-"))
    with ExitStack() as stack:
        sealed = seal(
            folder,
            resolve=lambda name: servers.resolve(name),
            seen=lambda name, kind, answered: servers.looked_up(name, kind, answered),
        )
        stack.callback(sealed.close)
        servers = Servers(sealed.trust, port=443, moto=moto)
        stack.callback(servers.close)
        yield Network(servers, sealed.variables())


@contextmanager
def unsealed_network(moto: Moto | None = None) -> Iterator[Network]:
    """AWS for handlers in Python, which are confined to it one by one, as far as that goes: see `confined`.

    This process stays as it is: where namespaces can't be made there is nothing better.
    """
    from gco_conformance.adapters.confined import VARIABLE
    from gco_conformance.sealed.trust import Trust
    from gco_conformance.world.look_ups import LookUps
    from gco_conformance.world.servers import Servers

    with ALONE:
        importlib.import_module("openapi_schema_validator")
    with ExitStack() as stack:
        trust = Trust(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gco-unsealed-"))))
        servers = Servers(trust, port=0, moto=moto)
        stack.callback(servers.close)
        look_ups = LookUps(servers)
        stack.callback(look_ups.close)
        yield Network(servers, {**trust.variables(), VARIABLE: look_ups.place})


class Network:
    """A network in which worlds are made. `trust` are the variables by which a function finds and trusts it."""

    def __init__(self, servers: Servers, trust: Mapping[str, str]) -> None:
        self.trust = trust
        self._servers = servers

    def stages(self, function: Function, seed: int, *, real_time: bool = False) -> Stages:
        """See `Stages`."""
        from gco_conformance.world.world import World

        return Stages(function, partial(World, self._servers), self.trust, seed, real_time=real_time)

    def mark(self) -> int:
        """A point in time, for `strays`."""
        return self._servers.strays.mark()

    def strays(self, since: int = 0) -> list[str]:
        """The names that were looked up and belong to no world, but for those that ask who an address is."""
        looked_up = (seen for seen in self._servers.strays.since(since, "lookup") if seen.detail)
        return sorted(
            {seen.host for seen in looked_up if seen.host and not seen.host.rstrip(".").endswith(".arpa")}
        )
