"""What the tests of the sealed network have done inside it; each prints what it saw as JSON."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gco_conformance.sealed.kernel import mount
from gco_conformance.sealed.names import Zone
from gco_conformance.sealed.namespaces import available
from gco_conformance.sealed.reexecute import reexecute
from gco_conformance.sealed.seal import Seal, seal
from gco_conformance.sealed.trust import Trust

HOST = "cloudformation.eu-west-1.amazonaws.com"
_BODY = b"<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>"
_REFUSAL = b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(_BODY) + _BODY
_SSL = """
import socket, ssl, sys
context = ssl.create_default_context()
context.wrap_socket(socket.create_connection((sys.argv[1], 443)), server_hostname=sys.argv[1])
"""
_URLLIB3 = """
import sys, urllib3
urllib3.PoolManager(retries=False).request("GET", f"https://{sys.argv[1]}/")
"""
_BOTOCORE = """
import botocore.exceptions, botocore.session
client = botocore.session.get_session().create_client("cloudformation", "eu-west-1")
try:
    client.describe_stacks()
except botocore.exceptions.ClientError:
    pass
"""
_NODE = """
fetch("https://" + process.argv[1]).catch(error => { console.error(error); process.exit(1) })
"""
_CLIENTS = {
    "ssl": [sys.executable, "-c", _SSL, HOST],
    "urllib3": [sys.executable, "-c", _URLLIB3, HOST],
    "botocore": [sys.executable, "-c", _BOTOCORE],
    "node": ["node", "-e", _NODE, HOST],
}


def status(arguments: Sequence[str]) -> int:
    """End with a status."""
    return int(arguments[0])


def raises(arguments: Sequence[str]) -> int:
    raise RuntimeError(*arguments)


def streams(arguments: Sequence[str]) -> None:
    """Give back standard input, and the arguments on standard error."""
    print(sys.stdin.read().upper(), end="")
    print(*arguments, Path.cwd(), file=sys.stderr, end="")


def network(_: Sequence[str]) -> None:
    """What is to be seen of the network."""
    told: list[tuple[str, str, bool]] = []
    zone = Zone()
    zone.add(HOST, "127.0.0.1")
    zone.add("*.execute-api.eu-west-1.amazonaws.com", "127.0.7.1")
    with _sealed(zone, lambda *look_up: told.append(look_up)), _listening() as took_connection:
        _print(
            process_in_proc=str(Path("/proc/self").readlink()),
            user=os.geteuid(),
            interfaces={name: _is_up(name) for _, name in socket.if_nameindex()},
            known=_timed(lambda: socket.gethostbyname(HOST)),
            below=_timed(lambda: socket.gethostbyname("a1.execute-api.eu-west-1.amazonaws.com")),
            unknown=_timed(lambda: socket.getaddrinfo("s3.amazonaws.com", 443)),
            own=[socket.gethostbyname(name) for name in ("localhost", socket.gethostname())],
            outside={
                address: _timed(partial(socket.create_connection, (address, 443), 5))
                for address in ("192.0.2.1", "8.8.8.8", "169.254.169.254")
            },
            datagram=_timed(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"", ("192.0.2.1", 53))),
            bound=_timed(lambda: socket.create_connection((HOST, 443), 5).close()) and took_connection(),
            bound_by_program=subprocess.call(
                [sys.executable, "-S", "-c", "import socket; socket.create_server(('127.0.0.1', 80))"]
            ),
            told=told,
        )


def resolvers(_: Sequence[str]) -> None:
    """How resolvers other than this process's see the names; `None` where one isn't installed."""
    told: list[str] = []
    zone = Zone()
    zone.add(HOST, "127.0.0.1")
    node = "require('dns').{0}('{1}', (error, found) => console.log(error ? error.code : String(found)))"
    with _sealed(zone, lambda name, *_: told.append(name)):
        _print(
            getent=_output("getent", "hosts", HOST),
            getent_unknown=_output("getent", "hosts", "no.example"),
            node=_output("node", "-e", node.format("lookup", HOST)),
            node_unknown=_output("node", "-e", node.format("lookup", "no.example")),
            c_ares=_output("node", "-e", node.format("resolve4", HOST)),
            c_ares_unknown=_output("node", "-e", node.format("resolve4", "no.example")),
            told=sorted(set(told)),
        )


def machine(_: Sequence[str]) -> None:
    """What could answer for the names instead, on a machine with a caching daemon."""
    mount("tmpfs", "/run", "tmpfs")
    daemon = Path("/run/nscd")
    daemon.mkdir()
    (daemon / "socket").touch()
    switch = Path("/etc/nsswitch.conf")
    before = switch.read_text() if switch.exists() else "hosts: files dns"
    with _sealed(Zone()):
        after = switch.read_text() if switch.exists() else "hosts: files dns"
        _print(daemon=[place.name for place in daemon.iterdir()], switch={"before": before, "after": after})


def clients(_: Sequence[str]) -> None:
    """Which TLS clients take the server's certificate, with the seal's variables, a stranger's, none."""
    zone = Zone()
    zone.add(HOST, "127.0.0.1")
    with _sealed(zone) as sealed, _serving(sealed.trust.context(HOST)):
        folder = Path(tempfile.mkdtemp())
        trusting, not_trusting = sealed.variables(), Trust(folder).variables()
        running = {
            client: {"trusting": _start(argv, trusting), "not trusting": _start(argv, not_trusting)}
            for client, argv in _CLIENTS.items()
        }
        running["ssl"]["system"] = _start(_CLIENTS["ssl"], {})
        outcome = {
            client: {how: _verdict(process) for how, process in processes.items()}
            for client, processes in running.items()
        }
    _print(**outcome)


