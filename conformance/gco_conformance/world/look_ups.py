"""Look-ups of host names for processes that are confined instead of sealed, which can't have a DNS server.

A question is a packet on a local socket: `{"name": …, "type": "A"}` is answered by `{"address": …, "port": …}`,
by `{}` where there is no such name, or not at all; `{"stray": …}` tells of somebody else that was to be reached.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import selectors
import socket
import threading
from typing import Any, Final

from gco_conformance.sealed.names import Unanswered
from gco_conformance.world.servers import Servers

_BACKLOG: Final = 4096
_LONGEST: Final = 4096


class LookUps:
    """Answers, from a thread of its own until `close`, where a host name of `servers` is served.

    `place` is the name that its socket has, in Linux's abstract namespace.
    """

    def __init__(self, servers: Servers) -> None:
        self.place: Final = f"gco-look-ups-{secrets.token_hex(8)}"
        self._servers = servers
        self._error: Exception | None = None
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind("\0" + self.place)
        self._listener.listen(_BACKLOG)
        self._stopping, self._stop = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="look-ups", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop answering. Raises what went wrong, so that nobody is judged by it."""
        self._stop.close()
        self._thread.join()
        self._stopping.close()
        if self._error is not None:
            raise self._error

    def _serve(self) -> None:
        # A process that asks may be stopped at any time: only those are read from that have said something.
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            stack.enter_context(self._listener)
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._stopping, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._stopping:
                        return
                    if key.fileobj is self._listener:
                        asker = stack.enter_context(self._listener.accept()[0])
                        selector.register(asker, selectors.EVENT_READ, asker)
                    else:
                        selector.unregister(key.data)
                        with key.data, contextlib.suppress(OSError):
                            self._reply(key.data)

    def _reply(self, asker: socket.socket) -> None:
        packet = asker.recv(_LONGEST)
        if not packet:
            return
        try:
            answer = self._answer(json.loads(packet))
        except Exception as error:
            self._error = self._error or error
            return
        if answer is not None:
            asker.send(json.dumps(answer).encode())

    def _answer(self, question: dict[str, str]) -> dict[str, Any] | None:
        if "stray" in question:
            self._servers.looked_up(question["stray"], "connection", False)
            return {}
        name, kind = question["name"], question["type"]
        try:
            address = self._servers.resolve(name)
        except Unanswered:
            self._servers.looked_up(name, kind, False)
            return None
        self._servers.looked_up(name, kind, address is not None)
        if address is not None:
            with contextlib.suppress(KeyError):  # it has gone meanwhile
                return {"address": address, "port": self._servers.address(name)[1]}
        return {}
