"""What tests of the world share: servers on free ports, worlds on them, and a client that does it right."""

from __future__ import annotations

import contextlib
import importlib
import json
import socket
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import urllib3

from gco_conformance.sealed.trust import Trust
from gco_conformance.world.moto import Moto
from gco_conformance.world.regional import Region
from gco_conformance.world.servers import Servers
from gco_conformance.world.world import World

US, EU = "us-east-1", "eu-west-1"


def signed(
    world: World,
    method: str,
    url: str,
    *,
    region: str,
    service: str = "execute-api",
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The headers with which botocore signs a request with the world's credentials."""
    auth: Any = importlib.import_module("botocore.auth")
    credentials: Any = importlib.import_module("botocore.credentials")
    awsrequest: Any = importlib.import_module("botocore.awsrequest")
    keys = credentials.ReadOnlyCredentials(world.access_key, world.secret_key, world.session_token)
    request = awsrequest.AWSRequest(method, url, data=body, headers=dict(headers or {}))
    auth.SigV4Auth(keys, service, region).add_auth(request)
    return dict(request.headers)


@dataclass
class Played:
    """Servers that are up, and a client of theirs."""

    servers: Servers
    bundle: Path
    _pools: dict[str, urllib3.HTTPSConnectionPool] = field(default_factory=dict)

    def pool(self, host: str, *, verify: bool = True) -> urllib3.HTTPSConnectionPool:
        """Connections to a host, which are kept alive while the host is there."""
        address, port = self.servers.address(host)
        known = self._pools.get(host)
        if known is None or (known.host, known.port) != (address, port):
            self._pools[host] = urllib3.HTTPSConnectionPool(
                address,
                port,
                server_hostname=host,
                assert_hostname=host if verify else False,
                ca_certs=str(self.bundle),
                cert_reqs="CERT_REQUIRED" if verify else "CERT_NONE",
                maxsize=8,
                timeout=20,
            )
        return self._pools[host]

    def send(
        self, host: str, method: str, target: str, headers: Mapping[str, str], body: bytes = b""
    ) -> urllib3.BaseHTTPResponse:
        """Send a request as it is."""
        return self.pool(host).urlopen(
            method, target, body=body or None, headers={"Host": host, **headers}, retries=False, redirect=False
        )

    def ask(
        self,
        world: World,
        region: str,
        path: str = "/api/v1/jobs",
        *,
        method: str = "GET",
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> urllib3.BaseHTTPResponse:
        """Ask a region's API, as an aggregator should."""
        api = world.region(region)
        content = b"" if body is None else json.dumps(body).encode()
        sent = signed(
            world,
            method,
            api.url + path,
            region=region,
            body=content,
            headers={"Content-Type": "application/json", **(headers or {})},
        )
        return self.send(api.host, method, "/prod" + path, sent, content)

    def describe(self, world: World, region: str) -> urllib3.BaseHTTPResponse:
        """Ask CloudFormation for the region's stack."""
        return self.describe_in(world, region, world.stack(region).name)

    def describe_in(self, world: World, region: str, stack: str) -> urllib3.BaseHTTPResponse:
        """Ask CloudFormation in a region for any stack."""
        body = f"Action=DescribeStacks&Version=2010-05-15&StackName={stack}".encode()
        host = f"cloudformation.{region}.{world.suffix}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        sent = signed(
            world,
            "POST",
            f"https://{host}/",
            region=region,
            service="cloudformation",
            body=body,
            headers=headers,
        )
        return self.send(host, "POST", "/", sent, body)

    def handshake(self, host: str, *, name: str | None, verify: bool = True) -> ssl.SSLSocket:
        """Only shake hands with a host, asking for a name (or for none)."""
        context = ssl.create_default_context(cafile=str(self.bundle))
        context.minimum_version = ssl.TLSVersion.TLSv1_2  # a system may allow older ones by its own configuration
        context.check_hostname = verify and name is not None
        if not verify:
            context.verify_mode = ssl.CERT_NONE
        raw = socket.create_connection(self.servers.address(host), timeout=10)
        try:
            return context.wrap_socket(raw, server_hostname=name)
        except OSError:
            raw.close()
            raise

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()
        self.servers.close()


@contextlib.contextmanager
def playing(moto: Moto | None = None) -> Iterator[Played]:
    """Servers on free ports, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as folder:
        trust = Trust(Path(folder))
        played = Played(Servers(trust, port=0, moto=moto), trust.bundle)
        try:
            yield played
        finally:
            played.close()


@contextlib.contextmanager
def a_world(played: Played, *regions: str, **options: Any) -> Iterator[World]:
    world = World(played.servers, regions=regions or (US, EU), **options)
    try:
        yield world
    finally:
        world.close()


class Sdk:
    """boto3's CloudFormation client for a world, with names resolved by the servers. Made once per region."""

    def __init__(self, played: Played, world: World) -> None:
        self.played = played
        self._world = world
        self._clients: dict[str, Any] = {}

    @cached_property
    def _session(self) -> Any:
        boto3: Any = importlib.import_module("boto3")
        world = self._world
        return boto3.Session(world.access_key, world.secret_key, world.session_token)

    def client(self, region: str, **options: Any) -> Any:
        if region not in self._clients:
            config: Any = importlib.import_module("botocore.config")
            _, port = self.played.servers.address(f"cloudformation.{region}.{self._world.suffix}")
            self._clients[region] = self._session.client(
                "cloudformation",
                region_name=region,
                endpoint_url=f"https://cloudformation.{region}.{self._world.suffix}:{port}",
                verify=str(self.played.bundle),
                config=config.Config(retries={"total_max_attempts": 1}, **options),
            )
        return self._clients[region]

    def describe(self, region: str, stack: str | None = None) -> dict[str, Any]:
        """The answer to DescribeStacks, as boto3 understands it. Raises botocore's `ClientError`."""
        name = stack or self._world.stack(region).name
        return cast("dict[str, Any]", self.client(region).describe_stacks(StackName=name))

    def error(self, region: str, stack: str | None = None) -> tuple[str, int]:
        """Code and status of the error in which DescribeStacks ends."""
        exceptions: Any = importlib.import_module("botocore.exceptions")
        try:
            described = self.describe(region, stack)
        except exceptions.ClientError as error:
            return error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]
        raise AssertionError(f"no error, but {described}")


@contextlib.contextmanager
def names_of(*played: Played) -> Iterator[None]:
    """Let this process resolve the worlds' names; of several servers, the port tells which is meant."""
    real = socket.getaddrinfo

    def resolve(host: Any, port: Any, *rest: Any, **options: Any) -> Any:
        for each in played:
            if each.servers.resolve(str(host)) and each.servers.address(str(host))[1] == port:
                host = each.servers.resolve(str(host))
        return real(host, port, *rest, **options)

    socket.getaddrinfo = resolve
    try:
        yield
    finally:
        socket.getaddrinfo = real


def entries_of(region: Region, kind: Any) -> list[str]:
    """The details of all entries of one kind about a region's API, in order."""
    return [entry.detail for entry in region.journal.entries(kind, region.name) if entry.host == region.host]


def outputs_of(described: dict[str, Any]) -> list[tuple[str, str]]:
    """The outputs of the one stack in an answer to DescribeStacks."""
    (stack,) = described["Stacks"]
    return [(output["OutputKey"], output["OutputValue"]) for output in stack["Outputs"]]