def lingers(arguments: Sequence[str]) -> int:
    """Leave files and processes that don't want to end, tell their mark, and end or wait, as asked."""
    mark, how = arguments
    mount("tmpfs", str(_left(mark)), "tmpfs")
    with _sealed(Zone()):
        return _lingering(mark, how)


def lingers_unsealed(arguments: Sequence[str]) -> int:
    """The same without a mount."""
    mark, how = arguments
    _left(mark)
    return _lingering(mark, how)


def _left(mark: str) -> Path:
    handlers = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; "
    code = handlers + "print('ready', flush=True); time.sleep(300)"
    lingering = subprocess.Popen(
        [sys.executable, "-S", "-c", code, mark], start_new_session=True, stdout=subprocess.PIPE
    )
    assert lingering.stdout is not None
    lingering.stdout.readline()
    folder = Path(tempfile.mkdtemp())
    (folder / mark).write_text(mark)
    return folder


def _lingering(mark: str, how: str) -> int:
    print("ready", flush=True)
    if how == "waits":
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(300)
        return 130
    if how == "raises":
        raise RuntimeError(mark)
    return 0


def shell(arguments: Sequence[str]) -> int:
    """Run a command in the sealed network."""
    with _sealed(Zone()) as sealed:
        return subprocess.call(arguments, env={**os.environ, **sealed.variables()})


def writes(arguments: Sequence[str]) -> None:
    Path(arguments[0]).touch()


def counts_interrupts(_: Sequence[str]) -> int:
    """How many SIGINTs come."""
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    print("ready", flush=True)
    deadline = time.monotonic() + 5
    while not came and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)
    return len(came)


def within(arguments: Sequence[str]) -> int:
    """A sealed process in this one, where a part of /proc is masked, as it is in a container."""
    mount("tmpfs", "/proc/sys", "tmpfs")
    return reexecute(arguments)


def available_without(arguments: Sequence[str]) -> None:
    """What `available` says where the limit of one kind of namespace is 0."""
    Path("/proc/sys/user", arguments[0]).write_text("0")
    _print(available=available())


def _sealed(zone: Zone, seen: Callable[[str, str, bool], None] = lambda *_: None) -> Seal:
    return seal(Path(tempfile.mkdtemp()), resolve=zone.resolve, seen=seen)


def _print(**saw: Any) -> None:
    print(json.dumps(saw))


def _timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """What came of it (for an error, its name), and after how many seconds."""
    start = time.monotonic()
    try:
        outcome = action()
    except socket.gaierror as error:
        outcome = "NXDOMAIN" if error.errno == socket.EAI_NONAME else str(error)
    except OSError as error:
        outcome = errno.errorcode.get(error.errno or 0, str(error))
    return outcome, time.monotonic() - start


def _is_up(interface: str) -> bool:
    with socket.socket() as any_socket:
        found = fcntl.ioctl(any_socket, 0x8913, struct.pack("16sh22x", interface.encode(), 0))
    return bool(struct.unpack("16sh22x", found)[1] & 1)


@contextlib.contextmanager
def _listening() -> Iterator[Callable[[], bool]]:
    """Port 443, without TLS; gives whether somebody has connected."""
    with socket.create_server(("127.0.0.1", 443)) as server:
        server.settimeout(5)

        def took_connection() -> bool:
            server.accept()[0].close()
            return True

        yield took_connection


@contextlib.contextmanager
def _serving(context: ssl.SSLContext) -> Iterator[None]:
    """Answer as CloudFormation that denies access, on port 443, connection by connection."""
    with socket.create_server(("127.0.0.1", 443), backlog=32) as server:

        def answer(connection: socket.socket) -> None:
            with contextlib.suppress(OSError), context.wrap_socket(connection, server_side=True) as tls:
                if tls.recv(65536):
                    tls.sendall(_REFUSAL)
                    tls.shutdown(socket.SHUT_WR)
                    while tls.recv(65536):  # closing with something unread would reset the connection
                        continue

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    threading.Thread(target=answer, args=(connection,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield


def _start(argv: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[str] | None:
    keys = {"AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "x", "AWS_MAX_ATTEMPTS": "1"}
    environment = {"PATH": os.environ["PATH"], **keys, **variables}
    try:
        return subprocess.Popen(argv, env=environment, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        return None


def _verdict(process: subprocess.Popen[str] | None) -> str:
    if process is None:
        return "not installed"
    _, said = process.communicate(timeout=40)
    if "ModuleNotFoundError" in said:
        return "not installed"
    if process.returncode == 0:
        return "verified"
    certificate = any(word in said for word in ("CERTIFICATE_VERIFY_FAILED", "UNABLE_TO_VERIFY", "SSLError"))
    return "refused" if certificate else said


def _output(*argv: str) -> str | None:
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=10).stdout.strip()
    except FileNotFoundError:
        return None
