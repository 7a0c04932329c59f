"""A world: regions with their APIs and stacks, credentials, a clock and a journal, all of its own."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gco_conformance.world import secrets
from gco_conformance.world.clock import Clock
from gco_conformance.world.credential_endpoint import CredentialEndpoint
from gco_conformance.world.front import Front
from gco_conformance.world.journal import Journal
from gco_conformance.world.order import Arrivals
from gco_conformance.world.regional import Region
from gco_conformance.world.servers import Servers
from gco_conformance.world.signature import Credentials
from gco_conformance.world.stack import ENDPOINT, Stack


class World:
    """AWS, as one aggregator sees it. Many worlds live side by side on the same servers.

    With `rotating` credentials the function doesn't have them in its environment, but asks an endpoint for them.
    `regions` are told to the implementation as they are given; a name that comes twice is one region. `suffix`
    is the DNS suffix of the partition. Everything that could leak is random: API ids, keys, token.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        regions: Sequence[str],
        suffix: str = "amazonaws.com",
        project: str = "gco",
        session_token: bool = True,
        rotating: bool = False,
    ) -> None:
        self.project = project
        self.suffix = suffix
        self.account = secrets.account_id()
        self.journal = Journal()
        self._folder = Path(tempfile.mkdtemp(prefix="gco-world-"))
        self.clock = Clock(self._folder / "clock")
        self.arrivals: Arrivals | None = None
        self._former: list[Region] = []
        self._all_credentials = [_new_credentials(temporary=session_token)]
        self._endpoint = CredentialEndpoint(lambda: self._credentials, self.clock.now) if rotating else None
        self._servers = servers
        self._cloudformation = servers.cloudformation
        self._target_regions = list(regions)
        self._regions = {
            name: Region(name, secrets.api_id(), suffix, self, servers) for name in dict.fromkeys(regions)
        }
        self._stacks = {
            name: Stack(
                f"{project}-regional-api-{name}",
                name,
                [("RegionalApiId", region.api_id), (ENDPOINT, region.url)],
                self,
                self._cloudformation.moto,
            )
            for name, region in self._regions.items()
        }
        self._cloudformation.admit(self.access_key, self)
        for region in self._regions.values():
            servers.add(region)
            self._cloudformation.serve(region.name, suffix)

    def region(self, name: str) -> Region:
        """The API of a region. Raises `KeyError`."""
        return self._regions[name]

    def stack(self, region: str) -> Stack:
        """The stack of a region. Raises `KeyError`."""
        return self._stacks[region]

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions, in the order in which they are told, each once."""
        return tuple(self._regions.values())

    def arrive(self, *order: str, gap: float = 0.005) -> World:
        """Let the regions' answers arrive in this order, each `gap` seconds after the one before it."""
        self.arrivals = Arrivals(order, gap) if order else None
        return self

    def redeploy(self, name: str) -> Region:
        """Give a region's API another id, as a new deployment does; the old name is gone. Gives the new region.

        It answers what the old one did, without its faults.
        """
        old = self._regions[name]
        new = Region(name, secrets.api_id(), self.suffix, self, self._servers).answers_as(old)
        self._servers.remove(old.host)
        self._servers.add(new)
        self._regions[name] = new
        self._stacks[name].replaced([("RegionalApiId", new.api_id), (ENDPOINT, new.url)])
        self._former.append(old)
        return new

    def former_url(self, name: str) -> str:
        """The URL of a deployment that is gone: as good as that of the present one, but nobody is there."""
        host = f"{secrets.api_id()}.execute-api.{name}.{self.suffix}"
        self._servers.retire(host)
        return f"https://{host}/prod"

    def rotate_credentials(self) -> None:
        """Have the endpoint hand out other credentials from now on. Those from before are worth nothing."""
        if self._endpoint is None:
            raise ValueError("what is in a process's environment can't be changed from outside")
        self._all_credentials.append(_new_credentials(temporary=True))
        self._cloudformation.admit(self.access_key, self)

    @property
    def _credentials(self) -> Credentials:
        return self._all_credentials[-1]

    @property
    def access_key(self) -> str:
        return self._credentials.access_key

    @property
    def secret_key(self) -> str:
        return self._credentials.secret_key

    @property
    def session_token(self) -> str | None:
        return self._credentials.session_token

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not come back to a caller: keys, token, account, API ids and host names."""
        regions = [*self.regions, *self._former]
        hosts = [region.host for region in regions]
        hosts += [f"cloudformation.{region.name}.{self.suffix}" for region in self.regions]
        every = self._all_credentials
        keys = [key for each in every for key in (each.access_key, each.secret_key, each.session_token or "")]
        return tuple(filter(None, [*keys, self.account, *(region.api_id for region in regions), *hosts]))

    def leaks(self, text: str | bytes) -> list[str]:
        """Which of the secrets occur in `text`, encoded forms included."""
        return secrets.leaks(text, self.secrets)

    def unfired(self) -> tuple[str, ...]:
        """The faults that were planned and never played, each with its region."""
        apis = [(api.region, api.unfired()) for api in (*self.regions, *self._former)]
        stacks = [(f"CloudFormation in {name}", stack.unfired()) for name, stack in self._stacks.items()]
        return tuple(f"{fault.name} of {place}" for place, unfired in (*apis, *stacks) for fault in unfired)

    def ready(self) -> None:
        """Have all stacks in place, so that no call has to wait for that."""
        for stack in self._stacks.values():
            stack.prepare()

    def environment(self) -> dict[str, str]:
        """The environment variables of a function deployed in this world, which is ready from then on.

        Trust in the world's certificates isn't among them.
        """
        self.ready()
        home = self._target_regions[0] if self._target_regions else "us-east-1"
        variables = {
            "PROJECT_NAME": self.project,
            "TARGET_REGIONS": json.dumps(self._target_regions),
            "AWS_URL_SUFFIX": self.suffix,
            "AWS_REGION": home,
            "AWS_DEFAULT_REGION": home,
        }
        if self._endpoint is not None:
            return {**variables, **self._endpoint.environment()}
        variables |= {"AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key}
        if self.session_token is not None:
            variables["AWS_SESSION_TOKEN"] = self.session_token
        return variables

    def close(self) -> None:
        """Take the world down: names, connections, stacks, and the folder of its clock."""
        for credentials in self._all_credentials:
            self._cloudformation.dismiss(credentials.access_key)
        if self._endpoint is not None:
            self._endpoint.close()
        for region in self._regions.values():
            self._servers.remove(region.host)
            self._cloudformation.leave(region.name, self.suffix)
        if self._cloudformation.moto is not None:
            self._cloudformation.moto.forget(self.account)
        shutil.rmtree(self._folder, ignore_errors=True)

    # What the servers ask

    def credentials(self, access_key: str) -> Credentials | None:
        return self._credentials if access_key == self.access_key else None

    def host_of(self, region: str) -> str:
        return self._regions[region].host

    def cloudformation(self, region: str) -> Front:
        return self._cloudformation.front(region, self.suffix)

    def stack_in(self, region: str) -> Stack | None:
        return self._stacks.get(region)


def _new_credentials(*, temporary: bool) -> Credentials:
    return Credentials(
        secrets.access_key_id(temporary=temporary),
        secrets.secret_access_key(),
        secrets.session_token() if temporary else None,
    )
