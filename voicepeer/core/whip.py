"""WHIP (RFC 9725) as seen by who publishes: what an endpoint's answers mean.

Knows no HTTP client: statuses, header values and bodies come in, addresses and reasons come out.
"""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from voicepeer.core.errors import RoomError

MAX_URL_CHARS: Final = 2_048
MAX_LINK_CHARS: Final = 8_192
"""Of all ``Link`` values of one answer; what comes after them is ignored."""

MAX_ICE_SERVERS: Final = 16
MAX_DETAIL_CHARS: Final = 200
MAX_RETRY_AFTER_S: Final = 3_600.0

REDIRECTS: Final = frozenset({307, 308})
"""That keep the method (RFC 9110 section 15.4); RFC 9725 section 4.5 forbids 301 and 302."""

_RETRYABLE: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""409 among them: a publisher that was lost may hold its place until the endpoint has noticed."""

_WORDS: Final = {
    301: "the endpoint redirects in a way that would lose the offer: give the URL it has moved to",
    302: "the endpoint redirects in a way that would lose the offer",
    303: "the endpoint redirects in a way that would lose the offer",
    400: "the endpoint could not read the offer",
    401: "the endpoint wants a token, or another one than it was given",
    403: "the endpoint does not let this token publish",
    404: "there is no such endpoint: check the URL",
    405: "nothing can be published at this URL: is it the one of a WHIP endpoint?",
    406: "the endpoint does not take what is published, one section of Opus audio",
    409: "somebody publishes there already",
    410: "the endpoint has been closed",
    415: "the endpoint takes no SDP: is it the one of a WHIP endpoint?",
    422: "the endpoint understands the offer, but cannot take it",
    429: "the endpoint was asked too often",
    503: "the endpoint has no room or is not ready",
}

_TARGET = re.compile(r"[\s,]*<([^<>]*)>")
_PARAMETER = re.compile(
    r"\s*;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s\",;<>]*)))?"
)
_ICE_URL = re.compile(
    r"(?:stuns?|turns?):[A-Za-z0-9._-]{1,253}(?::(?P<port>[0-9]{1,5}))?(?:\?transport=(?:udp|tcp))?"
)


class WhipFailed(RoomError):
    """An endpoint refuses, or answers in a way that no WHIP endpoint does; the message says why.

    ``status`` is that of HTTP, if it was one; if the endpoint has named a time to ask again, that
    is ``retry_after_s``.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        code = "whip_failed" if status is None else f"whip_{status}"
        super().__init__(code, message, retryable=retryable)
        self.status = status
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class LinkedServer:
    """A STUN or TURN server that an endpoint names (RFC 9725 section 4.6)."""

    url: str
    username: str | None = None
    credential: str | None = None

    def entry(self) -> dict[str, str | list[str]]:
        """As ``RTCIceServer`` of the W3C has it."""
        entry: dict[str, str | list[str]] = {"urls": self.url}
        if self.username is not None and self.credential is not None:
            entry |= {"username": self.username, "credential": self.credential}
        return entry


# --- addresses ------------------------------------------------------------------------------------


