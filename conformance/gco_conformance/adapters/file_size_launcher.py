"""Limit the size of the files that a program may write, then become that program.

Run as a script: `python -I -S file_size_launcher.py BYTES LC_CTYPE PROGRAM [ARGUMENT …]`. A launcher, because
the alternatives don't hold: `preexec_fn` can deadlock where there are threads, a limit set from outside comes
after the program has begun, and a shell's `ulimit -f` counts in blocks.
"""

from __future__ import annotations

import os
import resource
import signal
import sys


def main() -> None:
    size, locale, *command = sys.argv[1:]
    for kind, wanted in ((resource.RLIMIT_FSIZE, int(size)), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    # Python ignores these two, and what is ignored stays so in the program that follows.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    # In the C locale Python sets LC_CTYPE for its children (PEP 538), which nobody asked for here.
    if not locale:
        os.environ.pop("LC_CTYPE", None)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]} can't be run: {error.strerror}")


if __name__ == "__main__":
    main()
