"""The kit's servers: one loopback address for each host name, one thread for each connection."""

from __future__ import annotations

import itertools
import select
import socket
import threading
import time
from collections.abc import Iterator
from ipaddress import IPv4Address

from gco_conformance.errors import KitError
from gco_conformance.world.cloudformation import CloudFormation
from gco_conformance.world.connection import Certificates, Channel, ConnectionLog, Site, serve
from gco_conformance.world.journal import Journal
from gco_conformance.world.moto import Moto

_FIRST_ADDRESS = IPv4Address("127.1.0.1")
_LAST_ADDRESS = IPv4Address("127.254.255.254")
_BACKLOG = 256


class _Listener:
    """The socket of one site. It is bound as long as the site is there, so that nobody else gets its port.

    It's shut down to stop listening, never closed and bound again: a process that another thread has just
    started holds a copy of every descriptor until it runs its program, and the port would still be taken.
    """

    def __init__(self, site: Site, address: tuple[str, int]) -> None:
        self.site = site
        self.open: set[Channel] = set()
        self._filler: socket.socket | None = None
        with _bound(address) as chosen:
            self.address: tuple[str, int] = chosen.getsockname()
            # Of a port that it chose itself the kernel lets go when the socket stops listening.
            self.socket = _bound(self.address)

    def listen(self) -> None:
        self.socket.listen(_BACKLOG)

    def refuse(self) -> None:
        """Stop listening: a socket that is only bound makes the kernel refuse."""
        if self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            self.socket.shutdown(socket.SHUT_RDWR)
        if self._filler is not None:
            self._filler.close()
            self._filler = None

    def swallow(self) -> None:
        """Let the kernel drop every SYN: the queue has room for one connection, and that one is there."""
        self.refuse()
        self.socket.listen(0)
        self._filler = socket.create_connection(self.address, timeout=5)

    def hang_up(self, *, abruptly: bool = False) -> int:
        channels = tuple(self.open)
        for channel in channels:
            channel.end(abruptly=abruptly)
        return len(channels)

    def close(self) -> None:
        self.refuse()
        self.socket.close()


def _bound(address: tuple[str, int]) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
    except OSError as error:
        bound.close()
        host, port = address
        raise KitError(f"can't listen on {host}:{port}: {error.strerror}") from None
    bound.setblocking(False)
    return bound


