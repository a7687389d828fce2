"""Publishing to a WHIP endpoint (RFC 9725), whoever runs it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from typing import Final

import aiohttp
from aiohttp import hdrs

from signaling.messages import MAX_SDP_CHARS
from voicepeer.adapters import RoomError
from voicepeer.adapters.sender import NotConnected, OpusSender
from voicepeer.core.whip import (
    REDIRECTS,
    LinkedServer,
    WhipFailed,
    check_answer,
    endpoint,
    linked_servers,
    may_have_token,
    refused,
    resolved,
)
from voicepeer.forwarding import MediaPacket

logger = logging.getLogger(__name__)

SDP: Final = "application/sdp"
MAX_REDIRECTS: Final = 5
ANSWER_TIMEOUT_S: Final = 15.0
GOODBYE_TIMEOUT_S: Final = 3.0
"""For what is good to do, but not needed: asking for ICE servers, and ending a session."""

LONGEST_PAUSE_S: Final = 30.0
"""That an endpoint can make us wait by ``Retry-After``."""


class WhipRoom:
    """One voice at one endpoint; a ``RoomAdapter``.

    All candidates are in the offer, so that nothing is trickled and no ETag is needed. Whatever
    name a bot has, WHIP has no place for it, nor for an id: ``join`` gives an empty one.

    Raises:
        WhipFailed: ``url`` is none of an endpoint.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = endpoint(url)
        self._token = token
        self._http: aiohttp.ClientSession | None = None
        self._sender: OpusSender | None = None
        self._session: str | None = None
        self.servers: Sequence[LinkedServer] = ()
        """STUN and TURN servers that the endpoint has named last; connections use them."""
        self._not_before_s = 0.0

    async def join(self, name: str) -> str:
        """Publish; see ``RoomAdapter``."""
        await self.leave()
        await asyncio.sleep(self._not_before_s - time.monotonic())
        try:
            await self._try_to_publish()
        except BaseException:
            await self.leave()
            raise
        return ""

    def push(self, packet: MediaPacket) -> None:
        """Speak; see ``RoomAdapter``."""
        if self._sender is not None:
            self._sender.push(packet)

    async def lost(self) -> str:
        """Wait until the connection is lost; see ``RoomAdapter``."""
        if self._sender is not None:
            await self._sender.lost()
        return "the connection to the WHIP endpoint was lost"

    async def leave(self) -> None:
        """End the session; see ``RoomAdapter``."""
        sender, self._sender = self._sender, None
        http, self._http = self._http, None
        session, self._session = self._session, None
        try:
            if http is not None and session is not None:
                await self._end(http, session)
        finally:
            if sender is not None:
                await sender.close()
            if http is not None:
                await http.close()

    # --- inside ---------------------------------------------------------------------------------

    async def _try_to_publish(self) -> None:
        """Publish; whatever goes wrong is a ``RoomError``."""
        timeout = aiohttp.ClientTimeout(total=ANSWER_TIMEOUT_S)
        self._http = aiohttp.ClientSession(timeout=timeout)
        try:
            await self._publish(self._http)
        except WhipFailed as error:
            pause_s = min(error.retry_after_s or 0.0, LONGEST_PAUSE_S)
            self._not_before_s = time.monotonic() + pause_s
            raise
        except NotConnected as error:
            raise RoomError("not_connected", str(error), retryable=True) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            why = str(error) or "no answer in time"
            message = f"the WHIP endpoint cannot be reached: {why}"
            raise RoomError("unreachable", message, retryable=True) from error

    async def _publish(self, http: aiohttp.ClientSession) -> None:
        self.servers = await self._ask_for_servers(http) or self.servers
        self._sender = sender = OpusSender([server.entry() for server in self.servers])
        answer = await self._offer(http, await sender.offer())
        check_answer(answer)
        await sender.accept(answer)

    async def _ask_for_servers(self, http: aiohttp.ClientSession) -> list[LinkedServer]:
        """What an endpoint tells before the offer, which has to hold our candidates already.

        Section 4.6 allows that for clients which could not use what comes with the answer.
        """
        timeout = aiohttp.ClientTimeout(total=GOODBYE_TIMEOUT_S)
        try:
            async with http.options(
                self._url, headers=self._headers(self._url), allow_redirects=False, timeout=timeout
            ) as answer:
                return linked_servers(answer.headers.getall(hdrs.LINK, []))
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            logger.info("the endpoint does not tell its ICE servers: %s", type(error).__name__)
            return []

    async def _offer(self, http: aiohttp.ClientSession, offer: str) -> str:
        """Send the offer wherever the endpoint wants it; the answer.

        Raises:
            WhipFailed: it was not taken.
        """
        url = self._url
        for _ in range(MAX_REDIRECTS + 1):
            headers = self._headers(url) | {hdrs.CONTENT_TYPE: SDP, hdrs.ACCEPT: SDP}
            async with http.post(url, data=offer, headers=headers, allow_redirects=False) as answer:
                if answer.status not in REDIRECTS:
                    return await self._take(url, answer)
                url = resolved(url, answer.headers.get(hdrs.LOCATION, ""))
        raise WhipFailed(f"the endpoint redirects more than {MAX_REDIRECTS} times")

    async def _take(self, url: str, answer: aiohttp.ClientResponse) -> str:
        body = await _read(answer)
        if answer.status not in (200, 201):
            retry_after = answer.headers.get(hdrs.RETRY_AFTER)
            failed = refused(answer.status, body, retry_after, time.time())
            if answer.status in (401, 403) and not may_have_token(self._url, url):
                raise WhipFailed(f"{failed}; it was redirected to without encryption")
            raise failed
        if (location := answer.headers.get(hdrs.LOCATION)) is not None:
            self._session = resolved(url, location)
        # They come too late for this connection, but not for the next one.
        self.servers = linked_servers(answer.headers.getall(hdrs.LINK, [])) or self.servers
        sdp = body.decode(errors="replace")
        if not sdp.startswith("v="):
            raise WhipFailed("the endpoint did not answer with SDP: is it one of WHIP?")
        return sdp

    async def _end(self, http: aiohttp.ClientSession, session: str) -> None:
        timeout = aiohttp.ClientTimeout(total=GOODBYE_TIMEOUT_S)
        with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
            # If it cannot be told, it notices by ICE's consent checks (RFC 7675).
            async with http.delete(session, headers=self._headers(session), timeout=timeout):
                pass

    def _headers(self, url: str) -> dict[str, str]:
        if self._token is None or not may_have_token(self._url, url):
            return {}
        return {hdrs.AUTHORIZATION: f"Bearer {self._token}"}


async def _read(answer: aiohttp.ClientResponse) -> bytes:
    """A body; raises ``WhipFailed`` where it has more than any description."""
    body = b""
    async for chunk in answer.content.iter_chunked(16_384):
        body += chunk
        if len(body) > MAX_SDP_CHARS:
            raise WhipFailed("the endpoint answers with more than any description has")
    return body
