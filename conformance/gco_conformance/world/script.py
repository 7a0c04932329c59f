"""What a server does with a connection, as a list of small steps: send these bytes, wait, break off."""

from __future__ import annotations

import math
import select
import socket
import ssl
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Send:
    data: bytes


@dataclass(frozen=True)
class Trickle:
    """Send a few bytes at a time, so that it's so many bytes a second."""

    data: bytes
    bytes_per_second: float
    piece: int = 1


@dataclass(frozen=True)
class Hear:
    """Wait for so many seconds until the client has sent something, and drop it."""

    seconds: float


@dataclass(frozen=True)
class Wait:
    """Do nothing for so many seconds, or until the client goes away."""

    seconds: float


@dataclass(frozen=True)
class Do:
    """Run something at this point of the script."""

    action: Callable[[], None]


@dataclass(frozen=True)
class Close:
    """End the connection in good order."""


@dataclass(frozen=True)
class Cut:
    """End the connection without saying so in TLS, as a process that dies does."""


@dataclass(frozen=True)
class Abort:
    """Reset the connection: the client gets RST."""


Step = Send | Trickle | Hear | Wait | Do | Close | Cut | Abort
Script = Sequence[Step]


class ClientGone(Exception):
    """The client ended the connection while a script was being played to it."""


class Ended(Exception):
    """The script ended the connection."""


def play(sock: socket.socket, script: Script) -> None:
    """Play a script on a connection. Raises `Ended` when it ends it, `ClientGone` when the client does."""
    for step in script:
        match step:
            case Send(data):
                _send(sock, data)
            case Trickle(data, bytes_per_second, piece):
                for place in range(0, len(data), piece):
                    if client_leaves_within(sock, piece / bytes_per_second):
                        raise ClientGone(f"after {place} bytes of a trickle")
                    _send(sock, data[place : place + piece])
            case Hear(seconds):
                _hear(sock, seconds)
            case Wait(seconds):
                if client_leaves_within(sock, seconds):
                    raise ClientGone("while it had to wait")
            case Do(action):
                action()
            case Close():
                say_goodbye(sock)
                raise Ended
            case Cut():
                raise Ended
            case Abort():
                linger(sock)
                raise Ended


def _send(sock: socket.socket, data: bytes) -> None:
    try:
        sock.sendall(data)
    except OSError as error:
        raise ClientGone(str(error)) from None


def _hear(sock: socket.socket, seconds: float) -> None:
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    try:
        if poll.poll(round(seconds * 1000)) and not sock.recv(65536):
            raise ClientGone("without a word")
    except OSError as error:
        raise ClientGone(str(error)) from None


def linger(sock: socket.socket) -> None:
    """Have the connection reset, not ended, when it's closed."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def client_leaves_within(sock: socket.socket, seconds: float) -> bool:
    """Wait `seconds`; give True at once when the other side closes, or this side is shut down elsewhere."""
    poll = select.poll()
    poll.register(sock, select.POLLRDHUP | select.POLLHUP | select.POLLERR)
    return bool(poll.poll(max(0, math.ceil(seconds * 1000))))


def say_goodbye(sock: socket.socket) -> None:
    """Send TLS's close_notify, without waiting for the client's."""
    if isinstance(sock, ssl.SSLSocket):
        sock.settimeout(0)
        try:
            sock.unwrap()
        except (OSError, ValueError):
            return  # the client has gone already, or doesn't answer: both are its right
