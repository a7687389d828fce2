"""The demo page's files, held in memory, with headers that let it reach nothing but the service."""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

CONTENT_TYPES: Mapping[str, str] = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
INDEX = "index.html"

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; media-src 'self' blob:; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Server": "voicepeer",
}

CLIENT = "/client.js"
"""The JavaScript client, which pages of any origin may load; what they may ask the service for is
another matter (``server.allowed_origins``)."""

CLIENT_HEADERS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One file: its bytes, media type and entity tag; ``packed`` is the same by gzip (RFC 1952)."""

    body: bytes
    content_type: str
    etag: str
    packed: bytes


def load_pages() -> dict[str, Page]:
    """All files of the demo page by name; read once, so that serving never touches the disk.

    An installed wheel carries them inside this package, a source tree has them beside it.
    """
    pages = _read(importlib.resources.files("signaling") / "web")
    return pages or _read(Path(__file__).parent.parent / "web" / "dist")


def _read(folder: Traversable) -> dict[str, Page]:
    if not folder.is_dir():
        return {}
    pages = {}
    for entry in folder.iterdir():
        content_type = CONTENT_TYPES.get(Path(entry.name).suffix)
        if content_type is not None and entry.is_file():
            body = entry.read_bytes()
            etag = hashlib.sha256(body).hexdigest()[:32]
            pages[entry.name] = Page(body, content_type, etag, gzip.compress(body, mtime=0))
    return pages