def endpoint(url: str) -> str:
    """The address of an endpoint as it was given.

    Raises:
        WhipFailed: no absolute ``http`` or ``https`` URL, one with a name and password in it, or
            too long.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or len(url) > MAX_URL_CHARS or not url.isascii() or not url.isprintable():
        raise WhipFailed("a WHIP endpoint is an http:// or https:// URL")
    if "@" in parts.netloc:
        raise WhipFailed("a WHIP URL has no name and password in it: give the token by itself")
    return url


def resolved(base: str, location: str) -> str:
    """Where a ``Location``, which may be relative (RFC 9110 section 10.2.2), leads from ``base``.

    Raises:
        WhipFailed: nowhere; or from ``https`` to ``http``, where the sound could be redirected by
            whoever is between.
    """
    try:
        url = endpoint(urljoin(base, location.strip()))
    except (ValueError, WhipFailed) as error:
        raise WhipFailed("the endpoint answers with a Location that is no http URL") from error
    if base.startswith("https:") and not url.startswith("https:"):
        raise WhipFailed("the endpoint leads from https to http, which is not followed")
    return url


def may_have_token(given: str, other: str) -> bool:
    """Whether the token for the endpoint at ``given`` may be shown where that has led to.

    Load balancers need it, and who redirects has seen it; but nobody on the way there shall.
    """
    return other.startswith("https:") or _origin(given) == _origin(other)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


# --- headers --------------------------------------------------------------------------------------


def linked_servers(values: Iterable[str]) -> list[LinkedServer]:
    """The ICE servers in ``Link`` values (RFC 8288 section 3); what is malformed is ignored."""
    servers = [
        LinkedServer(target, parameters.get("username"), parameters.get("credential"))
        for target, parameters in _links(", ".join(values)[:MAX_LINK_CHARS])
        if "ice-server" in parameters.get("rel", "").lower().split()
        # Another type of credential is one of OAuth (RFC 7635), which aiortc does not have.
        and parameters.get("credential-type", "password") == "password"
    ]
    return [server for server in servers if _is_usable(server)][:MAX_ICE_SERVERS]


def _is_usable(server: LinkedServer) -> bool:
    found = _ICE_URL.fullmatch(server.url)
    if found is None or int(found["port"] or 1) not in range(1, 65_536):
        return False
    return server.url.startswith("stun") or None not in (server.username, server.credential)


def _links(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each link of a header with its parameters; of one that is there twice the first counts."""
    at = 0
    while at < len(text):
        target = _TARGET.match(text, at)
        if target is None:
            # Whatever this is, it ends with the next comma.
            at = text.find(",", at) + 1 or len(text)
            continue
        at, parameters = target.end(), dict[str, str]()
        while (found := _PARAMETER.match(text, at)) is not None:
            at = found.end()
            name, quoted, token = found.groups()
            value = token or "" if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            parameters.setdefault(name.lower(), value)
        yield target[1].strip(), parameters


def retry_after_s(value: str | None, now_s: float) -> float | None:
    """How long ``Retry-After`` (RFC 9110 section 10.2.3) asks to wait at ``now_s`` (Unix time)."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]{1,12}", text, re.ASCII):
        wait_s = float(text)
    else:
        try:
            wait_s = email.utils.parsedate_to_datetime(text).timestamp() - now_s
        except (ValueError, OverflowError, TypeError):
            return None
    return min(max(wait_s, 0.0), MAX_RETRY_AFTER_S)


# --- refusals -------------------------------------------------------------------------------------


def refused(
    status: int, body: bytes = b"", retry_after: str | None = None, now_s: float = 0.0
) -> WhipFailed:
    """Why an offer was not taken, in words for whoever has given the URL and the token."""
    words = _WORDS.get(status)
    if words is None:
        words = "the endpoint has failed" if status >= 500 else "the endpoint refuses the offer"
    wait_s = retry_after_s(retry_after, now_s)
    detail = detail_of(body)
    message = f"{words} ({status}{f': {detail}' if detail else ''})"
    if wait_s is not None:
        message += f"; it may be asked again in {wait_s:.0f} s"
    return WhipFailed(message, status=status, retryable=status in _RETRYABLE, retry_after_s=wait_s)


def detail_of(body: bytes) -> str:
    """What an endpoint says itself of an error, in one printable line; empty if nothing.

    Read are problem details (RFC 9457), the error objects of OpenAI's API, which are ours too, and
    plain text.
    """
    text = body[:4_096].decode(errors="replace")
    try:
        text = _said(json.loads(text))
    except (ValueError, RecursionError):
        text = "" if text.lstrip().startswith(("<", "{")) else text
    plain = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(plain.split())[:MAX_DETAIL_CHARS]


def _said(tree: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(tree, str):
        return tree
    if isinstance(tree, dict):
        for name in ("error", "detail", "message", "title"):
            if name in tree and (found := _said(tree[name])):
                return found
    return ""


# --- answers --------------------------------------------------------------------------------------


def check_answer(sdp: str) -> None:
    """See that an answer takes what is sent (RFC 9725 section 4.2).

    Raises:
        WhipFailed: it has no audio section, rejects it, or does not want to receive.
    """
    lines = [line.strip() for line in sdp.splitlines()]
    ports = [line.split(" ")[1:2] for line in lines if line.startswith("m=audio ")]
    if not ports or ports[0] == ["0"]:
        raise WhipFailed("the endpoint's answer takes no audio")
    if any(line in ("a=sendonly", "a=inactive") for line in lines):
        raise WhipFailed("the endpoint's answer does not want to receive what is published")
