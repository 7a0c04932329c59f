"""Faults of what is answered: another status, another place, too much, or no JSON that can be taken as it is.

Faults of the body work on any JSON object that would have been answered, and change nothing else in it.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gco_conformance.http_messages import Reply
from gco_conformance.world.faults.fault import ReplyFault, Scene


@dataclass(frozen=True)
class Status(ReplyFault):
    """Another status; `retry_after` as in the header, seconds or an HTTP date. The body stays."""

    code: int = 503
    retry_after: str = ""

    def changed(self, scene: Scene) -> Reply:
        reply = Reply(self.code, scene.reply.body, scene.reply.headers)
        return with_header(reply, "Retry-After", self.retry_after) if self.retry_after else reply


@dataclass(frozen=True)
class Redirect(ReplyFault):
    """The answer is somewhere else: at `path` of this region's API (`to` empty) or of another one's."""

    code: int = 302
    to: str = ""
    scheme: Literal["https", "http"] = "https"
    path: str = ""
    """The same path by default."""

    def changed(self, scene: Scene) -> Reply:
        host = scene.host_of(self.to or scene.region)
        place = f"{self.scheme}://{host}{self.path or scene.request.target}"
        return with_header(Reply(self.code, b"", scene.reply.headers), "Location", place)


@dataclass(frozen=True)
class Body(ReplyFault):
    """The body is this text: none, an error page, half of a document."""

    text: str = ""

    def changed(self, scene: Scene) -> Reply:
        return with_body(scene.reply, self.text.encode())


@dataclass(frozen=True)
class HugeBody(ReplyFault):
    """The body has so many bytes: spaces follow its JSON, which stays the same."""

    size: int = 16 * 1024 * 1024

    def changed(self, scene: Scene) -> Reply:
        return with_body(scene.reply, scene.reply.body.ljust(self.size))


@dataclass(frozen=True)
class CompressionBomb(ReplyFault):
    """The body has so many bytes when it's decompressed, and few before. With `times`, it's packed repeatedly."""

    size: int = 64 * 1024 * 1024
    coding: Literal["gzip", "deflate"] = "gzip"
    times: int = 1

    def changed(self, scene: Scene) -> Reply:
        body = scene.reply.body.ljust(self.size)
        for _ in range(self.times):
            body = gzip.compress(body, 9, mtime=0) if self.coding == "gzip" else zlib.compress(body, 9)
        coding = ", ".join([self.coding] * self.times)
        return with_header(with_body(scene.reply, body), "Content-Encoding", coding)


@dataclass(frozen=True)
class WrongCoding(ReplyFault):
    """The body is said to be compressed, and isn't."""

    coding: str = "gzip"

    def changed(self, scene: Scene) -> Reply:
        return with_header(scene.reply, "Content-Encoding", self.coding)


@dataclass(frozen=True)
class Charset(ReplyFault):
    """The body is in another encoding than UTF-8, as `utf-16`, or begins with a byte order mark (`utf-8-sig`)."""

    encoding: str = "utf-16"

    def changed(self, scene: Scene) -> Reply:
        return with_body(scene.reply, scene.reply.body.decode().encode(self.encoding))


@dataclass(frozen=True)
class Member(ReplyFault):
    """A member of the JSON object has another value: this very text, be it JSON (`null`, `[]`) or not (`NaN`)."""

    key: str
    text: str

    def changed(self, scene: Scene) -> Reply:
        others = {key: value for key, value in _members(scene.reply).items() if key != self.key}
        return with_body(scene.reply, _object({**others, self.key: self.text}))


@dataclass(frozen=True)
class DuplicateMember(ReplyFault):
    """A member of the JSON object comes a second time, with this text as its value."""

    key: str
    text: str

    def changed(self, scene: Scene) -> Reply:
        return with_body(scene.reply, _object(_members(scene.reply), (self.key, self.text)))


@dataclass(frozen=True)
class DeepNesting(ReplyFault):
    """A member of the JSON object is a list in a list, and so on, so many levels deep."""

    depth: int = 100_000
    key: str = "details"

    def changed(self, scene: Scene) -> Reply:
        nested = "[" * self.depth + "]" * self.depth
        return with_body(scene.reply, _object(_members(scene.reply), (self.key, nested)))


def with_header(reply: Reply, name: str, value: str) -> Reply:
    """The answer with a header, which replaces any of that name."""
    kept = tuple(header for header in reply.headers if header[0].lower() != name.lower())
    return Reply(reply.status, reply.body, (*kept, (name, value)))


def with_body(reply: Reply, body: bytes) -> Reply:
    return Reply(reply.status, body, reply.headers)


def _members(reply: Reply) -> dict[str, str]:
    """The members of the answer's JSON object, with their values as text."""
    return {key: json.dumps(value, ensure_ascii=False) for key, value in json.loads(reply.body).items()}


def _object(members: Mapping[str, str], *more: tuple[str, str]) -> bytes:
    """The JSON text of an object, from the texts of its members."""
    text = ",".join(f"{json.dumps(key)}:{value}" for key, value in (*members.items(), *more))
    return f"{{{text}}}".encode("utf-8", "surrogatepass")
