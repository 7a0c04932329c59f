"""Writing the composed document so that a crash leaves the old file (contract section 5)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gco_reference.composer.errors import ComposeError


def current(root: Path, output: str) -> bytes | None:
    """What the output file holds; `None` when there is none."""
    try:
        return (root / output).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        raise ComposeError("a directory, where the output file is expected", output) from None
    except (OSError, ValueError) as error:
        raise ComposeError(f"can't be read: {_reason(error)}", output) from None


def refuse_input(root: Path, output: str, inputs: Iterable[str]) -> None:
    """The output must not be one of the files that it is made from."""
    target = os.path.realpath(root / output)
    for name in inputs:
        if os.path.realpath(root / name) == target:
            raise ComposeError(f"the output would overwrite {name}", "gateway-composition.yaml")


def replace(root: Path, output: str, data: bytes) -> None:
    """Puts `data` in the place of the output file, in one step."""
    target = Path(os.path.realpath(root / output))
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write_new(temporary, data)
            _keep_mode(target, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise ComposeError(f"can't be written: {_reason(error)}", output) from None


def _write_new(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _keep_mode(target: Path, temporary: Path) -> None:
    with suppress(FileNotFoundError):
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))


def _reason(error: OSError | ValueError) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
