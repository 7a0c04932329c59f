"""Without a sealed network a handler in Python is checked all the same, as far as its process can be confined."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gco_conformance.adapters import confined
from gco_conformance.adapters.function_python import PythonFunction
from gco_conformance.evidence.stage import Stage, Stages
from gco_conformance.extras import missing
from gco_conformance.sealed.namespaces import available
from gco_conformance.sealed.trust import SYSTEM_BUNDLES
from gco_conformance.simulation.network import Network, unsealed_network
from gco_conformance.world import faults
from gco_fixtures.broken import broken_aggregators
from gco_fixtures.planting import plant

from .conformance_run import Run, run_kit
from .sealed_run import caller
from .test_sealed_lifetime import assert_nothing_left, descendant, processes_with

pytestmark = [
    pytest.mark.skipif(bool(missing("aggregator")), reason=missing("aggregator")),
    pytest.mark.skipif(sys.platform != "linux", reason="is about Linux"),
]

REFERENCE = "python:gco_reference.aggregator:handler"
ELSEWHERE = "203.0.113.7"
PROBE = """
import errno, socket, ssl, sys

def handler(event, context):
    found = {}
    exec(event["code"], {**globals(), **event, "found": found})
    return found

def told(call, *arguments, **named):
    try:
        return call(*arguments, **named)
    except OSError as error:
        return [type(error).__name__, error.errno]

"""
TALKATIVE = f"""
import contextlib, socket

from gco_reference.aggregator import handler as reference


def handler(event, context):
    with contextlib.suppress(OSError):
        socket.getaddrinfo("telemetry.example", 443)
    with contextlib.suppress(OSError):
        socket.create_connection(("{ELSEWHERE}", 443), timeout=1)
    return reference(event, context)
"""
NO_NAMESPACES = """
import sys
from pathlib import Path
from gco_conformance.sealed import kernel, users
users.with_users_of_here(lambda: kernel.unshare(kernel.NEW_USERS))
Path("/proc/sys/user/max_user_namespaces").write_text("0")
from gco_conformance.cli import main
sys.exit(main())
"""
GUARDED = """
import subprocess, sys
from gco_conformance.sealed.reexecute import command, new_folder
child = subprocess.Popen(command(new_folder(), sys.argv[1:], unsealed=True), process_group=0)
sys.exit(child.wait())
"""


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with unsealed_network() as network:
        yield network


@pytest.fixture(scope="module")
def probe(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stages]:
    """Worlds for a handler that executes what it is told."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "probe.py").write_text(PROBE)
    function = PythonFunction("probe.py", "handler", timeout=30, cwd=folder)
    function.start()
    yield network.stages(function, seed=0)
    function.close()


def found(stage: Stage, code: str) -> Any:
    """What `code` says in the confined process; `HOST` is that of the region."""
    invocation = stage.event({"code": code, "HOST": stage.region("us-east-1").host}).invocation
    assert invocation.error == ""
    return invocation.payload


def test_names_of_the_world_are_found_in_all_ways_and_no_others(probe: Stages) -> None:
    with probe.open("us-east-1") as stage:
        told = found(
            stage,
            """if True:
            [[family, kind, protocol, name, place]] = socket.getaddrinfo(
                HOST.upper() + ".", "https", type=socket.SOCK_STREAM, flags=socket.AI_CANONNAME
            )
            found |= {
                "address": place[0],
                "port": place[1],
                "name": name == HOST,
                "by name": socket.gethostbyname(HOST),
                "in full": socket.gethostbyname_ex(HOST.encode())[2],
                "other port": socket.getaddrinfo(HOST, 80, type=socket.SOCK_STREAM)[0][4][1],
                "own": [socket.gethostbyname(name) for name in ("localhost", socket.gethostname())],
                "numeric": socket.getaddrinfo("192.0.2.1", 443, type=socket.SOCK_STREAM)[0][4],
                "IPv6": told(socket.getaddrinfo, HOST, 443, socket.AF_INET6),
                "unknown": told(socket.getaddrinfo, "unknown.example", 443),
                "unknown by name": told(socket.gethostbyname, "unknown.example"),
                "no name": told(socket.getaddrinfo, "a..b".encode(), 443),
                "who": socket.getnameinfo(("192.0.2.1", 443), 0)[0],
                "whose": told(socket.gethostbyaddr, "192.0.2.1"),
            }""",
        )
    address = told.pop("address")
    assert address.startswith("127.")
    assert told.pop("port") not in (80, 443)
    unknown = ["gaierror", socket.EAI_NONAME]
    assert told == {
        "name": True,
        "by name": address,
        "in full": [address],
        "other port": 80,
        "own": ["127.0.0.1", "127.0.0.1"],
        "numeric": ["192.0.2.1", 443],
        "IPv6": ["gaierror", socket.EAI_NODATA],
        "unknown": unknown,
        "unknown by name": unknown,
        "no name": unknown,
        "who": "192.0.2.1",
        "whose": ["herror", 1],
    }


