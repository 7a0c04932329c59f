"""HTTP requests as they were sent, and answers before they are put into bytes."""

from __future__ import annotations

import http
from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Request:
    """A request as it was sent: `target` and `headers` in their raw form, the body without its framing."""

    method: str
    target: str
    headers: Headers
    body: bytes = b""
    version: str = "HTTP/1.1"

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def header(self, name: str) -> str | None:
        """The value of a header, None when it wasn't sent; repeated ones are joined by a comma."""
        values = [value for key, value in self.headers if key.lower() == name]
        return ",".join(values) if values else None

    @property
    def keeps_alive(self) -> bool:
        """Whether the client expects to use the connection again."""
        wishes = (self.header("connection") or "").lower()
        return "close" not in wishes if self.version == "HTTP/1.1" else "keep-alive" in wishes


@dataclass(frozen=True)
class Reply:
    """An answer, before it is put into bytes. `Content-Length` is added to the headers."""

    status: int
    body: bytes = b""
    headers: Headers = ()

    def head(self) -> bytes:
        """Status line and headers, with the empty line that ends them."""
        try:
            reason = http.HTTPStatus(self.status).phrase
        except ValueError:
            reason = ""
        lines = [f"HTTP/1.1 {self.status} {reason}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if not self._bodiless:
            lines.append(f"Content-Length: {len(self.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def header(self, name: str) -> str | None:
        """The value of a header, None when there is none."""
        return next((value for key, value in self.headers if key.lower() == name), None)

    def payload(self, method: str) -> bytes:
        """The body, as far as an answer to `method` may carry one."""
        return b"" if method == "HEAD" or self._bodiless else self.body

    @property
    def _bodiless(self) -> bool:
        return self.status < 200 or self.status in {204, 304}
