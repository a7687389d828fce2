"""Until when a certificate is good: one in a file, or the one that a server shows."""

from __future__ import annotations

import datetime
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from signaling.ice_servers import TURNS_PORT
from voicepeer.finding import reason

TIMEOUT_S = 5.0
_PORTS = {"https": 443, "wss": 443, "turns": TURNS_PORT}


class CertificateUnusable(Exception):
    """It cannot be had, or clients will not take it; the message says why."""


def expiry(named: str) -> datetime.datetime:
    """When the certificate ends that a PEM file has, or the server of ``https://``; blocks.

    Of several in a file, which are a chain, it is the one that ends first.

    Raises:
        CertificateUnusable: the file has none, or nobody answers, or clients would not trust it.
    """
    if "://" in named:
        parts = urlsplit(named)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise CertificateUnusable(f"{parts.scheme}:// has no certificate: write https://HOST")
        return expiry_at(parts.hostname, parts.port or _PORTS[parts.scheme])
    return _in_file(Path(named))


def _in_file(path: Path) -> datetime.datetime:
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificates(path.read_bytes())
    except OSError as error:
        raise CertificateUnusable(f"it cannot be read: {reason(error)}") from error
    except ValueError as error:
        raise CertificateUnusable("there is no certificate in it, in PEM form") from error
    return min(one.not_valid_after_utc for one in found)


def expiry_at(host: str, port: int) -> datetime.datetime:
    """When the certificate ends that a server shows, if clients trust it for its name; blocks.

    Raises:
        CertificateUnusable: nobody answers with TLS, or clients would not trust it.
    """
    try:
        with (
            socket.create_connection((host, port), TIMEOUT_S) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as secured,
        ):
            shown = secured.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        raise CertificateUnusable(f"clients refuse it: {error.verify_message}") from error
    except OSError as error:
        raise CertificateUnusable(f"nobody shows one there: {reason(error)}") from error
    ends_s = ssl.cert_time_to_seconds(str(shown["notAfter"]))
    return datetime.datetime.fromtimestamp(ends_s, datetime.UTC)
