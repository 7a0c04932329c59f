"""The child's side of `python:…`: import a composer function once, then run each call in a fork.

Run as a script: `python -P python_host.py MODULE_OR_FILE FUNCTION EXCEPTION REPLY_FD`, where EXCEPTION may
be empty. Standard input brings lines of JSON, REPLY_FD takes the answers:

- `{"call": "hello"}` gives `{"error": …}`: empty, or why the function can't be had;
- `{"call": "compose", "root": …, "output": …, "check": …}` gives `{"pid": …}`, the leader of the call's
  process group, before the function begins, and then `{"status": …}`, its exit status, negative for a signal.

What the function prints goes to this script's own standard output and standard error. The leader of an ended
call isn't reaped before the next request: until then the number of its group belongs to nobody else.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NoReturn

FAILED = 1
REFUSED = 2

Compose = Callable[[Path], object]


class LoadError(Exception):
    """Why the function can't be had, in one line."""


def main(target: str, function: str, exception: str, descriptor: str) -> None:
    # The function finds an empty standard input, and neither requests nor replies are within its reach.
    requests = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    replies = int(descriptor)
    os.set_inheritable(replies, False)
    sys.path.insert(0, str(Path.cwd()))
    with os.fdopen(requests, encoding="utf-8") as lines:
        lines.readline()
        try:
            compose = load(target, function)
        except LoadError as error:
            reply(replies, {"error": str(error)})
            return
        reply(replies, {"error": ""})
        leader = 0
        for line in lines:
            reap(leader)
            request = json.loads(line)
            perform = functools.partial(
                answer,
                compose,
                spec=f"python:{target}:{function}",
                exception=exception,
                root=Path(request["root"]),
                output=request["output"],
                check=request["check"],
            )
            leader = call(perform, requests, replies)
        reap(leader)


def reap(pid: int) -> None:
    if pid:
        os.waitpid(pid, 0)


def reply(descriptor: int, message: dict[str, object]) -> None:
    os.write(descriptor, json.dumps(message).encode() + b"\n")


def load(target: str, function: str) -> Compose:
    """The function named `function` (dots lead into classes) of a module or of a Python file."""
    try:
        module = from_file(Path(target)) if target.endswith(".py") else importlib.import_module(target)
    except BaseException as error:
        raise LoadError(f"importing it failed: {last_line(error)}") from None
    found: object = module
    for name in function.split("."):
        found = getattr(found, name, None)
    if not callable(found):
        raise LoadError(f"{target} has no function {function!r}")
    return found


def from_file(path: Path) -> ModuleType:
    """Import a file as if it were run from its folder, under its own name where that is free."""
    name = path.stem
    if name in sys.modules or name in sys.stdlib_module_names:
        name = f"composer_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} isn't a Python file")
    sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def last_line(error: BaseException) -> str:
    """The exception as the last line of its traceback shows it, and where it came from."""
    said = one_line(traceback.format_exception_only(error)[-1])
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_machinery(frame.filename)]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{said} ({error.filename}, line {error.lineno})"
    return f"{said} ({frames[-1].filename}, line {frames[-1].lineno})" if frames else said


def is_machinery(filename: str) -> bool:
    return filename == __file__ or filename.startswith("<frozen") or "importlib" in Path(filename).parts


def one_line(text: str) -> str:
    return " ".join(text.split())


def call(perform: Callable[[], int], requests: int, replies: int) -> int:
    """Run one call in a fork, and say so. Returns its leader's process id, 0 when that is reaped already."""
    gate, opener = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Threads that an import left behind don't exist in the fork: that is what a fork is here for.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if not pid:
        os.close(opener)
        leave(perform, gate, (requests, replies))
    os.close(gate)
    # The group must exist and be known before anything runs in it, so that whoever kills it misses nothing.
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    reply(replies, {"pid": pid})
    os.write(opener, b"\n")
    os.close(opener)
    status, ended = wait(pid)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    reply(replies, {"status": status})
    return ended


def leave(perform: Callable[[], int], gate: int, private: tuple[int, int]) -> NoReturn:
    """The fork's whole life. It ends without the clean-up of a process that it only is a copy of."""
    status = FAILED
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        for descriptor in private:
            os.close(descriptor)
        if os.read(gate, 1):
            os.close(gate)
            status = perform()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def wait(pid: int) -> tuple[int, int]:
    """The exit status (negative for a signal), and the process id if it is still to be reaped."""
    if not hasattr(os, "waitid"):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0
    result = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert result is not None
    return result.si_status if result.si_code == os.CLD_EXITED else -result.si_status, pid


def answer(compose: Compose, *, spec: str, exception: str, root: Path, output: str, check: bool) -> int:
    """The exit status that a command line would give for what the function does."""
    try:
        document = compose(root)
    except BaseException as error:
        if refuses(error, exception):
            print(f"ERROR: {one_line(str(error)) or type(error).__name__}", file=sys.stderr)
            return REFUSED
        within = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, within)
        name = type(error).__name__
        counts = f"only {exception} counts as a refusal" if exception else f"{name} counts as a crash"
        print(f"{counts}; if the function refuses by {name}, name it: {spec}:{name}", file=sys.stderr)
        return FAILED
    if not isinstance(document, dict):
        return failed(f"{spec} returned {type(document).__name__}, not a dict")
    try:
        text = json.dumps(document, indent=2, sort_keys=True) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        return failed(f"{spec} returned a dict that isn't JSON: {one_line(str(error))}")
    try:
        return write(root, output, text.encode(), check)
    except (OSError, ValueError) as error:
        return failed(f"{output} can't be written: {error}")


def refuses(error: BaseException, exception: str) -> bool:
    """Whether an exception is a refusal: by its class's name, else by not being one of Python's own."""
    kinds = type(error).__mro__
    if exception:
        return any(exception in (kind.__name__, f"{kind.__module__}.{kind.__qualname__}") for kind in kinds)
    package = kinds[0].__module__.partition(".")[0]
    return package != "builtins" and package not in sys.stdlib_module_names


def failed(message: str) -> int:
    print(message, file=sys.stderr)
    return FAILED


def write(root: Path, output: str, content: bytes, check: bool) -> int:
    """Write the document, or with `check` compare only, and print what the contract's command line prints."""
    path = (root / output).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ValueError("it is outside the checkout")
    current = path.read_bytes() if path.exists() else None
    if check:
        if current != content:
            print(f"{output}: {'missing' if current is None else 'stale'}")
        return FAILED if current != content else 0
    if current != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(f"{output}: {'unchanged' if current == content else 'written'}")
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])