def test_a_host_of_the_world_has_its_tls_port_and_no_other(probe: Stages) -> None:
    with probe.open("us-east-1") as stage:
        told = found(
            stage,
            """if True:
            import asyncio
            address = socket.gethostbyname(HOST)
            context = ssl.create_default_context()

            def secured(place):
                with socket.create_connection(place, timeout=5) as plain:
                    with context.wrap_socket(plain, server_hostname=HOST) as tls:
                        return tls.version()

            async def streamed():
                _, writer = await asyncio.open_connection(HOST, 443, ssl=context)
                writer.close()
                return True

            def by_name():
                with socket.socket() as plain:
                    return plain.connect_ex((HOST, 443))

            def past_it():
                import _socket
                return _socket.socket().connect((address, 80))

            found |= {
                "name": secured((HOST, 443)),
                "address": secured((address, 443)),
                "streamed": asyncio.run(streamed()),
                "by name": by_name(),
                "other port": told(socket.create_connection, (HOST, 80), 5),
                "past it": told(past_it),
            }""",
        )
    refused = ["ConnectionRefusedError", errno.ECONNREFUSED]
    assert told == {
        "name": "TLSv1.3",
        "address": "TLSv1.3",
        "streamed": True,
        "by name": 0,
        "other port": refused,
        "past it": refused,
    }


def test_nobody_else_is_reached_and_who_was_to_be_is_known(probe: Stages, network: Network) -> None:
    mark = network.mark()
    with probe.open("us-east-1") as stage:
        told = found(
            stage,
            f"""if True:
            import _socket
            ipv6 = socket.socket(socket.AF_INET6)
            datagrams = socket.socket(type=socket.SOCK_DGRAM)
            found |= {{
                "connect": told(socket.create_connection, ("{ELSEWHERE}", 443), 5),
                "connect_ex": socket.socket().connect_ex(("{ELSEWHERE}", 444)),
                "past it": told(_socket.socket().connect, ("{ELSEWHERE}", 445)),
                "mapped": told(ipv6.connect, ("::ffff:{ELSEWHERE}", 446)),
                "sendto": told(datagrams.sendto, b"", ("{ELSEWHERE}", 447)),
                "sendmsg": told(datagrams.sendmsg, [b""], [], 0, ("{ELSEWHERE}", 448)),
                "DNS of here": told(datagrams.sendto, b"", ("127.0.0.53", 53)),
                "route": told(datagrams.connect, ("{ELSEWHERE}", 449)),
                "metadata": told(socket.create_connection, ("169.254.169.254", 80), 5),
            }}
            told(socket.gethostbyname, "telemetry.example")""",
        )
    unreachable = ["OSError", errno.ENETUNREACH]
    assert told == {**dict.fromkeys(told, unreachable), "connect_ex": errno.ENETUNREACH}
    connected = [f"{ELSEWHERE}:{port}" for port in range(443, 449)]
    assert network.strays(mark) == ["127.0.0.53:53", *connected, "telemetry.example"]


def test_servers_of_the_process_itself_are_reached(probe: Stages, network: Network) -> None:
    mark = network.mark()
    with probe.open("us-east-1") as stage:
        told = found(
            stage,
            """if True:
            server = socket.create_server(("127.0.0.1", 0))
            mine = socket.create_connection(("localhost", server.getsockname()[1]), 5)
            found["localhost"] = mine.getpeername() == server.getsockname()
            one, other = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
            one.bind(("127.0.0.1", 0))
            other.sendto(b"hello", one.getsockname())
            found["datagram"] = one.recv(9).decode()""",
        )
    assert told == {"localhost": True, "datagram": "hello"}
    assert network.strays(mark) == []


@pytest.mark.skipif(not any(Path(place).is_file() for place in SYSTEM_BUNDLES), reason="there is no bundle")
def test_the_bundle_of_the_system_is_the_kits(probe: Stages) -> None:
    bundle = next(place for place in SYSTEM_BUNDLES if Path(place).is_file())
    with probe.open("us-east-1") as stage:
        told = found(
            stage,
            f"""if True:
            context = ssl.create_default_context(cafile={bundle!r})
            with socket.create_connection((HOST, 443), timeout=5) as plain:
                found["version"] = context.wrap_socket(plain, server_hostname=HOST).version()""",
        )
    assert told == {"version": "TLSv1.3"}


def test_what_confines_a_process_isnt_in_its_environment(probe: Stages) -> None:
    with probe.open("us-east-1") as stage:
        assert found(stage, "import os; found['there'] = [name for name in os.environ if 'GCO' in name]") == {
            "there": []
        }


