"""A tiny implementation of the composer stdio protocol that can be told to misbehave.

    python speaking.py [BEHAVIOUR]

Run with `-S -I`, it starts in some 10 ms.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PROTOCOL = "gco-composer-stdio/1"


def say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


def compose(request: dict[str, Any], behaviour: str) -> None:
    answer = {"id": request["id"], "exit": 0, "stdout": f"{os.getpid()} {request['root']}\n", "stderr": ""}
    if behaviour == "hangs":
        time.sleep(60)
    elif behaviour == "hangs with a child":
        print(subprocess.Popen(["sleep", "60"]).pid, file=sys.stderr, flush=True)
        time.sleep(60)
    elif behaviour == "dies":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(3)
    elif behaviour == "is killed":
        os.kill(os.getpid(), 11)
    elif behaviour == "says no JSON":
        print("composed it", flush=True)
    elif behaviour == "says a list":
        say([])
    elif behaviour == "says another id":
        say({**answer, "id": request["id"] + 1})
    elif behaviour == "says no exit":
        del answer["exit"]
        say(answer)
    elif behaviour == "says a wrong exit":
        say({**answer, "exit": 256})
    elif behaviour == "says it twice":
        sys.stdout.write(2 * (json.dumps(answer) + "\n"))
        sys.stdout.flush()
    elif behaviour == "never ends its line":
        while True:
            sys.stdout.write("x" * 4096)
    elif behaviour == "floods its standard error":
        while True:
            sys.stderr.write("x" * 4096)
    elif behaviour == "closes its output":
        os.close(1)
        time.sleep(60)
    elif behaviour == "dies afterwards":
        say(answer)
        os._exit(0)
    elif behaviour == "echoes the request":
        say({**answer, "stdout": json.dumps(request)})
    elif behaviour == "echoes the environment":
        say({**answer, "stdout": os.environ.get("GREETING", "")})
    elif behaviour == "writes 1000 bytes":
        Path(request["root"], "written").write_bytes(b"x" * 1000)
        say(answer)
    elif behaviour == "refuses":
        say({**answer, "exit": 2, "stdout": "", "stderr": "ERROR: no\n"})
    else:
        say(answer)


def main(behaviour: str = "answers") -> None:
    if behaviour == "starts slowly":
        time.sleep(0.5)
    for line in sys.stdin:
        request = json.loads(line)
        if request["call"] == "hello":
            say(
                {
                    "protocol": PROTOCOL,
                    "id": request["id"],
                    "name": "speaking",
                    "version": "1.0",
                    "language": "Python",
                    "homepage": "https://speaking.example",
                }
            )
        else:
            compose(request, behaviour)
    if behaviour == "stays after the end of input":
        time.sleep(60)


main(*sys.argv[1:])
