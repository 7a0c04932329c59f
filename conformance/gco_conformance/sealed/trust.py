"""The certificates of the sealed network: an authority of the run, and what the kit's servers show."""

from __future__ import annotations

import datetime
import ssl
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from gco_conformance.errors import KitError
from gco_conformance.importing import ALONE

if TYPE_CHECKING:
    from trustme import CA, LeafCert

Kind = Literal["good", "unknown-ca", "expired", "not-yet-valid", "wrong-name"]

BUNDLE_VARIABLES: Final = (
    "SSL_CERT_FILE",
    "AWS_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "NIX_SSL_CERT_FILE",
)
SYSTEM_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/tls/cacert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
)
DIRECTORY_VARIABLE: Final = "SSL_CERT_DIR"
_ANOTHER_NAME: Final = "another.invalid"
_YEAR: Final = datetime.timedelta(days=365)
_DAY: Final = datetime.timedelta(days=1)


def system_bundles() -> set[Path]:
    """The files, as far as there are any, in which programs look for the authorities that the system trusts."""
    own = ssl.get_default_verify_paths().openssl_cafile
    return {path.resolve() for path in map(Path, (*SYSTEM_BUNDLES, own)) if path.is_file()}


class Trust:
    """The run's certificate authority. May be used from several threads.

    Its files are in `folder`, which exists: `bundle`, the authority's certificate as PEM, and an empty
    directory. Its key is never written. Raises `KitError` where trustme isn't installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            with ALONE:
                import trustme
        except ModuleNotFoundError as error:
            raise KitError(
                f"the sealed network needs certificates, and {error.name} isn't installed",
                "install it with \"pip install 'gco-conformance[aggregator]'\"",
            ) from None
        self._new_authority = trustme.CA
        self._authority: CA = trustme.CA()
        self._unknown: CA | None = None
        self._contexts: dict[tuple[str, Kind], ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self._folder = folder
        self._directory = folder / "no-certificates"
        self._directory.mkdir()
        self.bundle: Final = folder / "ca-bundle.pem"
        self._authority.cert_pem.write_to_path(str(self.bundle))

    def variables(self) -> dict[str, str]:
        """What makes programs trust the run's authority, and nothing else that a variable can name."""
        named = dict.fromkeys(BUNDLE_VARIABLES, str(self.bundle))
        return {**named, DIRECTORY_VARIABLE: str(self._directory)}

    def context(self, name: str, kind: Kind = "good") -> ssl.SSLContext:
        """What a server for a host name needs for TLS, with HTTP/1.1 alone to choose; made once."""
        key = name.lower(), kind
        with self._lock:
            if key not in self._contexts:
                self._contexts[key] = self._server_context(self._leaf(*key))
            return self._contexts[key]

    def _leaf(self, name: str, kind: Kind) -> LeafCert:
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        match kind:
            case "good":
                return self._authority.issue_cert(name)
            case "unknown-ca":
                self._unknown = self._unknown or self._new_authority()
                return self._unknown.issue_cert(name)
            case "expired":
                return self._authority.issue_cert(name, not_before=now - _YEAR, not_after=now - _DAY)
            case "not-yet-valid":
                return self._authority.issue_cert(name, not_before=now + _YEAR, not_after=now + 2 * _YEAR)
            case "wrong-name":
                return self._authority.issue_cert(_ANOTHER_NAME)

    def _server_context(self, leaf: LeafCert) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with leaf.private_key_and_cert_chain_pem.tempfile(dir=str(self._folder)) as file:
            context.load_cert_chain(file)
        return context
