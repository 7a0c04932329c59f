"""`gco-conformance serve-gateway`: a checkout's gateway with simulated services behind it, on a port."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gco_conformance.errors import UsageError

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

PORT = 8080


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "serve-gateway",
        help="serve a checkout's gateway with simulated services",
        description="Route requests by a checkout's rules to services that validate them and answer as their "
        "OpenAPI documents say. Headers x-gco-simulated-… of each answer tell the service and the rule.",
        epilog="Paths that aren't among unauthenticated_paths need the configured envelope of headers, with the "
        "HMAC-SHA256, in hex, under the key 'gco-conformance-test-key' of: method, target, each other header of "
        "the envelope as name:value, and the body's SHA-256 in hex, joined by line feeds. A 403 tells what the "
        "signature should be; --unsigned asks for none.",
    )
    parser.add_argument("root", type=Path, metavar="ROOT", help="the checkout")
    parser.add_argument("--port", type=int, default=PORT, help=f"0 for one that is free (default: {PORT})")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other answers (default: 0)")
    parser.add_argument("--unsigned", action="store_true", help="ask for no signatures")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    from gco_conformance.checkouts.directory import read_checkout
    from gco_conformance.gateway.routed import Gateway
    from gco_conformance.gateway.server import server
    from gco_conformance.gateway.table import lines

    checkout = read_checkout(arguments.root)
    gateway = Gateway(checkout, arguments.seed, signed=not arguments.unsigned)
    for name, service in gateway.services.items():
        reason = service.unusable()
        if reason:
            raise UsageError(f"{arguments.root}: the document of {name} can't be used: {reason}")
    with server(gateway, arguments.port) as serving:
        for line in lines(gateway):
            print(line)
        print(f"http://127.0.0.1:{serving.server_port}{gateway.mounted_at} (Ctrl-C to stop)", flush=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
