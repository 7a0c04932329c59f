"""Documents of running services, and of nothing that wasn't named: redirects to other hosts aren't followed."""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from gco_conformance.drift.place import Place
from gco_conformance.drift.problem import Problem, Unusable
from gco_conformance.drift.readers.service_documents import ENDINGS, parse_service, read_service_file
from gco_conformance.drift.readers.text import decode
from gco_conformance.drift.service import Service

DOCUMENT = "/openapi.json"
SIZE_LIMIT = 64 * 1024 * 1024


def read_live(addresses: Mapping[str, str], seconds: float) -> dict[str, Service | Problem]:
    """The service of each name, from its URL or file. All URLs are asked at once, for `seconds` in total."""
    answers: dict[str, Service | Problem] = {}
    threads = [
        # A thread that hangs must not keep the gate from ending.
        threading.Thread(target=_answer, args=(answers, name, address, seconds), daemon=True)
        for name, address in addresses.items()
    ]
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.start()
    for (name, address), thread in zip(addresses.items(), threads, strict=True):
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive() or name not in answers:
            answers[name] = Problem(Place(address), f"no document of {name} within {seconds:g} s", "see --timeout")
    return {name: answers[name] for name in addresses}


def _answer(answers: dict[str, Service | Problem], name: str, address: str, seconds: float) -> None:
    try:
        answers.setdefault(name, _read(name, address, seconds))
    except Unusable as error:
        answers.setdefault(name, error.problem)


def _read(name: str, address: str, seconds: float) -> Service:
    if "://" not in address:
        return read_service_file(name, Path(address))
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Unusable(Place(address), f"the address of {name} must be an http or https URL, or a file")
    if not parts.path.endswith(ENDINGS):
        address = parts._replace(path=parts.path.rstrip("/") + DOCUMENT).geturl()
    text = decode(_fetch(address, seconds), address)
    return parse_service(name, text, address, is_json=not urlsplit(address).path.endswith((".yaml", ".yml")))


def _fetch(url: str, seconds: float) -> bytes:
    opener = urllib.request.build_opener(_SameHost)
    try:
        with opener.open(url, timeout=seconds) as answer:
            content: bytes = answer.read(SIZE_LIMIT + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise Unusable(Place(url), f"answers {error.code} {error.reason}") from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        text = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        raise Unusable(Place(url), f"can't be fetched: {text}") from None
    if len(content) > SIZE_LIMIT:
        raise Unusable(Place(url), f"is larger than {SIZE_LIMIT // 1024 // 1024} MiB")
    return content


class _SameHost(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            raise Unusable(Place(req.full_url), f"redirects to {newurl}", "name that address if it is meant")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
