"""Confine a Python process: its names are the kit's, and its connections end on this machine.

This is what is left where the network can't be sealed. Each name is asked of the kit's `LookUps`; what connects
to a host of the world at port 443 comes to the port that the kit has for it; and a connection to anywhere but
loopback is refused and told to the kit.

What it can't guard: only Python's own sockets are patched. Native code with a resolver or sockets of its own
(c-ares, gRPC, libcurl), and every program that the process starts, reach what this machine reaches. A name asked
of a DNS server in so many packets isn't answered. So a process is confined only if a person asked for that;
nothing but a sealed network keeps everything in.
"""

from __future__ import annotations

import _socket
import contextlib
import errno
import ipaddress
import json
import os
import socket
import ssl
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from gco_conformance.sealed.trust import system_bundles

VARIABLE: Final = "GCO_CONFORMANCE_LOOK_UPS"
"""The environment variable with the name of the socket that names are asked of."""
ATTEMPTS: Final = 2
PATIENCE: Final = 5.0
"""How often, and how many seconds each time, the resolver of glibc waits for an answer: resolv.conf(5)."""
_TLS_PORT: Final = 443
_DNS_PORT: Final = 53
_OURSELVES: Final = "127.0.0.1"
_LONGEST_NAME: Final = 253
_LONGEST_LABEL: Final = 63
_LONGEST_PACKET: Final = 4096
_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6)
# What a handler may have put in their places must not get in between.
_REAL_GETADDRINFO: Final = _socket.getaddrinfo
_REAL_GETNAMEINFO: Final = _socket.getnameinfo
_REAL_GETHOSTBYNAME: Final = _socket.gethostbyname
_REAL_GETHOSTBYNAME_EX: Final = _socket.gethostbyname_ex
_REAL_SOCKET: Final = _socket.socket
_SLEEP: Final = time.sleep


def confine(look_ups: str) -> None:
    """Confine this process to what the `LookUps` of this name know, for all its life."""
    names = Names(look_ups)
    gate = Gate(names)
    replaced = {
        "getaddrinfo": names.getaddrinfo,
        "getnameinfo": names.getnameinfo,
        "gethostbyname": names.gethostbyname,
        "gethostbyname_ex": names.gethostbyname_ex,
        "gethostbyaddr": names.gethostbyaddr,
    }
    for name, function in replaced.items():
        setattr(_socket, name, function)
        if name != "getaddrinfo":  # that of the module `socket` asks the one just replaced
            setattr(socket, name, function)
    for name, method in gate.methods().items():
        setattr(socket.socket, name, method)
    _trust(os.environ.get("SSL_CERT_FILE", ""))
    # Who has sockets that aren't `socket.socket` comes past this too.
    sys.addaudithook(gate.hook)


