"""The front of CloudFormation: whose request it is, whether it's rightly signed, and what the stack says."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import parse_qsl

from gco_conformance.errors import KitError
from gco_conformance.http_messages import Reply, Request
from gco_conformance.sealed.trust import Kind as CertificateKind
from gco_conformance.world import signature, stack_xml
from gco_conformance.world.clock import Clock
from gco_conformance.world.connection import ConnectionLog, Site
from gco_conformance.world.front import Doors, Front, plainly
from gco_conformance.world.journal import Journal
from gco_conformance.world.moto import Moto
from gco_conformance.world.script import Do, Script
from gco_conformance.world.signature import Credentials, Problem
from gco_conformance.world.stack import Stack, kept_open_as_asked

PATIENCE = 60.0
"""Seconds that a world waits for others to be done with a host that it can't share with them."""


class Account(Protocol):
    """What CloudFormation needs of a world."""

    @property
    def journal(self) -> Journal: ...

    @property
    def clock(self) -> Clock: ...

    def credentials(self, access_key: str) -> Credentials | None: ...

    def stack_in(self, region: str) -> Stack | None: ...


class Hosts(Doors, Protocol):
    """Where host names are served."""

    @property
    def strays(self) -> Journal: ...

    def add(self, site: Site) -> None: ...
    def remove(self, host: str) -> None: ...


class CloudFormation:
    """CloudFormation in all regions, for all worlds: an access key id tells whose request it is."""

    def __init__(self, hosts: Hosts, moto: Moto | None) -> None:
        self.moto = moto
        self._hosts = hosts
        self._accounts: dict[str, Account] = {}
        self._users: dict[str, int] = {}
        self._sites: dict[str, _Regional] = {}
        self._alone: set[str] = set()
        self._changed = threading.Condition()

    def serve(self, region: str, suffix: str) -> None:
        """Be there in a region; `leave` as often as this was called. Waits while it fails in another world."""
        host = _host(region, suffix)
        with self._changed:
            if not self._changed.wait_for(lambda: host not in self._alone, PATIENCE):
                raise KitError(f"{host} fails in another world: another region is needed")
            self._users[host] = self._users.get(host, 0) + 1
            if self._users[host] == 1:
                self._sites[host] = _Regional(self, region, Front(host, self._hosts), host)
                self._hosts.add(self._sites[host])

    def leave(self, region: str, suffix: str) -> None:
        host = _host(region, suffix)
        with self._changed:
            self._users[host] -= 1
            if self._users[host] == 0:
                del self._users[host]
                del self._sites[host]
                self._hosts.remove(host)
                self._alone.discard(host)
            self._changed.notify_all()

    def front(self, region: str, suffix: str) -> Front:
        """The host that serves a region, from now on for the one world in it that asked.

        Waits for others to leave. Raises `ValueError` when they don't.
        """
        host = _host(region, suffix)
        with self._changed:
            self._alone.add(host)
            if not self._changed.wait_for(lambda: self._users[host] == 1, PATIENCE):
                self._alone.discard(host)
                raise ValueError(f"{host} is shared with other worlds: use a region that they don't use")
            return self._sites[host].front

    def admit(self, access_key: str, account: Account) -> None:
        """Requests that claim this access key id are the account's."""
        self._accounts[access_key] = account

    def dismiss(self, access_key: str) -> None:
        self._accounts.pop(access_key, None)

    def account(self, access_key: str | None) -> Account | None:
        return None if access_key is None else self._accounts.get(access_key)

    @property
    def strays(self) -> Journal:
        return self._hosts.strays


class _Regional:
    """CloudFormation in one region."""

    def __init__(self, service: CloudFormation, region: str, front: Front, host: str) -> None:
        self._service = service
        self.region = region
        self.front = front
        self.host = host
        self.journal: Journal | None = None

    def resolves(self) -> bool:
        return self.front.resolves()

    def opened(self) -> Script | None:
        return self.front.opened()

    def certificate(self) -> tuple[str, CertificateKind]:
        return self.host, self.front.certificate_kind()

    def answer(self, request: Request, log: ConnectionLog) -> Script:
        account = self._service.account(signature.access_key(request.headers))
        if account is None:
            log.belongs_to(self._service.strays)
            anonymous = request.header("authorization") is None
            problem = Problem.MISSING if anonymous else Problem.UNKNOWN_KEY
            return self._refuse(request, log, problem, f"signed with no key of a world: {problem.query}")
        log.belongs_to(account.journal)
        now = account.clock.now()
        refused = signature.check(
            request, find=account.credentials, region=self.region, service="cloudformation", now=now
        )
        if refused is not None:
            return self._refuse(request, log, refused.problem, refused.message)
        log.request("cloudformation", request, None)
        parameters = _parameters(request)
        stack = account.stack_in(self.region)
        if stack is None:
            reply = stack_xml.does_not_exist(parameters.get("StackName", ""))
            return _send(request, reply, log)
        return stack.answer(request, parameters, log, now)

    def _refuse(self, request: Request, log: ConnectionLog, problem: Problem, message: str) -> Script:
        reply = stack_xml.error(problem.query, message, 403)
        log.request("cloudformation", request, reply, message)
        return _send(request, reply, log)


def _send(request: Request, reply: Reply, log: ConnectionLog) -> Script:
    reply = kept_open_as_asked(request, reply)
    return [Do(lambda: log.answer(request, reply)), *plainly(reply, request.method)]


def _parameters(request: Request) -> Mapping[str, str]:
    """What is asked, in the query or in the form of the body."""
    text = request.body.decode("utf-8", "replace") if request.method == "POST" else request.query
    return dict(parse_qsl(text, keep_blank_values=True))


def _host(region: str, suffix: str) -> str:
    return f"cloudformation.{region}.{suffix}"
