"""gateway-composition.yaml: what the composer is given (contract section 1)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from gco_reference.composer.errors import ComposeError
from gco_reference.composer.files import read_text
from gco_reference.composer.located_yaml import load_all
from gco_reference.composer.node import Node
from gco_reference.composer.schema_check import check

FILE = "gateway-composition.yaml"

_DEFAULT_SERVER = {
    "url": "https://{alb_hostname}",
    "variables": {"alb_hostname": {"default": "<internal-alb-hostname>"}},
}
_DEFAULT_ENVELOPE = ("x-gco-signature-version", "x-gco-timestamp", "x-gco-nonce", "x-gco-signature")


@dataclass(frozen=True)
class Security:
    """The security scheme's name, the header that carries the signature, and all headers of the envelope."""

    scheme: str = "gcoHmac"
    header: str = "x-gco-signature"
    envelope: tuple[str, ...] = _DEFAULT_ENVELOPE


@dataclass(frozen=True)
class Configuration:
    """The configuration with its defaults; paths are relative to the checkout."""

    node: Node
    manifest: str
    services: tuple[str, ...]
    services_dir: str = "docs/openapi"
    output: str = "docs/openapi/cluster-gateway.json"
    unauthenticated_paths: frozenset[str] = frozenset()
    internal_consumers: dict[str, dict[str, str]] = field(default_factory=dict)
    downstream: dict[str, dict[str, str]] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    server: dict[str, Any] = field(default_factory=dict)
    security: Security = Security()

    def place(self, key: str) -> Node:
        """Where the file states `key`, or the file as a whole when it doesn't."""
        return self.node.get(key) or self.node

    def document_path(self, service: str) -> str:
        """Where the document of `service` lies, relative to the checkout."""
        return str(PurePosixPath(self.services_dir) / f"{service}.json")


@cache
def schema() -> dict[str, Any]:
    """The published JSON Schema of the configuration."""
    text = Path(__file__).with_name("configuration.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_configuration(root: Path) -> Configuration:
    """The configuration of the checkout at `root`."""
    _check_root(root)
    documents = load_all(read_text(root, FILE), FILE)
    if len(documents) != 1:
        raise ComposeError(f"must be one YAML document, not {len(documents)}", FILE)
    node = Node(documents[0], FILE, 1, "")
    check(node, schema())
    given = node.json()
    security = given.get("security", {})
    return Configuration(
        node=node,
        manifest=given["manifest"],
        services=tuple(sorted(given["services"])),
        services_dir=given.get("services_dir", Configuration.services_dir),
        output=given.get("output", Configuration.output),
        unauthenticated_paths=frozenset(given.get("unauthenticated_paths", ())),
        internal_consumers=given.get("internal_consumers", {}),
        downstream=given.get("downstream", {}),
        info=given.get("info", {}),
        server=_server(node, given.get("server", {})),
        security=Security(
            scheme=security.get("scheme", Security.scheme),
            header=security.get("header", Security.header),
            envelope=tuple(security.get("envelope", Security.envelope)),
        ),
    )


def _check_root(root: Path) -> None:
    try:
        if not root.is_dir():
            raise ComposeError("not a directory" if root.exists() else "no such directory", str(root))
    except OSError as error:
        raise ComposeError(f"can't be read: {error.strerror}", str(root)) from None


def _server(node: Node, given: dict[str, Any]) -> dict[str, Any]:
    server = {**_DEFAULT_SERVER, **given}
    if "url" in given and "variables" not in given and "{alb_hostname}" not in server["url"]:
        del server["variables"]
    for name in re.findall(r"\{([^}]*)\}", server["url"]):
        if name not in server.get("variables", {}):
            raise node.need("server").error(f'the variable "{name}" of the url is not among the variables')
    return server
