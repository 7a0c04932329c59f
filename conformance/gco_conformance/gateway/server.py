"""The gateway on a port of the loopback interface."""

from __future__ import annotations

import socketserver
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from gco_conformance.errors import UsageError
from gco_conformance.gateway.routed import Gateway
from gco_conformance.gateway.wsgi import RAW, application

HOST = "127.0.0.1"


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def server_bind(self) -> None:
        # Not HTTPServer's own, which asks the resolver for the host's name.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]
        self.setup_environ()


class _Handler(WSGIRequestHandler):
    def get_environ(self) -> dict[str, Any]:
        return {**super().get_environ(), RAW: self.path}

    def address_string(self) -> str:
        return str(self.client_address[0])


def server(gateway: Gateway, port: int = 0) -> WSGIServer:
    """A server on a port, or on one that is free for 0. Raises `UsageError` when the port can't be had."""
    try:
        made = _Server((HOST, port), _Handler)
    except OverflowError:
        raise UsageError(f"there is no port {port}", "ports are from 1 to 65535") from None
    except OSError as error:
        raise UsageError(
            f"port {port} of {HOST} can't be had: {error.strerror}", "name another with --port"
        ) from None
    made.set_app(application(gateway))
    return made
