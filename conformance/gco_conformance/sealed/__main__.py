"""`python -m gco_conformance.sealed [--unsealed] CALLER FOLDER MODULE:FUNCTION ARGUMENT…`, see `reexecute`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from gco_conformance.errors import KitError
from gco_conformance.hypothesis_home import furnish

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["--try"]:
            from gco_conformance.sealed.reexecute import reexecute

            return reexecute(["gco_conformance.sealed.trial:main"])
        how = _guarded if arguments[0] == "--unsealed" else _sealed
        caller, folder, function, *rest = arguments[how is _guarded :]
        return how(int(caller), folder, function, rest)
    except KitError as error:
        print(f"gco-conformance: {error}", file=sys.stderr)
        return USAGE_STATUS
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS


def _sealed(caller: int, folder: str, function: str, arguments: list[str]) -> int:
    from gco_conformance.sealed.descend import descend

    descend(caller, Path(folder))
    return _call(folder, function, arguments)


def _guarded(caller: int, folder: str, function: str, arguments: list[str]) -> int:
    from gco_conformance.sealed.guarded import descend

    status = descend(caller, Path(folder))
    return _call(folder, function, arguments) if status is None else status


def _call(folder: str, function: str, arguments: list[str]) -> int:
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(furnish(Path(folder) / "hypothesis"))
    module, _, name = function.partition(":")
    import importlib

    return int(getattr(importlib.import_module(module), name)(arguments) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
