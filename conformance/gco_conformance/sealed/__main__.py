"""`python -m gco_conformance.sealed CALLER FOLDER MODULE:FUNCTION ARGUMENT…`, started by `reexecute`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from gco_conformance.errors import KitError

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["--try"]:
            from gco_conformance.sealed.reexecute import reexecute

            return reexecute(["gco_conformance.sealed.trial:main"])
        caller, folder, function, *rest = arguments
        return _sealed(int(caller), folder, function, rest)
    except KitError as error:
        print(f"gco-conformance: {error}", file=sys.stderr)
        return USAGE_STATUS
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS


def _sealed(caller: int, folder: str, function: str, arguments: list[str]) -> int:
    from gco_conformance.sealed.descend import descend

    descend(caller, Path(folder))
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    module, _, name = function.partition(":")
    import importlib

    return int(getattr(importlib.import_module(module), name)(arguments) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
