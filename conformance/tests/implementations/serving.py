"""An HTTP server that behaves as the path says. Run as `serving.py PORT`."""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

if os.environ.get("AT_START") == "exit":
    print("because", file=sys.stderr)
    sys.exit(7)
if os.environ.get("AT_START") == "hang":
    time.sleep(60)

calls = 0


class Serving(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        global calls
        calls += 1
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        print(self.command, self.path, flush=True)
        getattr(self, self.path.strip("/").partition("?")[0].partition("/")[0] or "echo")()

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def send(self, body: bytes, status: int = 200, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)

    def tell(self, value: Any) -> None:
        self.send(json.dumps(value).encode())

    def echo(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.tell([self.command, self.path, self.body.decode(), headers])

    def counts(self) -> None:
        self.tell(calls)

    def environment(self) -> None:
        self.tell(dict(os.environ))

    def clock(self) -> None:
        self.tell([time.time(), time.monotonic()])

    def teapot(self) -> None:
        self.send_response(418)
        for value in ("a", "b"):
            self.send_header("X-Twice", value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"3\r\n\xff\xfe\xfd\r\n0\r\n\r\n")

    def redirect(self) -> None:
        self.send(b"", 302, location="/counts")

    def much(self) -> None:
        self.send(b"x" * (6 * 2**20 + 200))

    def short(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "9")
        self.end_headers()
        self.wfile.write(b"x")
        self.close_connection = True

    def nothing(self) -> None:
        self.close_connection = True

    def hang(self) -> None:
        time.sleep(60)

    def drip(self) -> None:
        self.send_response(200)
        self.flush_headers()
        for number in range(6000):
            self.wfile.write(b"X-Drip: %d\r\n" % number)
            time.sleep(0.01)

    def crash(self) -> None:
        os._exit(5)

    def babble(self) -> None:
        while True:
            print("babble" * 1000)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Serving).serve_forever()
