"""A child process that can't hang, flood or outlive the kit.

Each child leads a session, and so a process group, of its own. Its output is read without ever blocking, up
to a bound, and the whole group is killed when the kit has finished with it, however that came about.
"""

from __future__ import annotations

import enum
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

OUTPUT_BOUND: Final = 8 * 1024 * 1024
"""Bytes of standard output and standard error together that one call may give."""
GRACE: Final = 0.1
"""Seconds that a finished program's descendants may keep its output open."""
_POLL: Final = 0.01
_REAP: Final = 5.0
_CHUNK: Final = 64 * 1024
_LAUNCHER: Final = Path(__file__).with_name("file_size_launcher.py")


class Pause(enum.Enum):
    """Why `Child.pump` came back."""

    DONE = enum.auto()
    EXITED = enum.auto()
    FULL = enum.auto()
    TIMEOUT = enum.auto()


@dataclass(frozen=True)
class Program:
    """What to run: arguments, directory, additions to the environment, the bytes it may write to a file.

    Unless it `inherits`, `environment` is the whole environment. `descriptors` are left open for it.
    """

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    file_size_limit: int | None = None
    inherits: bool = True
    descriptors: Sequence[int] = ()


class Child:
    """A running program. One thread uses it; `kill` may be called from any.

    `out` and `err` hold what it printed. With `reply`, the number of a file descriptor is appended to its
    arguments, and `reply` holds what it wrote there. Raises `OSError` when the program can't be run.
    """

    def __init__(
        self, program: Program, *, stdin: bool = False, reply: bool = False, bound: int = OUTPUT_BOUND
    ) -> None:
        self.out = bytearray()
        self.err = bytearray()
        self.reply = bytearray()
        self.bound = bound
        self.exited = False
        self._ended = False
        self._pending = bytearray()
        self._lock = threading.Lock()
        self._pidfd: int | None = None
        self._buffers: dict[int, bytearray] = {}
        self._owned: list[int] = []
        reader, writer = os.pipe() if reply else (None, None)
        env = {**(os.environ if program.inherits else {}), **program.environment}
        argv = [*program.argv, str(writer)] if reply else [*program.argv]
        if program.file_size_limit is not None:
            launcher = (sys.executable, "-I", "-S", str(_LAUNCHER))
            argv = [*launcher, str(program.file_size_limit), env.get("LC_CTYPE", ""), *argv]
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=program.cwd,
                env=env,
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                pass_fds=(*program.descriptors, *(() if writer is None else (writer,))),
            )
        except BaseException:
            if reader is not None:
                os.close(reader)
            raise
        finally:
            if writer is not None:
                os.close(writer)
        self._selector = selectors.DefaultSelector()
        try:
            self._watch(reader)
        except BaseException:
            self.end()
            raise

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; `None` until the child has been reaped by `end`."""
        return self._process.returncode

    @property
    def full(self) -> bool:
        return len(self.out) + len(self.err) > self.bound

    def is_open(self, buffer: bytearray) -> bool:
        """Whether more may come into `out`, `err` or `reply`."""
        return any(open_buffer is buffer for open_buffer in self._buffers.values())

    def send(self, data: bytes) -> None:
        """Write to the child's standard input as soon as it takes it, during `pump`."""
        stdin = self._process.stdin
        if stdin is None or stdin.closed:
            return
        if not self._pending:
            self._selector.register(stdin, selectors.EVENT_WRITE)
        self._pending += data

    def close_stdin(self) -> None:
        stdin = self._process.stdin
        if stdin is not None and not stdin.closed:
            if self._pending:
                self._pending.clear()
                self._selector.unregister(stdin)
            stdin.close()

    def pump(self, deadline: float, done: Callable[[], bool] = lambda: False) -> Pause:
        """Read and write until `done`, the exit, the output bound or `deadline` (`time.monotonic`)."""
        while True:
            if done():
                return Pause.DONE
            if self.full:
                return Pause.FULL
            if self.exited:
                self.drain()
                return Pause.DONE if done() else Pause.EXITED
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return Pause.TIMEOUT
            self._step(remaining)

    def drain(self, grace: float = 0.0) -> None:
        """Read what is there, and what comes within `grace` seconds while somebody holds the pipes open."""
        deadline = time.monotonic() + grace
        while not self.full:
            remaining = max(0.0, deadline - time.monotonic()) if self._buffers else 0.0
            if not self._step(remaining) and not remaining:
                return

    def settle(self, deadline: float) -> None:
        """Wait for the exit until `deadline` (`time.monotonic`), dropping what is beyond the bound."""
        while not self._ended and (remaining := deadline - time.monotonic()) > 0:
            if not self._step(0.0 if self.exited else remaining) and self.exited:
                return

    def kill(self) -> None:
        """Kill the whole process group, unless the leader is reaped and its number perhaps another's."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send the whole process group a signal, under the same condition."""
        with self._lock:
            if self._process.returncode is None:
                self._signal_group(number)

    def end(self) -> None:
        """Kill the process group, reap the leader and close everything. Harmless when done before."""
        if self._ended:
            return
        with self._lock:
            if self._process.returncode is None:
                self._signal_group()
                try:
                    self._process.wait(_REAP)
                except subprocess.TimeoutExpired:  # stuck in the kernel: the kit goes on without it
                    self._process.returncode = -signal.SIGKILL
        self.exited = True
        self.drain()
        self.close_stdin()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._selector.close()
        for fd in self._owned:
            os.close(fd)
        self._owned.clear()
        self._buffers.clear()
        self._ended = True

    def _watch(self, reader: int | None) -> None:
        if reader is not None:
            self._owned.append(reader)
        stdout, stderr, stdin = self._process.stdout, self._process.stderr, self._process.stdin
        assert stdout is not None
        assert stderr is not None
        self._buffers = {stdout.fileno(): self.out, stderr.fileno(): self.err}
        if reader is not None:
            self._buffers[reader] = self.reply
        if stdin is not None:
            os.set_blocking(stdin.fileno(), False)
        for fd in self._buffers:
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ)
        if sys.platform == "linux":
            try:
                self._pidfd = os.pidfd_open(self._process.pid)
            except OSError:  # an old kernel, or a sandbox that doesn't allow it: poll instead
                return
            self._owned.append(self._pidfd)
            self._selector.register(self._pidfd, selectors.EVENT_READ)

    def _step(self, timeout: float) -> bool:
        """Wait for one round of events; whether there were any."""
        if self._pidfd is None:
            timeout = min(timeout, _POLL)
        events = self._selector.select(timeout)
        for key, _ in events:
            if key.fd == self._pidfd:
                self.exited = True
                self._selector.unregister(key.fd)
            elif key.fd in self._buffers:
                self._read(key.fd)
            else:
                self._write(key.fd)
        if self._pidfd is None and not self.exited:
            self.exited = self._has_exited()
        return bool(events)

    def _read(self, fd: int) -> None:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        buffer = self._buffers[fd]
        if data:
            if not self.full or buffer is self.reply:
                buffer += data
        else:
            self._selector.unregister(fd)
            del self._buffers[fd]

    def _write(self, fd: int) -> None:
        try:
            del self._pending[: os.write(fd, self._pending)]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it doesn't read any more; its exit or its silence tells the rest
            self._pending.clear()
        if not self._pending:
            self._selector.unregister(fd)

    def _has_exited(self) -> bool:
        with self._lock:
            if hasattr(os, "waitid"):  # looks without reaping, so that the group's number stays taken
                options = os.WEXITED | os.WNOHANG | os.WNOWAIT
                return os.waitid(os.P_PID, self._process.pid, options) is not None
            if self._process.poll() is None:
                return False
            self._signal_group()
            return True

    def _signal_group(self, number: int = signal.SIGKILL) -> None:
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return
