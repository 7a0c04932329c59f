"""One connection to a host of the world: TLS under its own name, then requests until one side ends it."""

from __future__ import annotations

import io
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from gco_conformance.http_messages import Reply, Request
from gco_conformance.sealed.trust import Kind as CertificateKind
from gco_conformance.world.journal import Journal, Kind
from gco_conformance.world.script import ClientGone, Close, Ended, Script, Send, linger, play
from gco_conformance.world.wire import Malformed, read_request

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Certificates(Protocol):
    """Where the world's certificates come from."""

    def context(self, name: str, kind: CertificateKind, /) -> ssl.SSLContext:
        """A server's TLS context for a name, which may be a wildcard; `kind` is what's wrong with it, if so."""


class ConnectionLog:
    """What happened on a connection. It is kept back as long as it isn't known whose connection it is.

    `requests` is how many requests came on it so far.
    """

    def __init__(self, number: int, site: Site) -> None:
        self.number = number
        self.requests = 0
        self._host = site.host
        self._region = site.region
        self._journal = site.journal
        self._kept: list[Callable[[Journal], None]] = []

    def belongs_to(self, journal: Journal) -> None:
        """Write what was kept back to `journal`, and what comes from now on too.

        A client may use a connection for one world after the other.
        """
        self._journal = journal
        for write in self._kept:
            write(journal)
        self._kept.clear()

    def is_stray(self, journal: Journal) -> None:
        """If nobody has said whose connection it is, it belongs to no world."""
        if self._journal is None:
            self.belongs_to(journal)

    def event(self, kind: Kind, detail: str = "") -> None:
        """Something that is neither a request nor an answer."""
        moment = time.monotonic()

        def write(journal: Journal) -> None:
            journal.add(
                kind,
                region=self._region,
                host=self._host,
                detail=detail,
                connection=self.number,
                moment=moment,
            )

        if self._journal is None:
            self._kept.append(write)
        else:
            write(self._journal)

    def request(self, kind: Kind, request: Request, refused: Reply | None, why: str = "") -> None:
        """A request, and the status with which the checks refused it, if they did."""
        self.requests += 1
        self._exchange(kind, request, request, None if refused is None else refused.status, why)

    def answer(self, request: Request, reply: Reply, fault: str = "") -> None:
        """An answer that begins to be sent, and the fault that is played on it."""
        self._exchange("answer", request, reply, reply.status, fault)

    def _exchange(
        self, kind: Kind, request: Request, message: Request | Reply, status: int | None, detail: str
    ) -> None:
        if self._journal is None:
            raise ValueError("it has to be known whose connection it is")
        self._journal.add(
            kind,
            region=self._region,
            host=self._host,
            method=request.method,
            path=request.path,
            query=request.query,
            headers=message.headers,
            body=message.body,
            status=status,
            detail=detail,
            connection=self.number,
        )


class Site(Protocol):
    """What is behind one host name."""

    @property
    def host(self) -> str: ...

    @property
    def region(self) -> str: ...

    @property
    def journal(self) -> Journal | None:
        """Where its connections are written down; None where only a request tells."""

    def resolves(self) -> bool:
        """Whether the DNS knows the name now."""

    def opened(self) -> Script | None:
        """Somebody has connected. A script is played instead of the handshake; None: go on."""

    def certificate(self) -> tuple[str, CertificateKind]:
        """The name for which to present a certificate now, and of which kind."""

    def answer(self, request: Request, log: ConnectionLog) -> Script:
        """What to do about a request. `log` has to be told whose it is and what came of it."""


class Channel:
    """The socket of a connection, which another thread can end at any time."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self._lock = threading.Lock()
        self._ended = False

    def secure(self, door: ssl.SSLContext) -> ssl.SSLSocket:
        with self._lock:
            if self._ended:
                raise OSError("the server has ended the connection")
            secured = door.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
            self.socket = secured
        return secured

    def end(self, *, abruptly: bool = False) -> None:
        """Let the thread that works on the connection see the end of the stream, the client too, or a reset."""
        with self._lock:
            self._ended = True
            try:
                if abruptly:
                    linger(self.socket)
                # Not the TLS socket's own method: that one forgets the TLS state under the other thread's feet.
                socket.socket.shutdown(self.socket, socket.SHUT_RD if abruptly else socket.SHUT_RDWR)
            except OSError:
                return  # it has ended already


def serve(channel: Channel, site: Site, certificates: Certificates, log: ConnectionLog, strays: Journal) -> None:
    """Serve one connection to its end. What can't be told to belong to a world goes to `strays`."""
    try:
        channel.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        log.event("connection")
        instead = site.opened()
        if instead is not None:
            play(channel.socket, instead)
        elif _shake_hands(channel, site, certificates, log):
            _converse(channel.socket, site, log, strays)
    except Ended:
        return
    except ClientGone as gone:
        log.event("connection", f"the client went away: {gone}")
    finally:
        log.is_stray(strays)
        channel.socket.close()


def _converse(sock: socket.socket, site: Site, log: ConnectionLog, strays: Journal) -> None:
    stream = io.BufferedReader(_Incoming(sock))
    while True:
        try:
            request = read_request(stream, lambda: sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n"))
        except Malformed as malformed:
            log.is_stray(strays)
            log.event("connection", f"not a request: {malformed}")
            bad = Reply(400, headers=(("Connection", "close"),))
            play(sock, [Send(bad.head()), Close()])
            return
        except OSError as error:
            raise ClientGone(_plain(error)) from None
        if request is None:
            return
        play(sock, site.answer(request, log))
        if not request.keeps_alive:
            play(sock, [Close()])


def _shake_hands(channel: Channel, site: Site, certificates: Certificates, log: ConnectionLog) -> bool:
    """Shake hands under the name that the client asks for; without the right one there is no handshake."""
    asked: list[str] = []

    def choose(tls: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> int | None:
        asked.append(name or "")
        if asked[0].lower().rstrip(".") != site.host:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        tls.context = certificates.context(*site.certificate())
        return None

    door = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    door.sni_callback = choose
    try:
        channel.secure(door).do_handshake()
    except OSError as error:
        wrong_name = asked and asked[0].lower().rstrip(".") != site.host
        log.event("tls", f"the client asked for the name {asked[0]!r}" if wrong_name else _plain(error))
        return False
    log.event("tls")
    return True


class _Incoming(io.RawIOBase):
    """The bytes that a client sends. Unlike `makefile`, it doesn't keep the connection open."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        return self._sock.recv_into(buffer)


def _plain(error: OSError) -> str:
    return " ".join(str(error.strerror or error).split())