def test_a_name_that_isnt_known_for_a_while(probe: Stages, network: Network) -> None:
    names = confined.Names(network.trust[confined.VARIABLE])
    mark = network.mark()
    with probe.open("us-east-1") as stage:
        region = stage.region("us-east-1")
        region.fails(faults.Unresolved())
        with pytest.raises(socket.gaierror) as raised:
            names.address(region.host)
        region.recovers()
        assert names.address(region.host) in names.ports
    assert raised.value.errno == socket.EAI_NONAME
    assert network.strays(mark) == []


def test_a_silent_dns_is_waited_for_as_long_as_the_resolver_of_the_system_does(
    probe: Stages, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(confined, "_SLEEP", waited.append)
    names = confined.Names(network.trust[confined.VARIABLE])
    with probe.open("us-east-1") as stage:
        region = stage.region("us-east-1")
        region.fails(faults.SilentDns())
        with pytest.raises(socket.gaierror) as raised:
            names.address(region.host)
    assert raised.value.errno == socket.EAI_AGAIN
    assert waited == [5.0, 5.0]


def test_who_asks_and_says_nothing_keeps_nobody_waiting(probe: Stages, network: Network) -> None:
    place = network.trust[confined.VARIABLE]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as silent:
        silent.connect("\0" + place)
        with probe.open("us-east-1") as stage:
            assert confined.Names(place).address(stage.region("us-east-1").host).startswith("127.")


def test_where_no_namespaces_can_be_made_the_way_out_is_named(tmp_path: Path) -> None:
    run = without_namespaces(tmp_path, "--aggregator", REFERENCE, "--requirement=aggregator.request.target")
    assert run.exit == 2
    [requirement] = run.report["requirements"]
    assert requirement["outcome"] == "not-tested"
    assert (available() or "user.max_user_namespaces=10000") in requirement["reason"]
    assert requirement["reason"].endswith("; --unsealed checks a Python handler without")


def test_unsealed_a_handler_fares_as_it_does_sealed(tmp_path: Path) -> None:
    [fault] = [fault for fault in broken_aggregators() if fault.name == "certificates-unverified"]
    plant(fault.name, fault.changes, tmp_path)
    file = tmp_path / "talkative.py"
    file.write_text(TALKATIVE)
    ids = ("aggregator.request.target", fault.requirement, "aggregator.http.nulls")
    run = without_namespaces(
        tmp_path,
        f"--aggregator=python:{file}:handler",
        "--unsealed",
        *(f"--requirement={id}" for id in ids),
    )
    assert run.exit == 1
    assert run.outcomes() == dict(zip(ids, ("failed", "failed", "passed"), strict=True))
    checks = {check["id"]: check for entry in run.report["requirements"] for check in entry["checks"]}
    target = {id: check["outcome"] for id, check in checks.items() if "sealed" in id}
    assert target == {"sealed-network/no-other-host": "failed", "unsealed/native-code": "not-tested"}
    assert checks["sealed-network/no-other-host"]["actual"] == f"{ELSEWHERE}:443, telemetry.example"
    assert all("--unsealed" in check["command"] for check in checks.values() if check["command"])
    assert run.report["implementation"]["spec"] == f"python:{file}:handler (unsealed)"
    assert "(unsealed)" in run.stdout


@pytest.mark.parametrize(
    "options", [("--aggregator=runtime:true",), ("--composer=stdio:true",)], ids=["runtime", "no aggregator"]
)
def test_for_others_it_is_an_error_in_one_line(options: tuple[str, ...], tmp_path: Path) -> None:
    run = run_kit(tmp_path, *options, "--unsealed")
    assert run.exit == 2
    [line] = run.stderr.splitlines()
    assert "--unsealed" in line
    assert "python:MODULE_OR_FILE:HANDLER" in line


@pytest.mark.parametrize("victim", ["nobody", "caller", "process group", "guarded process", "interrupt"])
def test_a_guarded_process_leaves_nothing_behind(victim: str, tmp_path: Path) -> None:
    mark = f"mark-{uuid.uuid4()}"
    argv = ["sealed_functions:lingers_unsealed", mark, "ends" if victim == "nobody" else "waits"]
    with caller(*argv, code=GUARDED, environment={"TMPDIR": str(tmp_path)}, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()
        assert processes_with(mark)
        assert [*tmp_path.iterdir()]
        if victim == "process group":
            os.killpg(process.pid, signal.SIGKILL)
        elif victim == "interrupt":
            os.kill(descendant(process.pid, 1), signal.SIGTERM)
        elif victim != "nobody":
            os.kill(descendant(process.pid, ["caller", "guard", "guarded process"].index(victim)), signal.SIGKILL)
        process.wait(10)
        assert_nothing_left(tmp_path, mark)


def without_namespaces(folder: Path, *arguments: str) -> Run:
    """A run where no namespaces can be made, be it since this test itself sees to that."""
    if available():
        return run_kit(folder, *arguments)
    return run_kit(folder, *arguments, python=("-c", NO_NAMESPACES))
