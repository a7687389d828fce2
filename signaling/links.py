"""ICE servers as ``Link`` header fields (RFC 9725 section 4.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from multidict import CIMultiDict

from signaling.sessions import IceServer


def ice_server_links(servers: Iterable[IceServer]) -> list[str]:
    """One value for each address; those of a TURN server carry its credentials."""
    return [link for server in servers for link in _links(server)]


def add_links(headers: CIMultiDict[str], servers: Iterable[IceServer]) -> None:
    """Add a ``Link`` for each address."""
    for link in ice_server_links(servers):
        headers.add("Link", link)


def _links(server: IceServer) -> Iterator[str]:
    urls = server["urls"]
    for url in [urls] if isinstance(urls, str) else urls:
        parts = [f"<{url}>", 'rel="ice-server"']
        if "credential" in server:
            parts += [
                f"username={_quoted(str(server['username']))}",
                f"credential={_quoted(str(server['credential']))}",
                'credential-type="password"',
            ]
        yield "; ".join(parts)


def _quoted(text: str) -> str:
    """A quoted string of HTTP (RFC 9110 section 5.6.4)."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