class Servers:
    """All servers of one run. `port` is 443 inside the sealed network; 0 gives each host a free one.

    With `moto`, ordinary stacks are told of by moto, else by the kit itself, which starts at once.
    `strays` is the journal of what belongs to no world: look-ups of other names, connections that ended before
    a signed request, requests signed with an unknown key.
    """

    def __init__(self, certificates: Certificates, *, port: int = 443, moto: Moto | None = None) -> None:
        self.strays = Journal()
        self.cloudformation = CloudFormation(self, moto)
        self._certificates = certificates
        self._port = port
        self._addresses = _addresses()
        self._numbers = itertools.count(1)
        self._by_host: dict[str, _Listener] = {}
        self._former: set[str] = set()
        self._by_descriptor: dict[int, _Listener] = {}
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._error: Exception | None = None
        self._poll = select.epoll()
        self._stopping, self._stop = socket.socketpair()
        self._poll.register(self._stopping, select.EPOLLIN)
        self._acceptor = threading.Thread(target=self._accept, name="world-acceptor", daemon=True)
        self._acceptor.start()

    def add(self, site: Site) -> None:
        """Serve a host name from now on."""
        with self._lock:
            listener = _Listener(site, (next(self._addresses), self._port))
            self._by_host[site.host] = listener
            self._watch(listener)

    def remove(self, host: str) -> None:
        """Serve a host name no longer; its connections end."""
        with self._lock:
            listener = self._by_host.pop(host, None)
            if listener is not None:
                self._former.add(_canonical(host))
                self._unwatch(listener)
                listener.close()
                listener.hang_up()

    def retire(self, host: str) -> None:
        """Know a host name that a world tells of, though nobody is there any more."""
        self._former.add(_canonical(host))

    def refuse(self, host: str) -> None:
        """Let connections to a host name be refused, and end those that are open."""
        with self._lock:
            listener = self._by_host[host]
            self._unwatch(listener)
            listener.refuse()
            listener.hang_up()

    def swallow(self, host: str) -> None:
        """Let attempts to connect to a host name go unanswered. Open connections stay."""
        with self._lock:
            listener = self._by_host[host]
            self._unwatch(listener)
            listener.swallow()

    def accept(self, host: str) -> None:
        """Undo `refuse` and `swallow`."""
        with self._lock:
            listener = self._by_host[host]
            if listener.socket.fileno() not in self._by_descriptor:
                listener.refuse()
                self._watch(listener)

    def hang_up(self, host: str, *, abruptly: bool) -> int:
        """End the open connections to a host name, or reset them; give how many there were."""
        listener = self._by_host[host]
        ended = listener.hang_up(abruptly=abruptly)
        deadline = time.monotonic() + 5
        while listener.open and time.monotonic() < deadline:
            time.sleep(0.005)
        return ended

    def resolve(self, name: str) -> str | None:
        """The address of a host name, for a DNS server; None when there is no such name."""
        listener = self._by_host.get(_canonical(name))
        return listener.address[0] if listener is not None and listener.site.resolves() else None

    def looked_up(self, name: str, type_: str, known: bool) -> None:
        """Write down that a name was asked for. A name that is gone belonged to a world: it is nobody else's."""
        site = self.site(name)
        journal = self.strays if site is None or site.journal is None else site.journal
        region = None if site is None else site.region
        ours = known or site is not None or _canonical(name) in self._former
        detail = "" if ours else "not a name of the world"
        journal.add("lookup", region=region, host=name, method=type_, detail=detail)

    def address(self, host: str) -> tuple[str, int]:
        """Where a host name is served. Raises `KeyError`."""
        return self._by_host[_canonical(host)].address

    def site(self, name: str) -> Site | None:
        """What is served at a host name."""
        listener = self._by_host.get(_canonical(name))
        return None if listener is None else listener.site

    def check(self) -> None:
        """Raise what went wrong in the servers themselves, so that nobody is judged by it."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End all connections and threads, once. Raises as `check` does."""
        if self._poll.closed:
            return
        self._stop.close()
        self._acceptor.join()
        for host in tuple(self._by_host):
            self.remove(host)
        deadline = time.monotonic() + 5
        for thread in tuple(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))
        self._poll.close()
        self._stopping.close()
        self.check()

    def _watch(self, listener: _Listener) -> None:
        listener.listen()
        self._by_descriptor[listener.socket.fileno()] = listener
        self._poll.register(listener.socket, select.EPOLLIN)

    def _unwatch(self, listener: _Listener) -> None:
        if self._by_descriptor.pop(listener.socket.fileno(), None) is not None:
            self._poll.unregister(listener.socket)

    def _accept(self) -> None:
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._stopping.fileno():
                    return
                with self._lock:
                    listener = self._by_descriptor.get(descriptor)
                    if listener is None:
                        continue
                    try:
                        connection, _ = listener.socket.accept()
                    except OSError:
                        continue  # the client has given up again
                    connection.setblocking(True)
                    channel = Channel(connection)
                    listener.open.add(channel)
                self._begin(channel, listener)

    def _begin(self, channel: Channel, listener: _Listener) -> None:
        log = ConnectionLog(next(self._numbers), listener.site)

        def run() -> None:
            try:
                serve(channel, listener.site, self._certificates, log, self.strays)
            except Exception as error:
                self._error = self._error or error
            finally:
                listener.open.discard(channel)
                self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=run, name=f"world-connection-{log.number}", daemon=True)
        self._threads.add(thread)
        thread.start()


def _canonical(name: str) -> str:
    return name.lower().rstrip(".")


def _addresses() -> Iterator[str]:
    """Loopback addresses that nothing else uses, over and over: long runs reuse those of closed worlds."""
    every = range(int(_FIRST_ADDRESS), int(_LAST_ADDRESS))
    return (str(IPv4Address(number)) for number in itertools.cycle(every) if number & 0xFF not in {0, 0xFF})