class Names:
    """Names and their addresses, as the kit tells them. `ports` are those of hosts of the world, by address."""

    def __init__(self, look_ups: str) -> None:
        self.ports: dict[str, int] = {}
        self._look_ups = look_ups

    def address(self, name: str, kind: str = "A") -> str:
        """Ask the kit. Raises `socket.gaierror`, as the system's resolver does and as late."""
        if name == "localhost" or name.endswith(".localhost") or name == socket.gethostname().lower():
            return _OURSELVES
        for _ in range(ATTEMPTS):
            said = self._ask({"name": name, "type": kind})
            if said is None:
                continue
            if "address" not in said:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            if kind != "A":
                raise socket.gaierror(socket.EAI_NODATA, "No address associated with hostname")
            self.ports[said["address"]] = said["port"]
            return str(said["address"])
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    def stray(self, whereto: str) -> None:
        """Tell the kit of somebody that was to be reached."""
        self._ask({"stray": whereto})

    def _ask(self, question: dict[str, str]) -> dict[str, Any] | None:
        """The kit's answer; `None` after waiting for one in vain."""
        with contextlib.closing(_REAL_SOCKET(socket.AF_UNIX, socket.SOCK_SEQPACKET)) as asking:
            asking.settimeout(PATIENCE)
            try:
                asking.connect("\0" + self._look_ups)
                asking.send(json.dumps(question).encode())
                said = asking.recv(_LONGEST_PACKET)
            except TimeoutError:
                return None
            except OSError:  # the kit has gone
                said = b""
        if said:
            return dict(json.loads(said))
        _SLEEP(PATIENCE)
        return None

    # What stands in for the functions of Python, under their own names

    def getaddrinfo(
        self, host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> list[Any]:
        name = None if flags & socket.AI_NUMERICHOST else self.name(host)
        if name is None:
            return _REAL_GETADDRINFO(host, port, family, type, proto, flags)
        address = self.address(name, "AAAA" if family == socket.AF_INET6 else "A")
        # Ports may be names of services, and without a kind of socket there are several entries.
        flags = flags & ~socket.AI_ADDRCONFIG | socket.AI_NUMERICHOST
        found = _REAL_GETADDRINFO(address, port, socket.AF_INET, type, proto, flags)
        return [
            (entry, kind, protocol, name if canonical else canonical, (address, self._port(*where[:2])))
            for entry, kind, protocol, canonical, where in found
        ]

    def _port(self, address: Any, port: int) -> int:
        return self.ports.get(address, port) if port == _TLS_PORT else port

    def getnameinfo(self, address: Any, flags: int) -> tuple[str, str]:
        if flags & socket.NI_NAMEREQD:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return _REAL_GETNAMEINFO(address, flags | socket.NI_NUMERICHOST)

    def gethostbyname(self, host: Any) -> str:
        name = self.name(host)
        return _REAL_GETHOSTBYNAME(host) if name is None else self.address(name)

    def gethostbyname_ex(self, host: Any) -> tuple[str, list[str], list[str]]:
        name = self.name(host)
        return _REAL_GETHOSTBYNAME_EX(host) if name is None else (name, [], [self.address(name)])

    def gethostbyaddr(self, host: Any) -> tuple[str, list[str], list[str]]:
        name = self.name(host)
        address = numeric(host) if name is None else self.address(name)
        if address != _OURSELVES:
            raise socket.herror(1, "Unknown host")
        return "localhost", [], [address]

    def name(self, host: Any) -> str | None:
        """The name to be looked up; `None` for what isn't any, such as an address.

        Raises `UnicodeError` as Python does, and `socket.gaierror` for what no DNS server could be asked.
        """
        if isinstance(host, str):
            text = host.encode("idna").decode()
        elif isinstance(host, (bytes, bytearray)):
            text = host.decode("ascii", "backslashreplace")
        else:
            return None
        if text in ("", "<broadcast>") or numeric(text):
            return None
        text = text.removesuffix(".").lower()
        labels = [len(label) for label in text.split(".")]
        if len(text) > _LONGEST_NAME or not min(labels) or max(labels) > _LONGEST_LABEL or "\0" in text:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return text


class Gate:
    """What sockets may be connected with, and where that is."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def destination(self, sock: Any, address: Any, *, sends: bool = True) -> Any:
        """The address for the real call. Raises `OSError` where nobody is to be reached.

        Unless something `sends`, a datagram socket is only told where it would: that isn't an attempt.
        """
        if sock.family not in _FAMILIES or not isinstance(address, tuple) or len(address) < 2:
            return address
        host, port, *rest = address
        name = self._names.name(host)
        if name is not None:
            host = self._names.address(name, "AAAA" if sock.family == socket.AF_INET6 else "A")
        place = _place(host)
        if place is None:  # the real call says what is wrong with it
            return address
        if str(place) in self._names.ports:
            own = self._names.ports[str(place)]
            if port not in (own, _TLS_PORT):
                raise _refusal(errno.ECONNREFUSED)
            return host, own, *rest
        if (place.is_loopback or place.is_unspecified) and port != _DNS_PORT:
            return host, port, *rest
        # AWS itself has link-local addresses, which an SDK may try when it looks for credentials.
        if not place.is_link_local and (sends or sock.type != socket.SOCK_DGRAM):
            self._names.stray(f"{place}:{port}" if place.version == 4 else f"[{place}]:{port}")
        raise _refusal(errno.ENETUNREACH)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit hook: refuse what hasn't come through the methods."""
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            sock, address = arguments[:2]
            if self.destination(sock, address, sends=event != "socket.connect") != address:
                raise _refusal(errno.ECONNREFUSED)

    def methods(self) -> dict[str, Callable[..., Any]]:
        """The methods of `socket.socket` that take an address of somebody else."""
        real = {name: getattr(_REAL_SOCKET, name) for name in ("connect", "connect_ex", "sendto", "sendmsg")}

        def connect(sock: Any, address: Any) -> Any:
            return real["connect"](sock, self.destination(sock, address, sends=False))

        def connect_ex(sock: Any, address: Any) -> Any:
            try:
                address = self.destination(sock, address, sends=False)
            except socket.gaierror:
                raise
            except OSError as error:
                return error.errno
            return real["connect_ex"](sock, address)

        def sendto(sock: Any, data: Any, *flags_and_address: Any) -> Any:
            *flags, address = flags_and_address or (None,)
            return real["sendto"](sock, data, *flags, self.destination(sock, address))

        def sendmsg(sock: Any, buffers: Any, ancillary: Any = (), flags: int = 0, address: Any = None) -> Any:
            return real["sendmsg"](sock, buffers, ancillary, flags, self.destination(sock, address))

        return {"connect": connect, "connect_ex": connect_ex, "sendto": sendto, "sendmsg": sendmsg}


def numeric(host: Any) -> str:
    """An address in its usual form, if `host` is one in any form that resolvers take; else nothing."""
    with contextlib.suppress(OSError, UnicodeError, TypeError):
        return str(_REAL_GETADDRINFO(host, None, 0, socket.SOCK_STREAM, 0, socket.AI_NUMERICHOST)[0][4][0])
    return ""


def _place(host: Any) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if host in ("", b""):
        return ipaddress.IPv4Address(0)
    try:
        place = ipaddress.ip_address("255.255.255.255" if host == "<broadcast>" else numeric(host))
    except ValueError:
        return None
    mapped = place.ipv4_mapped if isinstance(place, ipaddress.IPv6Address) else None
    return mapped or place


def _refusal(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _trust(bundle: str) -> None:
    """Read the kit's bundle where one of the system is named, over which a sealed network has it bound."""
    real = ssl.SSLContext.load_verify_locations
    systems = system_bundles()

    def load_verify_locations(
        context: ssl.SSLContext, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        if bundle and cafile is not None and Path(os.fsdecode(cafile)).resolve() in systems:
            cafile = bundle
        real(context, cafile, capath, cadata)

    vars_of_class: Any = ssl.SSLContext
    vars_of_class.load_verify_locations = load_verify_locations
