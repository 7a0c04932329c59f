"""How long the reference aggregator takes with many regions, against the floor: `python aggregate.py`.

Two numbers, each the median of several runs on loopback servers with TLS, in a process of their own:

- warm invocation: `GET /api/v1/global/jobs` with the map and the connections at hand; every region answers
  after 100 ms, so nothing can be faster than that
- cold discovery: DescribeStacks in every region over new connections; every answer takes 50 ms

"one call" is the same with a single region. Beside the reference stand ten workers for the regions, and one
region after the other for discovery, with the same code for everything else. Needs `gco-conformance[aggregator]`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import socket
import ssl
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest import mock

import trustme

REGIONAL_SECONDS = 0.100
DISCOVERY_SECONDS = 0.050
STACK = """\
<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>
<Stacks><member><StackName>gco-regional-api-{region}</StackName><StackStatus>CREATE_COMPLETE</StackStatus>
<Outputs><member><OutputKey>RegionalApiEndpoint</OutputKey>
<OutputValue>https://bench.execute-api.{region}.amazonaws.com/prod</OutputValue></member></Outputs>
</member></Stacks></DescribeStacksResult></DescribeStacksResponse>"""
JOBS = {"jobs": [{"metadata": {"name": f"job-{n}", "namespace": "bench"}} for n in range(20)], "total": 20}

AskAll = Callable[[Sequence[str], Callable[[str], Any], Any], Iterator[tuple[str, Any]]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Times the reference aggregator against the floor.")
    parser.add_argument("--regions", type=int, default=34, metavar="N", help="how many (34)")
    parser.add_argument("--runs", type=int, default=15, metavar="N", help="of which the median is taken (15)")
    arguments = parser.parse_args()
    regions = [f"xx-bench-{number}" for number in range(1, arguments.regions + 1)]
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder, "ca.pem")
        receiver, sender = multiprocessing.Pipe(duplex=False)
        server = multiprocessing.Process(target=serve, args=(regions, bundle, sender), daemon=True)
        server.start()
        try:
            port = receiver.recv()
            use_environment(bundle)
            with mock.patch.object(socket, "create_connection", partial(connect, socket.create_connection, port)):
                compare(regions, arguments.runs)
        finally:
            server.terminate()
            server.join()
    return 0


def use_environment(bundle: Path) -> None:
    os.environ.update(
        SSL_CERT_FILE=str(bundle),
        AWS_ACCESS_KEY_ID="AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY="secret",
        AWS_SESSION_TOKEN="token",
        PROJECT_NAME="gco",
        AWS_URL_SUFFIX="amazonaws.com",
    )


def connect(real: Callable[..., socket.socket], port: int, _: Any, **options: Any) -> socket.socket:
    """Every name is this machine."""
    return real(("127.0.0.1", port), **options)


def compare(regions: Sequence[str], runs: int) -> None:
    from gco_reference.aggregator.fan_out import ask_all

    print(f"{len(regions)} regions, median of {runs} runs\n")
    print(f"{'milliseconds':28}{'time':>8}{'floor':>8}{'ratio':>8}{'one call':>10}{'ratio':>8}")
    call = warm(regions[:1], ask_all, runs)
    row("warm invocation", warm(regions, ask_all, runs), REGIONAL_SECONDS, call)
    row("  with ten workers", warm(regions, ten_workers, runs), REGIONAL_SECONDS, call)
    call = cold(regions[:1], ask_all, runs)
    row("cold discovery", cold(regions, ask_all, runs), DISCOVERY_SECONDS, call)
    row("  one after the other", cold(regions, one_by_one, 3), DISCOVERY_SECONDS, call)


def row(name: str, seconds: float, floor: float, call: float) -> None:
    print(
        f"{name:28}{seconds * 1000:8.0f}{floor * 1000:8.0f}{seconds / floor:8.2f}"
        f"{call * 1000:10.0f}{seconds / call:8.2f}"
    )


def warm(regions: Sequence[str], ask_all: AskAll, runs: int) -> float:
    """Seconds of a warm invocation."""
    from gco_reference.aggregator import invocation

    def invoke() -> None:
        answer = json.loads(invocation.handler({"path": "/api/v1/global/jobs"})["body"])
        if answer.get("regions_successful") != len(regions):
            sys.exit(f"aggregate.py: not every region answered: {answer}")

    os.environ["TARGET_REGIONS"] = json.dumps(list(regions))
    with mock.patch.object(invocation, "ask_all", ask_all):
        invoke()  # finds the regions and opens the connections
        return median(invoke, runs)


def cold(regions: Sequence[str], ask_all: AskAll, runs: int) -> float:
    """Seconds of discovery with nothing at hand but the process."""
    from gco_reference.aggregator import configuration, discovery
    from gco_reference.aggregator.budget import Deadline
    from gco_reference.aggregator.cloudformation import find_host
    from gco_reference.aggregator.connections import Connections
    from gco_reference.aggregator.signing import CredentialChain

    os.environ["TARGET_REGIONS"] = json.dumps(list(regions))
    find = partial(
        find_host,
        configuration=configuration.read(os.environ),
        credentials=CredentialChain().read(),
        connections=Connections(),
        deadline=Deadline.after(600.0),
    )
    with mock.patch.object(discovery, "ask_all", ask_all):
        return median(lambda: discovery.discover(tuple(regions), find, Deadline.after(60.0)), runs)


def ten_workers(names: Sequence[str], ask: Callable[[str], Any], _deadline: object) -> Iterator[tuple[str, Any]]:
    with ThreadPoolExecutor(10) as pool:
        asked = {pool.submit(ask, name): name for name in names}
        for future in as_completed(asked):
            yield asked[future], future.exception() or future.result()


def one_by_one(names: Sequence[str], ask: Callable[[str], Any], _deadline: object) -> Iterator[tuple[str, Any]]:
    for name in names:
        yield name, ask(name)


def median(action: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def serve(regions: Sequence[str], bundle: Path, ready: Connection) -> None:
    """All of the APIs and CloudFormations, one thread for each connection; sends its port when it listens."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(bundle))
    names = [
        f"{service}.{region}.amazonaws.com"
        for region in regions
        for service in ("cloudformation", "bench.execute-api")
    ]
    trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*names).configure_cert(trust)
    listener = socket.create_server(("127.0.0.1", 0), backlog=2 * len(regions))
    ready.send(listener.getsockname()[1])
    while True:
        accepted, _ = listener.accept()
        threading.Thread(target=converse, args=(accepted, trust), daemon=True).start()


def converse(accepted: socket.socket, trust: ssl.SSLContext) -> None:
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    regional = json.dumps(JOBS).encode()
    with trust.wrap_socket(accepted, server_side=True) as connection:
        while request := receive(connection):
            service, region = re.findall(r"(?im)^host: ([a-z.-]+)\.(xx-bench-[0-9]+)\.", request)[0]
            discovers = service == "cloudformation"
            time.sleep(DISCOVERY_SECONDS if discovers else REGIONAL_SECONDS)
            body = STACK.format(region=region).encode() if discovers else regional
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def receive(connection: ssl.SSLSocket) -> str:
    """A whole request, or nothing when the client has closed."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: ([0-9]+)", head)
        if end and len(body) == (int(length[1]) if length else 0):
            return data.decode()
        piece = connection.recv(65536)
        if not piece:
            return ""
        data += piece


if __name__ == "__main__":
    sys.exit(main())
